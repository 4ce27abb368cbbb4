import type { Opening } from '../../../src-preload/contract/data.ts'
import { openingLine } from '../startUpPage.ts'
import { log } from './output.ts'

/** Minimum time between two lines about the same step, ms. Applies when standard error is not a terminal. */
const lineIntervalMs = 5000

/**
 * Prints the progress of the start-up work on the databases on standard error.
 * On a terminal it rewrites one line, otherwise it prints a line per step and every few seconds.
 */
export function createProgressPrinter(): { notify(work: Opening): void; end(): void } {
  const { stderr } = process
  let last = { at: 0, what: '' }
  let isOpen = false
  return {
    notify(work) {
      if (stderr.isTTY) {
        // Returns to the start of the line and clears it.
        stderr.write(`\r\u001b[K${openingLine(work)}`)
        isOpen = true
        return
      }
      const [now, what] = [performance.now(), `${work.stage} ${work.database}`]
      if (what === last.what && now - last.at < lineIntervalMs) return
      last = { at: now, what }
      log('info', openingLine(work))
    },
    end() {
      if (isOpen) stderr.write('\n')
      isOpen = false
    },
  }
}
