import { homedir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { StudioError } from '../../../errors.ts'
import { isSystemError } from '../../../shared/diskProblem.ts'
import { startProblem } from '../../../shared/startProblem.ts'
import { inBackground } from '../../../shared/unexpected.ts'
import type { ToolLimits } from '../limits.ts'
import { endGroup, pathForServers, serverEnvironment, spawnServer } from './process.ts'

/** Messages processed before the event loop runs. */
const atOnce = 50
/**
 * Wait for output after exit, ms. A child process may keep the pipe open, but the output of the server itself has
 * arrived by then.
 */
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
 * The stdio transport of the Model Context Protocol. The transport of the library has no process groups, so processes
 * that a server starts (`npx` starts a shell, which starts node) would keep running.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  /** The library recognizes a stdio transport by this and `pid`. */
  readonly stderr = null
  /** How the process ended, such as `with code 1`. Null while it runs. */
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

  /** Starts the process. @throws StudioError `bad_input` if the command or folder does not exist, or an argument can’t be passed on */
  async start(): Promise<void> {
    const { command, args, env, onStderr } = this.#options
    const cwd = this.#options.cwd ?? homedir()
    const path = await pathForServers()
    if (this.#closing) throw new StudioError('cancelled', 'It was switched off.')
    const environment = serverEnvironment(env, path)
    const problemOf = (thrown: unknown): StudioError => startProblem(thrown, command, { path: environment.PATH, cwd })
    let child: ReturnType<typeof spawnServer>
    try {
      child = spawnServer(command, args, environment, cwd)
    } catch (thrown) {
      // Node throws some errors of the system at once, and emits the others.
      throw isSystemError(thrown) ? problemOf(thrown) : thrown
    }
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
      child.once('error', (error) => reject(problemOf(error)))
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

  /** Returns the reason of a broken pipe. Waits briefly for the exit of the process, because its exit status explains more. */
  async #whyBroken(error: Error): Promise<Error> {
    for (const until = performance.now() + 2 * lastWordsMs; this.ended === null && performance.now() < until; ) {
      await pause(10)
    }
    return this.ended === null
      ? error
      : new StudioError('connection_lost', `It ended ${this.ended}.`, {}, { cause: error })
  }

  /** Resolves when the process and all its child processes have ended (bounded). */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    if (this.#child) await endGroup(this.#child, this.#options.limits)
    this.#gone('on request')
  }

  #gone(how: string): void {
    if (this.ended !== null) return
    this.ended = how
    this.#drain()
    this.#buffer.clear()
    this.#child?.stdout.destroy()
    this.#child?.stderr.destroy()
    // Ends the remaining processes of the group.
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

  /** Delivers messages, with a pause for the event loop after every `atOnce` messages. */
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
