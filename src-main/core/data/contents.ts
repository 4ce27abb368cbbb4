import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Counts } from '../../../src-preload/contract/data.ts'
import { asStoreError } from '../store/databaseErrors.ts'
import { addCounts, countThings, databasesIn } from './databases.ts'
import { bytesOnDisk } from './disk.ts'
import { everything } from './restore/swap.ts'

/** Counts what a data folder contains, for a person who is about to replace it. @throws StudioError `store_damaged` */
export function readContents(dataDir: string): { counts: Counts; bytes: number } {
  const counted = databasesIn(dataDir).map(({ pathIn }) => {
    try {
      const handle = new DatabaseSync(pathIn(dataDir), { readOnly: true, timeout: 5000 })
      try {
        return countThings(handle)
      } finally {
        handle.close()
      }
    } catch (thrown) {
      throw asStoreError(thrown, pathIn(dataDir))
    }
  })
  return {
    counts: addCounts(counted),
    bytes: everything.reduce((sum, name) => sum + bytesOnDisk(join(dataDir, name)), 0),
  }
}
