import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { WebSocket } from 'ws'

export type Params = Record<string, unknown>

/** Chromium's DevTools protocol over one socket, sessions flattened. Emits `(method, params, sessionId)` as `event`. */
export class Cdp extends EventEmitter {
  readonly endpoint: string
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, { resolve: (result: Params) => void; reject: (error: Error) => void }>()
  #last = 0

  constructor(endpoint: string, socket: WebSocket) {
    super()
    this.endpoint = endpoint
    this.#socket = socket
    socket.on('message', (text) => {
      const message = JSON.parse(String(text))
      if (message.id === undefined) {
        this.emit('event', message.method, message.params, message.sessionId)
        return
      }
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.error) waiting?.reject(new Error(message.error.message))
      else waiting?.resolve(message.result)
    })
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Chromium has closed'))
      this.#waiting.clear()
    })
  }

  send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
  }
}

/** Starts Chromium on a profile of its own; it ends with this process. */
export async function startChromium(profile: string): Promise<Cdp> {
  const binary = process.env.PLAYWRIGHT_CHROMIUM ?? process.env.CHROME_PATH ?? '/usr/bin/chromium'
  const flags =
    '--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync ' +
    '--no-first-run --use-fake-device-for-media-stream --remote-debugging-port=0'
  const child = spawn(binary, [...flags.split(' '), `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let heard = ''
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (bytes) => {
      heard += String(bytes)
      const found = /DevTools listening on (ws:\S+)/.exec(heard)
      if (found?.[1]) resolve(found[1])
    })
    child.once('exit', () => reject(new Error(`Chromium ended: ${heard.slice(-500)}`)))
    child.once('error', reject)
  })
  const socket = new WebSocket(endpoint, { maxPayload: 2 ** 30 })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return new Cdp(endpoint, socket)
}
