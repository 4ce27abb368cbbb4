import type { Session, UtilityProcess } from 'electron'
import * as z from 'zod'
import { asStudioError, StudioError } from '../../core/errors.ts'
import type { Host, SystemNetwork } from '../../core/host.ts'

/** The certificates are read again when a new connection is opened and the last reading is older than this, ms. */
const certificatesMs = 120_000
/** Longest run of the process that reads them, ms. Some Macs need nearly two minutes (nodejs/node#63313). */
const readMs = 180_000
/** How long connections wait for the first reading, ms. Afterwards they use Node's own list until it ends. */
const firstMs = 15_000

interface SystemNetworkOptions {
  session: Pick<Session, 'resolveProxy'>
  log: Host['log']
  /** Starts a process that sends the certificates as they are now. */
  fork(): Pick<UtilityProcess, 'once' | 'kill'>
  /** Milliseconds. */
  now?: () => number
}

/**
 * Proxies and certificates of the system, both as they are now. Chromium follows changes of the proxy settings, and evaluates PAC scripts.
 * Another process reads the certificates: Node reads them once per process, and waits for the system, which would stop the windows.
 */
export function systemNetwork(options: SystemNetworkOptions): SystemNetwork {
  const { session, log, fork, now = () => performance.now() } = options
  let certificates: readonly string[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  let first: Promise<void> | null = null

  async function read(): Promise<void> {
    try {
      const found = await certificatesOf(fork())
      const isSame = found.length === certificates.length && found.every((one, at) => one === certificates[at])
      if (!isSame) certificates = found
    } catch (thrown) {
      log('warn', `The certificates of the system can’t be read: ${asStudioError(thrown).message}`)
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

/** The list that a process sends. @throws StudioError `bug` when the process sends no valid list in time */
function certificatesOf(child: Pick<UtilityProcess, 'once' | 'kill'>): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const end = (result: string[] | StudioError): void => {
      clearTimeout(timer)
      child.kill()
      if (Array.isArray(result)) resolve(result)
      else reject(result)
    }
    const timer = setTimeout(() => end(new StudioError('bug', 'They were not read in time.')), readMs)
    child.once('message', (message: unknown) => {
      const parsed = z.array(z.string()).safeParse(message)
      end(parsed.success ? parsed.data : new StudioError('bug', 'What was read is not a list of certificates.'))
    })
    child.once('exit', () => end(new StudioError('bug', 'The process that reads them ended.')))
  })
}
