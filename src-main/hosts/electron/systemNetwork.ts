import type { Session } from 'electron'
import { asStudioError } from '../../core/errors.ts'
import type { Host, SystemNetwork } from '../../core/host.ts'
import type { ChildOfProgram } from '../../core/shared/processWorker.ts'
import { readCertificates } from '../readCertificates.ts'

/** The certificates are read again when a new connection is opened and the last reading is older than this, ms. */
const certificatesMs = 120_000
/** How long connections wait for the first reading, ms. Afterwards they use Node's own list until it ends. */
const firstMs = 15_000

interface SystemNetworkOptions {
  session: Pick<Session, 'resolveProxy'>
  log: Host['log']
  /** Starts a process that sends the certificates as they are now. */
  fork(): ChildOfProgram
  /** Whether the program is ending, with all of its processes. */
  isQuitting(): boolean
  /** Milliseconds. */
  now?: () => number
}

/**
 * Proxies and certificates of the system, both as they are now. Chromium follows changes of the proxy settings, and evaluates PAC scripts.
 * Another process reads the certificates: Node reads them once per process, and waits for the system, which would stop the windows.
 */
export function systemNetwork(options: SystemNetworkOptions): SystemNetwork {
  const { session, log, fork, isQuitting, now = () => performance.now() } = options
  let certificates: readonly string[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  let first: Promise<void> | null = null

  async function read(): Promise<void> {
    try {
      const found = await readCertificates(fork())
      const isSame = found.length === certificates.length && found.every((one, at) => one === certificates[at])
      if (!isSame) certificates = found
    } catch (thrown) {
      if (!isQuitting()) log('warn', `The certificates of the system can’t be read: ${asStudioError(thrown).message}`)
    }
    readAt = now()
  }

  return {
    resolveProxy: (url) => session.resolveProxy(url),
    async certificates() {
      if (reading === null && now() - readAt > certificatesMs) {
        reading = read().finally(() => {
          reading = null
        })
        first ??= Promise.race([reading, new Promise<void>((resolve) => setTimeout(resolve, firstMs).unref())])
      }
      // Later readings count for the connections after them.
      await first
      return certificates
    },
  }
}
