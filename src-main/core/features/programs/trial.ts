import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { ProgramTrial } from '../../../../src-preload/contract/programs.ts'
import { StudioError } from '../../errors.ts'
import { withoutSecrets } from '../../shared/secrets.ts'
import { shellWord } from './definition.ts'

/** How long a program may take, ms. */
export const trialMs = 120_000
/** Most output that is kept, bytes. */
const maxOutput = 64 * 1024
/** How long a program may take to end after it was asked to, ms. */
const killMs = 3000

export interface TrialCommand {
  /** Absolute path of the program. */
  command: string
  args: readonly string[]
  /** Its whole environment. */
  env: Readonly<Record<string, string | undefined>>
  /** Default: `trialMs`. */
  timeoutMs?: number
}

/** An argument that a batch file of Windows takes literally. */
const plainArgument = /^[\w ./:@=,-]*$/

/**
 * Runs a program in an empty temporary folder, without input, until it ends or its time is over. Its process group ends with it.
 * @throws StudioError `cancelled` when the signal aborts, `bad_input` when it can't be started
 */
export async function runTrial(
  { command, args, env, timeoutMs = trialMs }: TrialCommand,
  signal?: AbortSignal,
): Promise<Omit<ProgramTrial, 'requests'>> {
  const isBatch = /\.(?:cmd|bat)$/i.test(command)
  if (isBatch && !args.every((one) => plainArgument.test(one))) {
    throw new StudioError(
      'bad_input',
      'The name of the model has characters that can’t be given to this program here. Try it in a terminal.',
    )
  }
  const folder = await mkdtemp(join(tmpdir(), 'inference-studio-trial-'))
  try {
    const child = spawn(isBatch ? `"${command}"` : command, isBatch ? args.map((one) => `"${one}"`) : args, {
      cwd: folder,
      env,
      shell: isBatch,
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = collect(child)
    const { exitCode, ended } = await untilEnd(child, timeoutMs, signal)
    const line = [command, ...args].map((one) => (/^[\w./:@=-]+$/.test(one) ? one : shellWord(one))).join(' ')
    return { command: line, exitCode, ended, output: withoutSecrets(output()) }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
  }
}

/** Standard output and error in the order of arrival. What is too much is dropped from the end. */
function collect(child: ChildProcess): () => string {
  const chunks: Buffer[] = []
  let size = 0
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      if (size < maxOutput) chunks.push(chunk.subarray(0, maxOutput - size))
      size += chunk.length
    })
  }
  return () => stripVTControlCharacters(Buffer.concat(chunks).toString('utf8'))
}

function untilEnd(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Pick<ProgramTrial, 'exitCode' | 'ended'>> {
  const { promise, resolve, reject } = Promise.withResolvers<Pick<ProgramTrial, 'exitCode' | 'ended'>>()
  let ended: ProgramTrial['ended'] = 'exited'
  let killer: NodeJS.Timeout | undefined
  const stop = (): void => {
    endGroup(child, 'SIGTERM')
    killer = setTimeout(() => endGroup(child, 'SIGKILL'), killMs)
  }
  const timer = setTimeout(() => {
    ended = 'deadline'
    stop()
  }, timeoutMs)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  child.once('error', (thrown) =>
    reject(
      new StudioError('bad_input', `${child.spawnfile} can’t be started: ${thrown.message}.`, {}, { cause: thrown }),
    ),
  )
  // After `exit`, its children may keep the output open.
  child.once('exit', (exitCode) => {
    endGroup(child, 'SIGKILL')
    setImmediate(() => {
      if (signal?.aborted) reject(new StudioError('cancelled', 'The trial was cancelled.'))
      else resolve({ exitCode, ended })
    })
  })
  return promise.finally(() => {
    clearTimeout(timer)
    clearTimeout(killer)
    signal?.removeEventListener('abort', stop)
  })
}

function endGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(name)
    else process.kill(-child.pid, name)
  } catch {
    // It has ended.
  }
}
