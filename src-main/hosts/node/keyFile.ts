import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { t } from '../../../src-renderer/i18n/cli.ts'
import { asStudioError, type StudioError } from '../../core/errors.ts'
import type { SecretStore } from '../../core/host.ts'
import { codeOf, isSystemError } from '../../core/shared/diskProblem.ts'
import { toDisk } from '../../core/shared/toDisk.ts'
import { checkKeyFile, readSecret } from './apiKey.ts'
import { fileError, ownError } from './ownWords.ts'
import { writeFileAtomically } from './userFile.ts'

/** Path of the key file that replaces the keychain. */
const fileVariable = 'INFERENCE_STUDIO_KEY_FILE'
/** Where the passphrase of an encrypted key file comes from: `credential:NAME`, `file:PATH`, `fd:N` or `prompt`. */
const passphraseVariable = 'INFERENCE_STUDIO_KEY_PASSPHRASE'
/** Variables that choose a key file in place of the keychain. None contains a secret. */
export const keyStoreVariables = [fileVariable, passphraseVariable] as const

/** Largest key file, bytes: thousands of keys. */
const mostBytes = 1024 * 1024
/** Memory of scrypt, 128 MB, as OWASP's first choice: N = 2^17, r = 8, p = 1. */
const cost = { N: 2 ** 17, r: 8, p: 1 }

const base64 = z.string().max(mostBytes * 2)
const secrets = z.record(z.string().max(200), z.string().max(100_000))
const keyFile = z.object({
  format: z.literal('inference-studio-keys'),
  version: z.literal(1),
  /** In a file that is not encrypted: secrets by account. */
  keys: secrets.optional(),
  /** AES-256-GCM of the same as JSON. The key is scrypt of the passphrase, with the cost of this version. */
  encrypted: z.object({ salt: base64, iv: base64, tag: base64, data: base64 }).optional(),
})
type KeyFile = z.infer<typeof keyFile>

/** The key file that was chosen in place of the keychain, or null. */
export function chosenKeyFile(env: NodeJS.ProcessEnv = process.env): { path: string; isEncrypted: boolean } | null {
  const path = env[fileVariable]
  return path ? { path: resolve(path), isEncrypted: Boolean(env[passphraseVariable]) } : null
}

/** A key file in words for a person: `/srv/keys (encrypted)`. */
export const keyFileText = ({ path, isEncrypted }: { path: string; isEncrypted: boolean }): string =>
  t(isEncrypted ? 'key.encryptedFile' : 'key.file', { path })

/**
 * The key file that the environment chooses in place of the keychain, or null. It is never used unless it was chosen, and the keychain is
 * never used beside it.
 * @throws StudioError `bad_input` for a passphrase without a file, or from an unknown source
 */
export function keyFileFromEnvironment(env: NodeJS.ProcessEnv = process.env): SecretStore | null {
  const file = chosenKeyFile(env)
  const source = env[passphraseVariable]
  if (file === null) {
    if (!source) return null
    throw ownError('bad_input', t('key.needsFile', { passphrase: passphraseVariable, file: fileVariable }))
  }
  return createKeyFile(file.path, source ? passphraseFrom(source, env) : null)
}

/** Reads the passphrase once, when it is first needed. @throws StudioError `bad_input` for an unknown source */
function passphraseFrom(source: string, env: NodeJS.ProcessEnv): () => Promise<string> {
  const [, kind, place = ''] = /^(credential|file|fd|prompt)(?::(.+))?$/s.exec(source) ?? []
  const what = passphraseVariable
  const read = (): Promise<string> => {
    if (kind === 'prompt' && place === '') return readSecret({ prompt: t('key.passphrasePrompt') }, what)
    if (kind === 'file' && place !== '') return readSecret({ file: resolve(place) }, what)
    if (kind === 'fd' && /^\d{1,6}$/.test(place)) return readSecret({ descriptor: Number(place) }, what)
    if (kind === 'credential' && /^[\w.-]{1,255}$/.test(place)) {
      // systemd sets the folder for LoadCredential (systemd.exec(5)).
      const folder = env.CREDENTIALS_DIRECTORY
      if (folder === undefined) {
        throw ownError('bad_input', t('key.needsCredential', { source, variable: what, name: place }))
      }
      return readSecret({ file: join(folder, place), isProtected: true }, what)
    }
    throw ownError('bad_input', t('key.badSource', { variable: passphraseVariable }))
  }
  return () => {
    const known = passphrases.get(source) ?? Promise.resolve().then(read)
    passphrases.set(source, known)
    return known
  }
}

/** By their sources. A process may open several key stores, and a descriptor or a prompt gives the passphrase only once. */
const passphrases = new Map<string, Promise<string>>()

/**
 * Keys in one file that only its owner can use, for a computer without a keychain. Use one file for one data folder: two programs that change
 * it at once could lose a change.
 * @param passphrase null for a file that is not encrypted. A file of the other kind is refused
 */
