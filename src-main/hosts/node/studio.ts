import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { request } from 'node:http'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { createRouterClient } from '@orpc/server'
import { WebSocket } from 'ws'
import type { AppState } from '../../../src-preload/contract/app.ts'
import type { Contract } from '../../../src-preload/contract/contract.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { partBytes, partType, transferPath } from '../../../src-preload/contract/transfers.ts'
import { t } from '../../../src-renderer/i18n/cli.ts'
import type { CoreOptions } from '../../core/core.ts'
import { StudioError } from '../../core/errors.ts'
import type { BytesReply, BytesRequest } from '../../core/ports/bytes.ts'
import type { Parts, RunningCore } from './dependencies.ts'
import { failureOf } from './failure.ts'
import { openDataDir } from './folder.ts'
import { createNodeHost } from './host.ts'
import { addressPath, isPrivateFolder, localSocketPath } from './localSocket.ts'
import { tell } from './output.ts'
import { ownError } from './ownWords.ts'
import { type Interrupt, listenForInterrupt } from './signals.ts'
import { startTemporaryCore } from './temporaryCore.ts'

/** A studio that a command works with: a core of its own, or the studio that runs on the data folder. */
export interface UsedStudio {
  readonly client: ContractRouterClient<Contract>
  /** Whether it is another process, which goes on when the command ends. */
  readonly isShared: boolean
  /** Requests below `/transfers/`. */
  bytes(request: Omit<BytesRequest, 'body'> & { body: Buffer | null }): Promise<Pick<BytesReply, 'status' | 'body'>>
  close(): Promise<void>
}

interface StudioOptions {
  dataDir?: string | undefined
  /** The service for this run; null for the connection in use. */
  connect?: CoreOptions['connect'] | null
}

/**
 * Runs `use` with the studio of the data folder and closes the studio on every way out, so that every row of the request log is settled.
 * Where a studio runs already, the command uses that one.
 * @throws StudioError `folder_in_use` for a studio that can't be reached, and `cancelled` at an end signal if `use` gives up at it
 */
export async function withStudio<T>(
  options: StudioOptions,
  parts: Parts,
  use: (studio: UsedStudio, interrupt: Interrupt) => Promise<T>,
): Promise<T> {
  const interrupt = listenForInterrupt()
  try {
    const studio = await openStudio(options, parts, interrupt.signal)
    try {
      return await use(studio, interrupt)
    } finally {
      await studio.close()
    }
  } finally {
    interrupt.release()
  }
}

async function openStudio({ dataDir, connect }: StudioOptions, parts: Parts, signal: AbortSignal): Promise<UsedStudio> {
  const folder = await openDataDir(dataDir)
  const coreOptions: CoreOptions = { proxyPort: null, signal, ...(connect && { connect }) }
  try {
    const core = await parts.startCore(createNodeHost(folder), coreOptions)
    return ofCore(core, core.stop)
  } catch (thrown) {
    if (failureOf(thrown).kind !== 'folder_in_use') throw thrown
    if (connect && !('profile' in connect)) {
      tell('info', t('studio.notStored'))
      const { core, close } = await startTemporaryCore(parts, coreOptions)
      return ofCore(core, close)
    }
    const running = await runningStudio(folder)
    if (running === null) throw thrown
    if (connect) await mustUse(running, connect.profile)
    return running
  }
}

const ofCore = (core: RunningCore, close: () => Promise<void>): UsedStudio => ({
  client: createRouterClient(core.router),
  isShared: false,
  bytes: ({ body, ...rest }) => core.bytes({ ...rest, body: Readable.from(body ? [body] : []) }),
  close,
})

/** The running studio has one connection in use. @throws StudioError `bad_input` when it is not the wanted one */
async function mustUse(studio: UsedStudio, wanted: string): Promise<void> {
  const { connection } = await firstState(studio)
  const used = connection.profile
  if (used && (used.id === wanted || used.name === wanted)) return
  await studio.close()
  throw ownError(
    'bad_input',
    used ? t('studio.otherConnection', { used: used.name, wanted }) : t('studio.noConnection', { wanted }),
  )
}

/** The first app state, as a page receives it. */
export async function firstState(studio: Pick<UsedStudio, 'client'>): Promise<AppState> {
  for await (const state of await studio.client.app.watch()) return state
  throw new StudioError('bug', 'The core sent no state.')
}

