import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { StudioError } from '../../../errors.ts'
import { inBackground } from '../../../shared/unexpected.ts'
import type { ToolLimits } from '../limits.ts'
import { endGroup, serverEnvironment, spawnServer } from './process.ts'

/** Messages that are worked on before others of this program get their turn. */
const atOnce = 50
/** Something that it started may hold the pipe of a process that has ended; what it wrote itself is there by then. */
const lastWordsMs = 500

export interface StdioOptions {
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string | null
  onStderr: (chunk: Uint8Array) => void
  limits: ToolLimits
}

/**
 * The stdio transport of the Model Context Protocol. The one of the library knows no process groups, so that what a server starts
 * (`npx` starts a shell, that starts node) would stay.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  /** By this and `pid` the library knows the transport for one over pipes. */
  readonly stderr = null
  /** How it ended, in words; null while it runs. */
  ended: string | null = null
  readonly #options: StdioOptions
  readonly #buffer: ReadBuffer
  #child: ReturnType<typeof spawnServer> | null = null
  #closing: Promise<void> | null = null

  constructor(options: StdioOptions) {
    this.#options = options
    this.#buffer = new ReadBuffer({ maxBufferSize: options.limits.messageBytes })
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  /** @throws StudioError `bad_input` where there is no such command or folder */
  async start(): Promise<void> {
    const { command, args, env, onStderr } = this.#options
    const cwd = this.#options.cwd ?? homedir()
    if (!existsSync(cwd)) throw new StudioError('bad_input', `The folder ${cwd} does not exist.`)
    if (this.#closing) throw new StudioError('cancelled', 'It was switched off.')
    const child = spawnServer(command, args, serverEnvironment(env), cwd)
    this.#child = child
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    child.stderr.on('data', onStderr)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', (error) => this.onerror?.(error))
    child.once('exit', (code, signal) => {
      const gone = (): void => this.#gone(signal === null ? `with code ${code}` : `by ${signal}`)
      const timer = setTimeout(gone, lastWordsMs)
      child.once('close', () => {
        clearTimeout(timer)
        gone()
      })
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error) => reject(notStarted(command, error)))
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (!stdin?.writable) return Promise.reject(new StudioError('connection_lost', 'It has ended.'))
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => {
        if (error) this.#whyBroken(error).then(reject, reject)
        else resolve()
      })
    })
  }

  /** A pipe breaks a moment before its process is known to have ended; how it ended says more. */
  async #whyBroken(error: Error): Promise<Error> {
    for (const until = performance.now() + 2 * lastWordsMs; this.ended === null && performance.now() < until; ) {
      await pause(10)
    }
    return this.ended === null
      ? error
      : new StudioError('connection_lost', `It ended ${this.ended}.`, {}, { cause: error })
  }

  /** Resolves when the process and all that it started are gone (bounded). */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    if (this.#child) await endGroup(this.#child, this.#options.limits)
    this.#gone('when it was told to')
  }

  #gone(how: string): void {
    if (this.ended !== null) return
    this.ended = how
    this.#drain()
    this.#buffer.clear()
    this.#child?.stdout.destroy()
    this.#child?.stderr.destroy()
    // Whatever it left behind in its group.
    this.close().catch((thrown: unknown) => this.#complain(thrown))
    this.onclose?.()
  }

  #take(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk)
    } catch {
      const most = this.#options.limits.messageBytes
      this.onerror?.(new StudioError('malformed_reply', `It sent a message of more than ${most} bytes.`))
      inBackground('A server could not be ended', this.close())
      return
    }
    this.#drain()
  }

  /** Each message on; after some of them, others go first. */
  #drain(): void {
    for (let count = 0; count < atOnce; count++) {
      try {
        const message = this.#buffer.readMessage()
        if (message === null) return
        this.onmessage?.(message)
      } catch (thrown) {
        this.#complain(thrown)
      }
    }
    this.#child?.stdout.pause()
    setImmediate(() => {
      this.#child?.stdout.resume()
      this.#drain()
    })
  }

  #complain(thrown: unknown): void {
    this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)))
  }
}

function notStarted(command: string, error: Error): StudioError {
  const code = 'code' in error ? error.code : null
  if (code === 'ENOENT') return new StudioError('bad_input', `The command “${command}” was not found on this machine.`)
  if (code === 'EACCES') return new StudioError('bad_input', `The command “${command}” may not be run.`)
  return new StudioError('bad_input', `The command “${command}” could not be started: ${error.message}.`)
}
