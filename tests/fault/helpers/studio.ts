import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { type Answer, readAnswer } from '../../helpers/appRequest.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const program = fileURLToPath(new URL('../../core/helpers/serveForever.ts', import.meta.url))

/** The result of a procedure, or its error. */
export type CallAnswer<T> =
  | { result: T; problem?: undefined }
  | { result?: undefined; problem: { kind: string; message: string } }

export interface Facts {
  pauseMs: number
  uncaught: string[]
  lines: string[]
}

/** A whole core in a separate process, and its local /v1 as an app uses it. */
export class Studio {
  readonly proxy: string
  readonly #key: string
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>()
  /** Opened early, because an existing connection needs no further file descriptor. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 40 })
  #last = 0

  private constructor(child: ChildProcess, ready: { proxy: string; key: string }) {
    this.#process = child
    this.proxy = ready.proxy
    this.#key = ready.key
  }

  static async start(
    dataDir: string,
    service: { baseUrl: string; apiKey: string },
    mostFiles?: number,
  ): Promise<Studio> {
    const args = [process.execPath, program, dataDir, service.baseUrl, service.apiKey]
    // The shell lowers its own limit, which the program inherits.
    const limited = ['/bin/sh', '-c', `ulimit -n ${mostFiles} && exec "$@"`, 'sh', ...args]
    const [command = '', ...rest] = mostFiles === undefined ? args : limited
    const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
    // A test that ran out of time may still write after its studio was killed.
    child.stdin.on('error', () => undefined)
    const lines = createInterface({ input: child.stdout })
    const first = await Promise.race([once(lines, 'line'), once(child, 'exit')])
    if (typeof first[0] !== 'string') throw new Error('The studio did not start.')
    const studio = new Studio(child, JSON.parse(first[0]))
    lines.on('line', (line) => {
      const { id, ...answer } = JSON.parse(line)
      studio.#waiting.get(id)?.resolve(answer as never)
      studio.#waiting.delete(id)
    })
    child.once('exit', () => {
      for (const { reject } of studio.#waiting.values()) reject(new Error('The studio has ended.'))
    })
    return studio
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Sends a command to the process and resolves to its answer. */
  command<T>(what: string, more: object = {}): Promise<CallAnswer<T>> {
    this.#last += 1
    const id = this.#last
    const answered = new Promise<CallAnswer<T>>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
    this.#process.stdin?.write(`${JSON.stringify({ id, do: what, ...more })}\n`)
    return answered
  }

  /** Calls a procedure of the contract, such as `app.updateSettings`. */
  call<T>(path: string, input: unknown): Promise<CallAnswer<T>> {
    return this.command<T>('call', { path: path.split('.'), input })
  }

  async facts(): Promise<Facts> {
    return (await this.command<Facts>('facts')).result ?? { pauseMs: 0, uncaught: [], lines: [] }
  }

  /** Sends a request like an app. @param body is sent as JSON */
  ask(body: object, path = '/chat/completions'): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' }
    const from = performance.now()
    return new Promise((resolve) => {
      const failed = (error: Error): void =>
        resolve({ status: 0, headers: {}, text: error.message, whole: false, firstMs: performance.now() - from })
      const sent = httpRequest(`${this.proxy}${path}`, { method: 'POST', headers, agent: this.#agent }, (response) => {
        const firstMs = performance.now() - from
        void readAnswer(response).then(({ body, ...reply }) => resolve({ ...reply, text: body.toString(), firstMs }))
      })
      sent.once('error', failed)
      sent.end(JSON.stringify(body))
    })
  }

  /** Ends the process properly and returns its exit code. */
  async stop(): Promise<number | null> {
    if (!this.isAlive) return this.#process.exitCode
    const exited = once(this.#process, 'exit')
    this.command('stop').catch(() => undefined)
    await exited
    this.#agent.destroy()
    return this.#process.exitCode
  }

  async kill(): Promise<void> {
    if (!this.isAlive) return
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
    this.#agent.destroy()
  }
}

export interface Reply extends Omit<Answer, 'body'> {
  /** The body, or why there was no reply. */
  text: string
  /** Time from the request to the head of the reply, ms. */
  firstMs: number
}

/** A fault that prevents writes, and how to end it. */
export interface Fault {
  begin(): Promise<void> | void
  end(): Promise<void> | void
}

/** Another program with an open edit of one of the databases. */
export function lockOf(dataDir: string, name: string): Fault {
  let handle: DatabaseSync | null = null
  return {
    begin() {
      handle = new DatabaseSync(join(dataDir, `${name}.sqlite`), { timeout: 10_000 })
      handle.exec('BEGIN IMMEDIATE')
    },
    end() {
      handle?.exec('ROLLBACK')
      handle?.close()
      handle = null
    },
  }
}

/** A data folder on a separate disk of this many MB, or null when this user may not mount one. */
export function smallDisk(megabytes: number): { dataDir: string; full: Fault; leave(): void } | null {
  const disk = temporaryFolder('studio-disk-')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    rmSync(disk, { recursive: true })
    return null
  }
  const dataDir = join(disk, 'data')
  mkdirSync(dataDir)
  const other = join(disk, 'other')
  return {
    dataDir,
    full: {
      begin() {
        // The studio also writes, so this repeats until no space is left.
        const file = openSync(other, 'w')
        try {
          for (const piece = Buffer.alloc(65_536); ; ) writeSync(file, piece)
        } catch (thrown) {
          if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) throw thrown
        } finally {
          closeSync(file)
        }
      },
      end: () => rmSync(other),
    },
    leave() {
      execFileSync('umount', ['-l', disk])
      rmSync(disk, { recursive: true, force: true })
    },
  }
}
