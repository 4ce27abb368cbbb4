import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeletionDeadlines } from '../../../src-main/core/store/retentionClock.ts'

/** Deadlines by a clock that is always right. */
export const rightClock = (now: () => number = Date.now): DeletionDeadlines => ({
  before: (keptMs) => now() - keptMs,
  of: (date, keptMs) => date + keptMs,
  isNotBehind: () => true,
})

/** Lets the program that starts next with a folder find a clock that it has confirmed long ago, and that was right until now. */
export const confirmClock = (dataDir: string, until = Date.now()): void =>
  writeFileSync(
    join(dataDir, 'studio.clock.json'),
    JSON.stringify({ ran: 1e10, stretches: [{ ran: 0, until }], floor: 0, isNew: false }),
  )
