import { setTimeout as sleep } from 'node:timers/promises'
import { implement } from '@orpc/server'
import { contract } from '../../../src-preload/contract/contract.ts'
import { asStudioError } from '../errors.ts'
import type { Host } from '../host.ts'
import { asStoreError } from '../store/database.ts'
import { toWire } from './errors.ts'

/** How long a call waits for another process's lock in all, and how often the lock is looked at, ms. A person gets an answer within 3 s. */
const lockedMs = 2000
const lookEveryMs = 50

/** The databases that calls write to. */
export interface Writable {
  commits(): number
  isWritable(): boolean
}

/** The contract, to be filled with what answers it; what a room throws crosses as its problem. */
export function implementer(host: Host, databases: readonly Writable[] = []) {
  const commits = (): number => databases.reduce((sum, database) => sum + database.commits(), 0)
  return implement(contract).use(async ({ next }) => {
    const until = performance.now() + lockedMs
    for (;;) {
      const before = commits()
      try {
        return await next()
      } catch (thrown) {
        // A call that has committed something would do that twice.
        const isToTryAgain = isLocked(thrown) && commits() === before && (await isFree(databases, until))
        if (!isToTryAgain) throw toWire(host, thrown)
      }
    }
  })
}

const isLocked = (thrown: unknown): boolean => asStudioError(asStoreError(thrown)).kind === 'database_locked'

/** Whether every database can be written to before that time. */
async function isFree(databases: readonly Writable[], until: number): Promise<boolean> {
  while (performance.now() < until) {
    await sleep(lookEveryMs)
    if (databases.every((database) => database.isWritable())) return true
  }
  return false
}
export type Implementer = ReturnType<typeof implementer>

/** For procedures that answer nothing. */
export const done = async (work: unknown): Promise<Record<string, never>> => {
  await work
  return {}
}
