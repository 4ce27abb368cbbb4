import { getCACertificates } from 'node:tls'
import type { Session } from 'electron'
import { asStudioError } from '../../core/errors.ts'
import type { Host, SystemNetwork } from '../../core/host.ts'

/**
 * Proxies and certificates of the system. Chromium follows changes of the proxy settings, and evaluates PAC scripts. Node reads the
 * certificates once per process, so a new certificate counts after a restart.
 */
export function systemNetwork(
  session: Pick<Session, 'resolveProxy'>,
  log: Host['log'],
  readCertificates = (): string[] => getCACertificates('system'),
): SystemNetwork {
  let certificates: readonly string[] | null = null
  return {
    resolveProxy: (url) => session.resolveProxy(url),
    certificates() {
      try {
        certificates ??= readCertificates()
      } catch (thrown) {
        certificates = []
        log('warn', `The certificates of the system can’t be read: ${asStudioError(thrown).message}`)
      }
      return certificates
    },
  }
}
