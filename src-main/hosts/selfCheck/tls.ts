import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, getCACertificates } from 'node:tls'
import type { Note } from '../../../src-preload/contract/note.ts'
import { StudioError } from '../../core/errors.ts'
import type { ForkProgram } from '../../core/shared/processWorker.ts'
import { readCertificates } from '../readCertificates.ts'
import { newCertificate } from './certificate.ts'
import { NotHere } from './run.ts'
import { words } from './words.ts'

/**
 * Connects to a server on this computer with the certificates of the system, which a process of its own reads. The server's certificate must
 * be accepted when it is among the trusted ones, and refused otherwise. Returns what was seen.
 * @param certificates the file that the process runs
 * @throws StudioError `tls_failed`, `bug`; NotHere when the system has no certificates
 */
export async function checkTls(fork: ForkProgram, certificates: string): Promise<Note> {
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
    if (refused === null) throw failed(words('failed.unknownAccepted'))
    const failure = await handshake(port, [...usual, own.cert])
    if (failure !== null) throw failed(words('failed.trustedRefused', { reason: failure }))
  } finally {
    server.close()
  }
  if (ofSystem.length === 0) {
    throw new NotHere(words('failed.noCertificates'), words('action.noCertificates'))
  }
  return words('seen.tls', { figure: ofSystem.length })
}

const failed = (note: Note): StudioError => new StudioError('tls_failed', note.text, { note })

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
