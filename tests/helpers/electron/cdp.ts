import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { WebSocket } from 'ws'
import * as z from 'zod'

export type Params = Record<string, unknown>

const message = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
  sessionId: z.string().optional(),
  result: z.record(z.string(), z.unknown()).default({}),
  error: z.object({ message: z.string() }).optional(),
})

/** Chromium's DevTools protocol over one socket, with flat sessions. Emits `event` with `(method, params, sessionId)`. */
export class Cdp extends EventEmitter {
  readonly endpoint: string
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, { resolve: (result: Params) => void; reject: (error: Error) => void }>()
  #last = 0

  constructor(endpoint: string, socket: WebSocket) {
    super()
    // One for each page.
    this.setMaxListeners(0)
    this.endpoint = endpoint
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') return
      const { id, method, params, sessionId, result, error } = message.parse(JSON.parse(data))
      if (id === undefined) {
        this.emit('event', method, params, sessionId)
        return
      }
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error) waiting?.reject(new Error(error.message))
      else waiting?.resolve(result)
    })
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Chromium has closed'))
      this.#waiting.clear()
    })
  }

  send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('Chromium has closed'))
    this.#last += 1
    const id = this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
  }
}

/** Starts Chromium without a window, on its own profile. `end` closes it. It also ends with this process. */
export async function startChromium(
  profile: string,
  isFull: boolean,
  extra: readonly string[] = [],
): Promise<{ cdp: Cdp; end(): Promise<void> }> {
  // Imported now: the module waits while it is loaded, and a program may load this replacement of Electron with `require`, which forbids that.
  const { chromiumArgs, findBrowser, findPageBrowser } = await import('../browser.mjs')
  const binary = await (isFull ? findBrowser() : findPageBrowser())
  if (binary === null) throw new Error('No Chromium is here for the stand-in: set STUDIO_BROWSER to one.')
  const flags = [
    ...chromiumArgs,
    ...extra,
    '--headless=new',
    '--no-startup-window',
    '--disable-popup-blocking',
    '--use-fake-device-for-media-stream',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ]
  const child = spawn(binary, flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  let heard = ''
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (bytes: Buffer) => {
      heard += bytes
      const found = /DevTools listening on (ws:\S+)/.exec(heard)
      if (found?.[1]) resolve(found[1])
    })
    child.once('exit', () => reject(new Error(`Chromium ended: ${heard.slice(-500)}`)))
    child.once('error', reject)
  })
  // Compression between two processes of one computer costs a fifth of this process's time.
  const socket = new WebSocket(endpoint, { maxPayload: 2 ** 30, perMessageDeflate: false })
  await once(socket, 'open')
  const cdp = new Cdp(endpoint, socket)
  return {
    cdp,
    async end() {
      const ended = once(child, 'exit')
      cdp.send('Browser.close').catch(kill)
      await ended
    },
  }
}
