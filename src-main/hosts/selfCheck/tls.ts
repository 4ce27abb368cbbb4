import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, getCACertificates } from 'node:tls'
import { StudioError } from '../../core/errors.ts'
import type { ForkProgram } from '../../core/shared/processWorker.ts'
import { readCertificates } from '../readCertificates.ts'
import { newCertificate } from './certificate.ts'
import { NotHere } from './run.ts'

/**
 * Connects to a server on this computer with the certificates of the system, which a process of its own reads. The server's certificate must
 * be accepted when it is among the trusted ones, and refused otherwise. Returns what was seen in words.
 * @param certificates the file that the process runs
 * @throws StudioError `tls_failed`, `bug`; NotHere when the system has no certificates
 */
export async function checkTls(fork: ForkProgram, certificates: string): Promise<string> {
  const ofSystem = await readCertificates(fork(certificates, []))
  const own = newCertificate('localhost')
  const server = createServer(own, (socket) => socket.end())
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const usual = [...getCACertificates('default'), ...ofSystem]
    const refused = await handshake(port, usual)
    if (refused === null) throw new StudioError('tls_failed', 'A server with an unknown certificate was accepted.')
    const failure = await handshake(port, [...usual, own.cert])
    if (failure !== null) throw new StudioError('tls_failed', `A trusted certificate was refused: ${failure}`)
  } finally {
    server.close()
  }
  if (ofSystem.length === 0) {
    throw new NotHere(
      'The system lists no certificates. Those of the program are used.',
      'Install them if a company’s proxy needs them; on Linux the package is ca-certificates.',
    )
  }
  return `${ofSystem.length} certificates of the system; a trusted server is accepted, and an unknown one refused`
}

/** Why the connection failed, or null. */
function handshake(port: number, ca: string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca, rejectUnauthorized: true })
    socket.once('secureConnect', () => {
      socket.destroy()
      resolve(null)
    })
    socket.once('error', (error) => resolve(error.message))
  })
}
