import { getCACertificates } from 'node:tls'
import type { Session, UtilityProcess } from 'electron'
import * as z from 'zod'
import { asStudioError, StudioError } from '../../core/errors.ts'
import type { Host, SystemNetwork } from '../../core/host.ts'

/** The certificates are read again when a new connection is opened and the last reading is older than this, ms. */
const certificatesMs = 120_000
/** Longest run of the process that reads them, ms. */
const readMs = 15_000

interface SystemNetworkOptions {
  session: Pick<Session, 'resolveProxy'>
  log: Host['log']
  /** Starts a process that sends the certificates as they are now. */
  fork(): Pick<UtilityProcess, 'once' | 'kill'>
  /** Reads the certificates in this process: as they were when it first did. */
  readNow?: () => string[]
  /** Milliseconds. */
  now?: () => number
}

/**
 * Proxies and certificates of the system, both as they are now. Chromium follows changes of the proxy settings, and evaluates PAC scripts.
 * Node reads the certificates once per process, so a second process reads them again.
 */
export function systemNetwork(options: SystemNetworkOptions): SystemNetwork {
  const { session, log, fork, readNow = () => getCACertificates('system'), now = () => performance.now() } = options
  let certificates: readonly string[] | null = null
  let readAt = Number.NEGATIVE_INFINITY
  const fail = (thrown: unknown): void =>
    log('warn', `The certificates of the system can’t be read: ${asStudioError(thrown).message}`)

  async function readAgain(): Promise<void> {
    const read = await certificatesOf(fork())
    const isSame = read.length === certificates?.length && read.every((one, at) => one === certificates?.[at])
    if (!isSame) certificates = read
  }

  return {
    resolveProxy: (url) => session.resolveProxy(url),
    certificates() {
      if (certificates === null) {
        try {
          certificates = readNow()
        } catch (thrown) {
          certificates = []
          fail(thrown)
        }
        readAt = now()
      } else if (now() - readAt > certificatesMs) {
        // This connection uses the old ones, and the next one the new ones.
        readAt = now()
        readAgain().catch(fail)
      }
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
