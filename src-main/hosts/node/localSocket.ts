import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { AnyRouter } from '@orpc/server'
import { transfersPath } from '../../../src-preload/contract/transfers.ts'
import type { BytesHandler } from '../../core/ports/bytes.ts'
import { createPageSockets, type PageSockets } from './web/socket.ts'

// The socket over which commands use a studio that runs on their data folder, of `serve` or of the desktop application. The right to open the
// folder is the right to use the socket: there is no other secret. Pages can't open such sockets.

/** Longest path of a socket on macOS, less the final zero byte; Linux allows four more. */
const maxPathBytes = 103

/**
 * Path of the socket for a data folder. It is in the folder unless its path would be too long for the system; null on Windows, whose pipes
 * have no folder that protects them.
 */
export function localSocketPath(dataDir: string): string | null {
  if (process.platform === 'win32') return null
  const inFolder = join(dataDir, 'studio.sock')
  if (Buffer.byteLength(inFolder) <= maxPathBytes) return inFolder
  const real = existsSync(dataDir) ? realpathSync(dataDir) : dataDir
  const name = createHash('sha256').update(real).digest('hex').slice(0, 24)
  return join(tmpdir(), `inference-studio-${name}`, 'studio.sock')
}

/** Whether only this user can reach the folder of a socket. */
export function isPrivateFolder(folder: string): boolean {
  const facts = lstatSync(folder, { throwIfNoEntry: false })
  return facts?.isDirectory() === true && facts.uid === userInfo().uid && (facts.mode & 0o077) === 0
}

/** What the socket serves. */
interface LocalStudio {
  router: AnyRouter
  bytes: BytesHandler
}

export interface LocalSocket {
  /** Serves this studio from now on; null between two. */
  serve(studio: LocalStudio | null): Promise<void>
  close(): Promise<void>
}

/** Path of an address of the page that works once, for `open`. */
export const addressPath = '/address'

/**
 * Opens the socket of a data folder that this process owns. Null where there is none: on Windows, and where the system refuses it, which is
 * logged and no failure.
 * @param urlToOpen an address of the page that works once; null while no page is served, and in the desktop application
 */
export async function openLocalSocket(
  dataDir: string,
  urlToOpen: () => string | null,
  log: (level: 'warn', line: string) => void,
): Promise<LocalSocket | null> {
  const path = localSocketPath(dataDir)
  if (path === null) return null
  let served: { studio: LocalStudio; sockets: PageSockets } | null = null
  const server = createServer((request, reply) => {
    const [target = '', query = ''] = (request.url ?? '').split('?')
    const url = request.method === 'POST' && target === addressPath ? urlToOpen() : null
    if (url !== null) {
      reply.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(url)
      return
    }
    if (!served || !target.startsWith(transfersPath)) {
      reply.writeHead(served ? 404 : 503).end()
      return
    }
    const { 'content-type': type = null, 'content-length': length } = request.headers
    served.studio
      .bytes({
        method: request.method ?? 'GET',
        path: target,
        query: new URLSearchParams(query),
        contentType: type,
        contentLength: length === undefined ? null : Number(length),
        body: request,
      })
      .then(async ({ status, headers, body }) => {
        reply.writeHead(status, headers)
        if (body) await pipeline(body, reply)
        else reply.end()
      })
      // A command that ended.
      .catch(() => reply.destroy())
  })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    if (served && request.url === '/rpc') served.sockets.upgrade(request, socket, head)
    else socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  try {
    await listen(server, path, dataDir)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    log('warn', `Commands can’t use this studio while it runs, because it has no local socket: ${why}`)
    return null
  }
  return {
    async serve(studio) {
      const before = served
      served = null
      await before?.sockets.stop()
      if (studio) served = { studio, sockets: createPageSockets(studio.router) }
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await served?.sockets.stop()
      server.closeAllConnections()
      await closed
      if (dirname(path) !== dataDir) rmSync(dirname(path), { recursive: true, force: true })
    },
  }
}

async function listen(server: Server, path: string, dataDir: string): Promise<void> {
  const folder = dirname(path)
  if (folder !== dataDir && !existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  // Commands refuse such a folder too. The mode of the socket alone is set too late: others could connect before.
  if (!isPrivateFolder(folder)) {
    throw new Error(`${folder} can be opened by other users. Close it with: chmod 700 ${folder}`)
  }
  // Of an owner that was killed. This process owns the folder now.
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
  chmodSync(path, 0o600)
}
