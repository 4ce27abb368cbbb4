import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { StudioError } from '../../core/errors.ts'
import { keyFromEnvironment } from './output.ts'

/** Options of `serve`, `chat` and `doctor` that choose the service for this run. */
export interface ConnectionOptions {
  sandbox?: boolean
  /** Name or id of a stored connection. */
  connection?: string
  baseUrl?: string
  apiKeyEnv?: string
}

/** Environment variable with the API key when `--base-url` is given without `--api-key-env`. */
export const usualKeyVariable = 'INFERENCE_STUDIO_API_KEY'

/**
 * The connection that the options name, or null for the stored connection in use.
 * @throws StudioError `bad_input` when the environment variable is not set
 */
export function connectionFrom(
  options: ConnectionOptions,
): { sandbox: true } | { profile: string } | { baseUrl: string; apiKey: string } | null {
  if (options.sandbox) return { sandbox: true }
  if (options.connection !== undefined) return { profile: options.connection }
  if (options.baseUrl === undefined) return null
  return { baseUrl: options.baseUrl, apiKey: keyFromEnvironment(options.apiKeyEnv ?? usualKeyVariable) }
}

/** The first invalid combination of options as a sentence, or null. A usage error (exit code 2). */
export function connectionUsageFault(options: ConnectionOptions): string | null {
  const asked = [
    ...(options.sandbox ? ['--sandbox'] : []),
    ...(options.connection === undefined ? [] : ['--connection']),
    ...(options.baseUrl === undefined ? [] : ['--base-url']),
  ]
  if (asked.length > 1) return `${asked.join(' and ')} can’t be used together.`
  if (options.apiKeyEnv !== undefined && options.baseUrl === undefined) return '--api-key-env needs --base-url.'
  return null
}

/**
 * Reads an API key from a pipe, or from the terminal without showing it.
 * @throws StudioError `bad_input` for an empty or too long key, `cancelled` by Ctrl-C
 */
export async function keyFromStandardInput(): Promise<string> {
  const key = (process.stdin.isTTY ? await typedUnseen('API key: ') : await pipedIn()).trim()
  if (key === '') throw new StudioError('bad_input', 'Give the API key on standard input, or use --api-key-env.')
  return key
}

async function pipedIn(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > 8192) throw new StudioError('bad_input', 'The API key is too long: at most 8192 characters.')
  }
  return text
}

/** Reads one line from the terminal. Readline edits it and its echo is discarded. */
async function typedUnseen(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  // Printed after readline has taken over: until then the terminal itself echoes what is typed.
  process.stderr.write(prompt)
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => reject(new StudioError('cancelled', 'Cancelled.')))
      // Ctrl-D: empty input.
      lines.once('close', () => resolve(''))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
