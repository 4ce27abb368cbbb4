import type { McpTransport } from '../../../../../src-preload/contract/tools.ts'
import { StudioError } from '../../../errors.ts'
import type { SecretStore } from '../../../host.ts'
import { redactor } from './log.ts'

/** A value's account in the keychain. */
const account = (serverId: string, name: string): string => `mcp:${serverId}:${name}`

/** Variables or headers whose values are secret. */
export const secretNames = (transport: McpTransport): readonly string[] =>
  transport.kind === 'stdio' ? transport.env : transport.headers

/** @throws StudioError `bad_input` where a value is missing, `keychain_missing`, `keychain_locked` */
export async function readSecrets(
  store: SecretStore,
  id: string,
  transport: McpTransport,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const name of secretNames(transport)) {
    const value = await store.get(account(id, name))
    if (value === null) throw new StudioError('bad_input', `The keychain has no value for ${name}: give it anew.`)
    values[name] = value
  }
  return values
}

/**
 * Keeps the given values, and checks that those not given are kept already.
 * @throws StudioError `bad_input`, `keychain_missing`, `keychain_locked`
 */
export async function saveSecrets(
  store: SecretStore,
  id: string,
  transport: McpTransport,
  given: Readonly<Record<string, string | null>>,
): Promise<void> {
  const names = secretNames(transport)
  for (const name of names) {
    const value = Object.hasOwn(given, name) ? given[name] : null
    if (transport.kind === 'http' && value && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new StudioError('bad_input', `The value of ${name} has characters that no header can have.`)
    }
    if (value?.includes('\0'))
      throw new StudioError('bad_input', `The value of ${name} has a character that it can’t have.`)
    if (!value && (await store.get(account(id, name))) === null) {
      throw new StudioError('bad_input', `${name} needs a value.`)
    }
  }
  for (const name of names) {
    const value = Object.hasOwn(given, name) ? given[name] : null
    if (value) await store.set(account(id, name), value)
  }
}

/** Takes back the values of these names. @throws StudioError `keychain_missing`, `keychain_locked` */
export async function forgetSecrets(store: SecretStore, id: string, names: readonly string[]): Promise<void> {
  for (const name of names) await store.delete(account(id, name))
}

/** Takes a server's secrets out of words. */
export interface Secrecy {
  /** Of errors and its log: every value. */
  words(text: string): string
  /**
   * Of results: what is a secret by its name. Not every value of the environment: a folder or a switch is one too, and a result that lacks
   * them is wrong.
   */
  result(text: string): string
}

const secretName = /key|token|secret|pass|auth|credential|cookie|session/i

export const noSecrets: Secrecy = { words: redactor([]), result: redactor([]) }

export function secrecyOf({ kind }: McpTransport, secrets: Readonly<Record<string, string>>): Secrecy {
  const named = Object.entries(secrets).filter(([name]) => kind === 'http' || secretName.test(name))
  return { words: redactor(Object.values(secrets)), result: redactor(named.map(([, value]) => value)) }
}
