import type { AddressInfo, Server } from 'node:net'
import { t } from '../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../core/errors.ts'
import { unexpected } from '../../core/shared/unexpected.ts'
import { ownError } from './ownWords.ts'

/** Maximum number of ports to try, the first one included. */
const tries = 10

/**
 * Listens on 127.0.0.1 and returns the port. With `orNext`, tries the next ports when `port` is in use.
 *
 * @throws StudioError `port_taken`
 */
export async function listenOn(server: Server, port: number, orNext: boolean): Promise<number> {
  const last = port === 0 || !orNext ? port : Math.min(port + tries - 1, 65_535)
  let isReserved = true
  for (let candidate = port; candidate <= last; candidate++) {
    const failure = await listenOnce(server, candidate)
    if (failure === null) {
      // Without a listener, a connection that can't be accepted (too many open files) would be an uncaught exception.
      server.on('error', (error) => unexpected('A connection could not be accepted', error))
      return boundPort(server)
    }
    if (failure.code !== 'EADDRINUSE' && failure.code !== 'EACCES') throw failure
    if (failure.code === 'EADDRINUSE') isReserved = false
  }
  // EACCES: a low port on Linux, a range that the system took on Windows.
  const ports = { port: String(port), first: String(port), last: String(last) }
  const words =
    last === port
      ? t(isReserved ? 'port.reserved' : 'port.inUse', ports)
      : t(isReserved ? 'port.severalReserved' : 'port.severalInUse', ports)
  throw ownError('port_taken', words)
}

function listenOnce(server: Server, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const settle = (failure: NodeJS.ErrnoException | null) => {
      server.off('error', settle)
      server.off('listening', listening)
      resolve(failure)
    }
    const listening = () => settle(null)
    server.once('error', settle)
    server.once('listening', listening)
    server.listen({ port, host: '127.0.0.1', exclusive: true })
  })
}

function boundPort(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new StudioError('bug', 'The server has no port.')
  return address.port
}
