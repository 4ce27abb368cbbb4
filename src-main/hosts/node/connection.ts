import { and, t } from '../../../src-renderer/i18n/cli.ts'
import { type KeySource, keySourceFault, readApiKey, usualKeyVariable } from './apiKey.ts'

/** Options of `serve`, `chat` and `doctor` that choose the service for this run. */
export interface ConnectionOptions extends KeySource {
  sandbox?: boolean
  /** Name or id of a stored connection. */
  connection?: string
  baseUrl?: string
}

/**
 * The connection that the options name, or null for the stored connection in use.
 * Call it once: an environment variable or a pipe gives its key only once.
 * @throws StudioError `bad_input` as `readApiKey`
 */
export async function connectionFrom(
  options: ConnectionOptions,
): Promise<{ sandbox: true } | { profile: string } | { baseUrl: string; apiKey: string } | null> {
  if (options.sandbox) return { sandbox: true }
  if (options.connection !== undefined) return { profile: options.connection }
  if (options.baseUrl === undefined) return null
  return { baseUrl: options.baseUrl, apiKey: await readApiKey({ apiKeyEnv: usualKeyVariable, ...options }) }
}

/** The first invalid combination of options as a sentence, or null. A usage error (exit code 2). */
export function connectionUsageFault(options: ConnectionOptions): string | null {
  const asked = [
    ...(options.sandbox ? ['--sandbox'] : []),
    ...(options.connection === undefined ? [] : ['--connection']),
    ...(options.baseUrl === undefined ? [] : ['--base-url']),
  ]
  if (asked.length > 1) return t('usage.together', { options: and(asked) })
  return keySourceFault(options, options.baseUrl !== undefined)
}
