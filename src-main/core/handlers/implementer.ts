import { setTimeout as sleep } from 'node:timers/promises'
import { implement } from '@orpc/server'
import { contract } from '../../../src-preload/contract/contract.ts'
import { asStudioError } from '../errors.ts'
import type { Host } from '../host.ts'
import { asStoreError } from '../store/databaseErrors.ts'
import { toWire } from './errors.ts'

/** How long a call waits for another process's lock in total, ms. Short enough for a response within 3 s. */
const lockedMs = 2000
/** How often the lock is checked, ms. */
const checkEveryMs = 50

/** A database that procedures write to. */
export interface Writable {
  commits(): number
  isWritable(): boolean
}

/**
 * The contract's implementer. Failures are converted to `PROBLEM` errors. A call that failed because of another process's
 * lock is repeated when the lock is free.
 */
export function implementer(host: Host, databases: readonly Writable[] = []) {
  const commits = (): number => databases.reduce((sum, database) => sum + database.commits(), 0)
  return implement(contract).use(async ({ next }) => {
    const until = performance.now() + lockedMs
    for (;;) {
      const before = commits()
      try {
        return await next()
      } catch (thrown) {
        // A call that has committed something must not run again.
        const isRepeatable = isLocked(thrown) && commits() === before && (await isFree(databases, until))
        if (!isRepeatable) throw toWire(host, thrown)
      }
    }
  })
}

const isLocked = (thrown: unknown): boolean => asStudioError(asStoreError(thrown)).kind === 'database_locked'

/** Waits until every database is writable. False if that takes longer than `until` (performance.now, ms). */
async function isFree(databases: readonly Writable[], until: number): Promise<boolean> {
  while (performance.now() < until) {
    await sleep(checkEveryMs)
    if (databases.every((database) => database.isWritable())) return true
  }
  return false
}
export type Implementer = ReturnType<typeof implementer>

/** Runs the work of a procedure without a result. */
export const done = async (work: unknown): Promise<Record<string, never>> => {
  await work
  return {}
}
