import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { StudioError } from '../../core/errors.ts'
import { keyFromEnvironment } from './output.ts'

/** What `serve`, `chat` and `doctor` take to say where requests go for this run. */
export interface ConnectionOptions {
  sandbox?: boolean
  /** Name or id of a stored one. */
  connection?: string
  baseUrl?: string
  apiKeyEnv?: string
}

/** Where an address was given without the name of a variable, the key is looked for here. */
export const usualKeyVariable = 'INFERENCE_STUDIO_API_KEY'

/**
 * The connection asked for, or null for the stored one.
 * @throws StudioError `bad_input` for a missing variable or a combination that means nothing
 */
export function connectionFrom(
  options: ConnectionOptions,
): { sandbox: true } | { profile: string } | { baseUrl: string; apiKey: string } | null {
  if (options.sandbox) return { sandbox: true }
  if (options.connection !== undefined) return { profile: options.connection }
  if (options.baseUrl === undefined) return null
  return { baseUrl: options.baseUrl, apiKey: keyFromEnvironment(options.apiKeyEnv ?? usualKeyVariable) }
}

/** The first fault of the combination, in words, or null: a usage error, not a failure. */
export function connectionUsageFault(options: ConnectionOptions): string | null {
  const asked = [
    ...(options.sandbox ? ['--sandbox'] : []),
    ...(options.connection === undefined ? [] : ['--connection']),
    ...(options.baseUrl === undefined ? [] : ['--base-url']),
  ]
  if (asked.length > 1) return `${asked.join(' and ')} exclude each other.`
  if (options.apiKeyEnv !== undefined && options.baseUrl === undefined) return '--api-key-env needs --base-url.'
  return null
}

/**
 * A key that is typed (it is not shown) or piped in.
 * @throws StudioError `bad_input` when there is none, `cancelled` by Ctrl-C
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
    if (text.length > 8192) throw new StudioError('bad_input', 'This is too long for an API key.')
  }
  return text
}

/** One line from the terminal, which readline edits and echoes to nowhere. */
async function typedUnseen(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  // Not before: until readline has taken the terminal over, the terminal itself echoes.
  process.stderr.write(prompt)
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => reject(new StudioError('cancelled', 'Cancelled.')))
      // Ctrl-D: nothing was given.
      lines.once('close', () => resolve(''))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