/** The socket of the studio that runs on a data folder, or null. */
function socketOf(dataDir: string): string | null {
  const path = localSocketPath(dataDir)
  return path !== null && existsSync(path) && isPrivateFolder(dirname(path)) ? path : null
}

/** The studio that runs on a data folder, over its local socket. Null when none answers there. */
export async function runningStudio(dataDir: string): Promise<UsedStudio | null> {
  const path = socketOf(dataDir)
  if (path === null) return null
  const websocket = new WebSocket(`ws+unix:${path}:/rpc`, { perMessageDeflate: false })
  // Without a listener, a refused connection would end the process. `once` reports it.
  websocket.on('error', () => undefined)
  try {
    await once(websocket, 'open')
  } catch {
    return null
  }
  // Its listeners get events of `ws`, which have the same members.
  const link = new RPCLink({ websocket: websocket as unknown as globalThis.WebSocket })
  return {
    client: createORPCClient(link),
    isShared: true,
    bytes: (asked) => overSocket(path, asked),
    async close() {
      websocket.close()
      if (websocket.readyState !== WebSocket.CLOSED) await once(websocket, 'close')
    },
  }
}

/** An address of the page of the running studio, which works once, within a minute. @throws StudioError `no_such_item` for a studio without a page, or none */
export async function pageOfRunning(dataDir: string): Promise<string> {
  const path = socketOf(dataDir)
  const none = ownError('no_such_item', t('studio.noPage', { path: dataDir }))
  if (path === null) throw none
  const reply = await overSocket(path, {
    method: 'POST',
    path: addressPath,
    query: new URLSearchParams(),
    contentType: null,
    contentLength: 0,
    body: null,
  }).catch(() => null)
  if (!reply?.body) throw none
  if (reply.status !== 200) {
    throw ownError('no_such_item', t('studio.servesNoPage'))
  }
  return (await buffer(reply.body)).toString()
}

async function overSocket(
  socketPath: string,
  { method, path, query, contentType, body }: Parameters<UsedStudio['bytes']>[0],
): Promise<Pick<BytesReply, 'status' | 'body'>> {
  const sent = request({
    socketPath,
    method,
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    headers: { 'content-length': body?.length ?? 0, ...(contentType !== null && { 'content-type': contentType }) },
  })
  sent.end(body ?? undefined)
  const [reply] = await once(sent, 'response')
  return { status: reply.statusCode ?? 0, body: reply }
}

/** Uploads a file in parts, as a window does. Returns the id of the upload. @throws StudioError */
export async function upload(studio: UsedStudio, file: FileHandle, name: string): Promise<string> {
  const { size } = await file.stat()
  const { uploadId } = await studio.client.transfers.beginUpload({ name: name.slice(0, 300), bytes: size })
  for (let at = 0; at < size; at += partBytes) {
    const part = Buffer.alloc(Math.min(partBytes, size - at))
    const { bytesRead } = await file.read(part, 0, part.length, at)
    if (bytesRead < part.length) throw ownError('bad_input', t('file.shorter'))
    const reply = await studio.bytes({
      method: 'PUT',
      path: transferPath(uploadId),
      query: new URLSearchParams({ at: String(at) }),
      contentType: partType,
      contentLength: part.length,
      body: part,
    })
    const answer = reply.body && (await buffer(reply.body)).toString()
    if (reply.status !== 200) throw problemOf(answer)
  }
  return uploadId
}

/** The bytes of a download. @throws StudioError */
export async function download(studio: Pick<UsedStudio, 'bytes'>, downloadId: string): Promise<Readable> {
  const reply = await studio.bytes({
    method: 'GET',
    path: transferPath(downloadId),
    query: new URLSearchParams(),
    contentType: null,
    contentLength: null,
    body: null,
  })
  if (reply.status === 200 && reply.body) return reply.body
  throw problemOf(reply.body && (await buffer(reply.body)).toString())
}

/** The problem in a reply. Between two cores, such as during a restore, the socket refuses without one. */
function problemOf(answer: string | null): StudioError {
  if (!answer) return ownError('busy', t('studio.notReady'))
  const { kind, message }: Problem = JSON.parse(answer)
  return new StudioError(kind, message)
}
