import type { Opening } from '../../../src-preload/contract/data.ts'
import { t } from '../../../src-renderer/i18n/cli.ts'
import { storedData } from '../../core/stored.ts'
import { logUncaught } from '../lastResort.ts'
import type { Parts } from './dependencies.ts'
import { log, tell } from './output.ts'
import { ownPackage } from './package.ts'

const stored = storedData({ version: () => ownPackage().version, log })

/** The parts of the command line with the real core. Each is imported by the first command that needs it. */
export const realParts: Parts = {
  ...stored,
  async startCore(host, options) {
    logUncaught(host.log)
    const { createCore } = await import('../../core/core.ts')
    const core = await withProgress((notify) =>
      createCore(host, {
        ...options,
        async opening(work) {
          await options.opening?.(work)
          notify(work)
        },
      }),
    )
    const { router, announce, addresses, bytes, media, metrics, stop } = core
    return { router, announce, bytes, media, metrics, sandbox: () => addresses().sandbox, stop }
  },
  openErase: (dataDir) => withProgress((opening) => stored.openErase(dataDir, opening)),
  startSandbox: async (options) => (await import('../../sandbox/sandbox.ts')).startSandbox(options),
}

/** Runs `open` and prints its progress on standard error while it takes long. */
async function withProgress<T>(open: (notify: (work: Opening) => void) => Promise<T>): Promise<T> {
  const printer = createProgressPrinter()
  try {
    return await open(printer.notify)
  } finally {
    printer.end()
  }
}

/** Minimum time between two lines about the same step, ms. Applies when standard error is not a terminal. */
const lineIntervalMs = 5000

/**
 * Prints the progress of the start-up work on the databases on standard error.
 * On a terminal it rewrites one line, otherwise it prints a line per step and every few seconds.
 */
function createProgressPrinter(): { notify(work: Opening): void; end(): void } {
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
      tell('info', openingLine(work))
    },
    end() {
      if (isOpen) stderr.write('\n')
      isOpen = false
    },
  }
}

/** The start-up work as one line for a terminal. */
function openingLine({ stage, database, rows }: Opening): string {
  return t(`opening.${stage}.${database}`, { rows: rows ?? 0 })
}