export function createKeyFile(path: string, passphrase: (() => Promise<string>) | null): SecretStore {
  /** The key that the passphrase gives with this salt. */
  let derived: { salt: string; key: Promise<Buffer> } | null = null
  /** Changes wait for each other. */
  let turn: Promise<unknown> = Promise.resolve()

  const keyWith = async (salt: string): Promise<Buffer> => {
    if (!passphrase) throw ownError('keychain_locked', t('key.isEncrypted', { path, variable: passphraseVariable }))
    if (derived?.salt !== salt) derived = { salt, key: keyOf(await passphrase(), salt) }
    return derived.key
  }

  async function read(): Promise<{ keys: Record<string, string>; salt: string }> {
    const fresh = randomBytes(16).toString('base64')
    const content = contentOf(path)
    if (content === null) return { keys: {}, salt: fresh }
    if (content.encrypted) {
      const { salt } = content.encrypted
      return { keys: decrypt(path, content.encrypted, await keyWith(salt)), salt }
    }
    if (passphrase) {
      throw ownError('bad_input', t('key.notEncrypted', { path, variable: passphraseVariable }))
    }
    return { keys: content.keys ?? {}, salt: fresh }
  }

  async function write({ keys, salt }: { keys: Record<string, string>; salt: string }): Promise<void> {
    const head = { format: 'inference-studio-keys', version: 1 } as const
    const content: KeyFile = passphrase
      ? { ...head, encrypted: { salt, ...encrypt(keys, await keyWith(salt)) } }
      : { ...head, keys }
    const target = targetOf(path)
    await writeFileAtomically(target, [Buffer.from(`${JSON.stringify(content)}\n`)])
    await toDisk(dirname(target), 'r').catch((thrown: unknown) => {
      throw isSystemError(thrown) ? fileError(thrown, t('file.cantWrite', { path })) : thrown
    })
  }

  function change(work: (keys: Record<string, string>) => void): Promise<void> {
    const changed = turn.then(async () => {
      const content = await read()
      work(content.keys)
      await write(content)
    })
    turn = changed.catch(() => undefined)
    return changed
  }

  return {
    keyFile: { path, isEncrypted: passphrase !== null },

    async probe() {
      try {
        await read()
        await access(dirname(targetOf(path)), constants.W_OK)
        return { available: true, reason: null }
      } catch (thrown) {
        const reason = isSystemError(thrown) ? t('key.folderReadOnly', { path }) : asStudioError(thrown).message
        return { available: false, reason }
      }
    },
    async get(account) {
      const { keys } = await read()
      return Object.hasOwn(keys, account) ? (keys[account] ?? null) : null
    },
    set: (account, secret) =>
      change((keys) => {
        keys[account] = secret
      }),
    delete: (account) =>
      change((keys) => {
        delete keys[account]
      }),
  }
}

/** Where a symbolic link leads, so that a change replaces the file and not the link. */
function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** The file, or null when there is none. @throws StudioError `bad_input` for one that others can use, or of another form */
function contentOf(path: string): KeyFile | null {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const facts = fstatSync(descriptor)
      if (!facts.isFile()) throw ownError('bad_input', t('key.notRegular', { path }))
      checkKeyFile(path, facts, fileVariable)
      if (facts.size > mostBytes) throw notKeys(path)
      const { data } = keyFile.safeParse(parsed(readFileSync(descriptor, 'utf8')))
      if (!data || (data.keys === undefined) === (data.encrypted === undefined)) throw notKeys(path)
      return data
    } finally {
      closeSync(descriptor)
    }
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null
    throw isSystemError(thrown) ? fileError(thrown, t('file.keyFile', { path })) : thrown
  }
}

const notKeys = (path: string): StudioError => ownError('bad_input', t('key.notKeys', { path, variable: fileVariable }))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)
const keyOf = (passphrase: string, salt: string): Promise<Buffer> =>
  derive(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, { ...cost, maxmem: 2 * 128 * cost.N * cost.r })

function encrypt(keys: Record<string, string>, key: Buffer): { iv: string; tag: string; data: string } {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const data = Buffer.concat([cipher.update(JSON.stringify(keys), 'utf8'), cipher.final()])
  return { iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64'), data: data.toString('base64') }
}

/** @throws StudioError `keychain_locked` for a wrong passphrase or a changed file */
function decrypt(
  path: string,
  { iv, tag, data }: NonNullable<KeyFile['encrypted']>,
  key: Buffer,
): Record<string, string> {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), { authTagLength: 16 })
    decipher.setAuthTag(Buffer.from(tag, 'base64'))
    const text = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString('utf8')
    return secrets.parse(JSON.parse(text))
  } catch (thrown) {
    throw ownError('keychain_locked', t('key.wrongPassphrase', { path }), { cause: thrown })
  }
}
