import { webcrypto } from 'node:crypto'
import { inspect } from 'node:util'
import type { SealedKey } from '../../../src-preload/contract/connection.ts'
import { StudioError } from '../errors.ts'
import type { SecretStore } from '../host.ts'
import type { HeaderPairs } from './headers.ts'
import { Mask } from './reply/mask.ts'

/** Characters. A longer key does not fit into a header. */
const maxKeyLength = 4096
/** Shorter keys, such as the `ollama` of local servers, are not masked: that would mask ordinary words. They are accepted in local networks only. */
const minSecretLength = 8

/** The API key. No code outside this folder can read it: every way to print it gives a placeholder. */
export class Credential {
  readonly #key: string
  readonly #mask: Mask

  private constructor(key: string) {
    this.#key = key
    this.#mask = new Mask(this.isShort ? null : key)
  }

  /** @throws StudioError `bad_input`, which never quotes the text */
  static fromText(text: string): Credential {
    const key = text.trim().replace(/^bearer\s+/i, '')
    if (key === '') throw new StudioError('bad_input', 'Enter an API key.')
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new StudioError('bad_input', 'This API key has spaces or characters that can’t be part of a key.')
    }
    if (key.length > maxKeyLength) throw new StudioError('bad_input', 'This API key is too long.')
    return new Credential(key)
  }

  /** No key, for services that need none. Requests then have no `authorization` header. */
  static readonly none = new Credential('')

  get isNone(): boolean {
    return this.#key === ''
  }

  /** Whether the key is too short to be recognised in data of the service. */
  get isShort(): boolean {
    return this.#key.length < minSecretLength
  }

  /** The `authorization` header, or nothing without a key. Only for this folder. */
  headers(): HeaderPairs {
    return this.isNone ? [] : [['authorization', `Bearer ${this.#key}`]]
  }

  /** Stores the key in the keychain. @throws StudioError `keychain_missing`, `keychain_locked` */
  async store(secrets: SecretStore, account: string): Promise<void> {
    await secrets.set(account, this.#key)
  }

  /** Masks the key in data of the service. */
  get mask(): Mask {
    return this.#mask
  }

  /** Replaces the key with `[key]`. */
  redact(text: string): string {
    return this.#mask.text(text)
  }

  toString(): string {
    return '[credential]'
  }

  toJSON(): string {
    return '[credential]'
  }

  [inspect.custom](): string {
    return '[credential]'
  }
}

/**
 * Loads a key, or null when the keychain has none for this account.
 * @throws StudioError `keychain_missing`, `keychain_locked`, `bad_input` (the entry is not a key)
 */
export async function loadCredential(secrets: SecretStore, account: string): Promise<Credential | null> {
  const text = await secrets.get(account)
  return text === null ? null : Credential.fromText(text)
}

// Sealing: ECDH P-256, HKDF-SHA-256, AES-256-GCM. The page's half is src-renderer/api/seal.ts.

let pair: Promise<webcrypto.CryptoKeyPair> | undefined

function sealingPair(): Promise<webcrypto.CryptoKeyPair> {
  pair ??= webcrypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
  return pair
}

/** This process's public key (raw P-256 point, base64), created on first use and never stored. */
export async function sealingPublicKey(): Promise<string> {
  return Buffer.from(await rawPublicKey()).toString('base64')
}

async function rawPublicKey(): Promise<ArrayBuffer> {
  return webcrypto.subtle.exportKey('raw', (await sealingPair()).publicKey)
}

/** @throws StudioError `bad_input` when the data was not sealed for this process or contains no key */
export async function unseal(sealed: SealedKey): Promise<Credential> {
  let text: string
  try {
    const pagePoint = Buffer.from(sealed.from, 'base64')
    const ours = Buffer.from(await rawPublicKey())
    const page = await webcrypto.subtle.importKey('raw', pagePoint, { name: 'ECDH', namedCurve: 'P-256' }, false, [])
    const shared = await webcrypto.subtle.deriveBits(
      { name: 'ECDH', public: page },
      (await sealingPair()).privateKey,
      256,
    )
    const secret = await webcrypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey'])
    const key = await webcrypto.subtle.deriveKey(
      {
        name: 'HKDF',
        hash: 'SHA-256',
        salt: Buffer.concat([pagePoint, ours]),
        info: Buffer.from('inference-studio key'),
      },
      secret,
      { name: 'AES-GCM', length: 256 },
      false,
      ['decrypt'],
    )
    const iv = Buffer.from(sealed.iv, 'base64')
    const plain = await webcrypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, Buffer.from(sealed.data, 'base64'))
    text = new TextDecoder('utf-8', { fatal: true }).decode(plain)
  } catch {
    // The cause adds nothing, and an error must not contain any of the input.
    throw new StudioError('bad_input', 'The key could not be decrypted. Reload the page and enter the key again.')
  }
  return Credential.fromText(text)
}
