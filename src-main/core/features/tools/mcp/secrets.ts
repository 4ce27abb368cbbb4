import type { McpTransport } from '../../../../../src-preload/contract/tools.ts'
import { asStudioError, StudioError } from '../../../errors.ts'
import type { SecretStore } from '../../../host.ts'
import { redactor } from './log.ts'

/** Keychain account of a value. */
const account = (serverId: string, name: string): string => `mcp:${serverId}:${name}`

/** Names of the variables or headers whose values are secret. */
export const secretNames = (transport: McpTransport): readonly string[] =>
  transport.kind === 'stdio' ? transport.env : transport.headers

/** Keychain accounts of all secret values of a server. */
export const secretAccounts = (id: string, transport: McpTransport): string[] =>
  secretNames(transport).map((name) => account(id, name))

/**
 * The secret values of servers: in the keychain, or on a computer without one in memory until the program ends. A locked keychain is an
 * error, because the person can unlock it.
 */
export class ServerSecrets implements Pick<SecretStore, 'get' | 'set' | 'delete'> {
  readonly #keychain: SecretStore
  readonly #held = new Map<string, string>()

  constructor(keychain: SecretStore) {
    this.#keychain = keychain
  }

  /** @throws StudioError `keychain_locked` */
  async get(name: string): Promise<string | null> {
    return this.#held.get(name) ?? (await this.#keychain.get(name).catch(nullWithoutKeychain))
  }

  /** @throws StudioError `keychain_locked` */
  async set(name: string, secret: string): Promise<void> {
    const stored = await this.#keychain.set(name, secret).then(() => true, nullWithoutKeychain)
    if (stored) this.#held.delete(name)
    else this.#held.set(name, secret)
  }

  /** @throws StudioError `keychain_locked`; `keychain_missing` for a value that is not in memory: it may be in a keychain that has disappeared */
  async delete(name: string): Promise<void> {
    const isHeld = this.#held.delete(name)
    await this.#keychain.delete(name).catch((thrown: unknown) => {
      if (!isHeld) throw thrown
      nullWithoutKeychain(thrown)
    })
  }

  /** Whether values of a server are lost when the program ends. */
  holds(id: string, transport: McpTransport): boolean {
    return secretAccounts(id, transport).some((name) => this.#held.has(name))
  }
}

/** A data folder may come from a computer with a keychain. */
export function nullWithoutKeychain(thrown: unknown): null {
  if (asStudioError(thrown).kind === 'keychain_missing') return null
  throw thrown
}

/**
 * Reads all secret values of a server. @throws StudioError `bad_input` if a value is missing, `keychain_locked`
 */
export async function readSecrets(
  store: Pick<SecretStore, 'get'>,
  id: string,
  transport: McpTransport,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const name of secretNames(transport)) {
    const value = await store.get(account(id, name))
    if (value === null) throw new StudioError('bad_input', `No value of ${name} was found. Enter it again.`)
    values[name] = value
  }
  return values
}

/**
 * Stores the given values, and checks that the others are stored already.
 * @throws StudioError `bad_input`, `keychain_locked`
 */
export async function saveSecrets(
  store: Pick<SecretStore, 'get' | 'set'>,
  id: string,
  transport: McpTransport,
  given: Readonly<Record<string, string | null>>,
): Promise<void> {
  const names = secretNames(transport)
  for (const name of names) {
    const value = Object.hasOwn(given, name) ? given[name] : null
    if (transport.kind === 'http' && value && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new StudioError('bad_input', `The value of ${name} has characters that a header cannot have.`)
    }
    if (value?.includes('\0'))
      throw new StudioError('bad_input', `The value of ${name} has a character that is not allowed.`)
    if (!value && (await store.get(account(id, name))) === null) {
      throw new StudioError('bad_input', `${name} needs a value.`)
    }
  }
  for (const name of names) {
    const value = Object.hasOwn(given, name) ? given[name] : null
    if (value) await store.set(account(id, name), value)
  }
}

/** Deletes the values of these names. @throws StudioError `keychain_missing`, `keychain_locked` */
export async function forgetSecrets(
  store: Pick<SecretStore, 'delete'>,
  id: string,
  names: readonly string[],
): Promise<void> {
  for (const name of names) await store.delete(account(id, name))
}

/** Removes the secrets of a server from text. */
export interface Secrecy {
  /** For errors and the log: removes every value. */
  words(text: string): string
  /**
   * For results: removes only values of headers and of variables with a secret-sounding name. Other variables may be a folder or a switch,
   * and a result without these values would be wrong.
   */
  result(text: string): string
}

const secretName = /key|token|secret|pass|auth|credential|cookie|session/i

/** Redaction of a server without secrets. */
export const noSecrets: Secrecy = { words: redactor([]), result: redactor([]) }

/** Creates the redaction for the secret values of a server. @param tokens values that are always secret */
export function secrecyOf(
  { kind }: McpTransport,
  secrets: Readonly<Record<string, string>>,
  tokens: readonly string[],
): Secrecy {
  const named = Object.entries(secrets).filter(([name]) => kind === 'http' || secretName.test(name))
  return {
    words: redactor([...Object.values(secrets), ...tokens]),
    result: redactor([...named.map(([, value]) => value), ...tokens]),
  }
}
