import type { Opening } from '../../../src-preload/contract/data.ts'
import { openingLine } from '../startUpPage.ts'
import { log } from './output.ts'

/** ms between two lines of one work where nobody watches a terminal. */
const everyMs = 5000

/** Says on standard error what a start does with the data before anything can be used: at a terminal in one line that changes. */
export function createTeller(): { notify(work: Opening): void; end(): void } {
  const { stderr } = process
  let last = { at: 0, what: '' }
  let isOpen = false
  return {
    notify(work) {
      if (stderr.isTTY) {
        // Back to the line's begin, and what stood there is gone.
        stderr.write(`\r\u001b[K${openingLine(work)}`)
        isOpen = true
        return
      }
      const [now, what] = [performance.now(), `${work.stage} ${work.database}`]
      if (what === last.what && now - last.at < everyMs) return
      last = { at: now, what }
      log('info', openingLine(work))
    },
    end() {
      if (isOpen) stderr.write('\n')
      isOpen = false
    },
  }
}
