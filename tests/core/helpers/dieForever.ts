// Runs one step on a data folder in a process that is killed during the step: node dieForever.ts WHAT FOLDER FILE [N]
// With N it kills itself (-9) right before its Nth rename, with rmN right before its Nth deletion. Otherwise the test kills it.
import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const [, , what = '', dataDir = '', file = '', dieAt = ''] = process.argv
const data = new URL('../../../src-main/core/data/', import.meta.url)
const load = (name: string) => import(new URL(name, data).href)

const work: Record<string, () => Promise<unknown>> = {
  async backup() {
    const { writeBackup } = await load('backup/write.ts')
    return () => writeBackup({ dataDir, version: '1' }, { path: file })
  },
  async restore() {
    const { restoreBackup } = await load('restore/restore.ts')
    return () => restoreBackup({ dataDir, path: file, agree: async () => true })
  },
  async mend() {
    const { recoverFolder } = await load('recovery/recovery.ts')
    const { settleSwaps } = await load('restore/swap.ts')
    const typeOf = () => ({ kind: 'image', mime: 'image/png', width: 1, height: 1 })
    return () => {
      settleSwaps(dataDir)
      recoverFolder({ dataDir, how: 'everything', typeOf, log: () => undefined })
    }
  },
  async eraseEverything() {
    const { eraseOrdered } = await load('eraseEverything.ts')
    return () => eraseOrdered(dataDir)
  },
  async migrate() {
    const { openStore } = await import('../../../src-main/core/store/store.ts')
    return () => openStore(dataDir)
  },
  /** Deletes old bodies like the program: a few at a time, overwritten, with their pages freed. */
  async erase() {
    const handle = new DatabaseSync(join(dataDir, 'bodies.sqlite'))
    handle.exec('PRAGMA secure_delete = ON')
    return () => {
      for (;;) {
        const { changes } = handle
          .prepare('DELETE FROM bodies WHERE id IN (SELECT id FROM bodies ORDER BY id LIMIT 3)')
          .run()
        handle.exec('PRAGMA incremental_vacuum(5)')
        if (changes === 0) return
      }
    }
  },
}

const go = await work[what]?.()
if (dieAt !== '') {
  const { renameSync: rename, rmSync: remove } = fs
  const last = Number(dieAt.replace('rm', ''))
  let turn = 0
  const step = (isCounted: boolean): void => {
    if (isCounted) turn += 1
    if (isCounted && turn === last) process.kill(process.pid, 'SIGKILL')
  }
  fs.renameSync = (from, to) => {
    step(!dieAt.startsWith('rm'))
    rename(from, to)
  }
  fs.rmSync = (path, options) => {
    step(dieAt.startsWith('rm'))
    remove(path, options)
  }
  syncBuiltinESMExports()
}
writeSync(1, 'ready\n')
if (typeof go === 'function') await go()
writeSync(1, 'done\n')
