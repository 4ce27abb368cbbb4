import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { chosenKeyFile, createKeyFile, keyFileFromEnvironment } from '../../../src-main/hosts/node/keyFile.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { testCommandLine } from './fixtures/testCommandLine.ts'

const folder = temporaryFolder('studio-keys-')
const key = 'sk-canary-77ab12'
const freshPath = (): string => join(mkdtempSync(join(folder, 'a-')), 'keys.json')
const word = (text: string) => async (): Promise<string> => text
const bad = (words: RegExp) => ({ kind: 'bad_input', message: expect.stringMatching(words) })

function fileWith(text: string, mode = 0o600): string {
  const path = freshPath()
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}
const plain = (keys: Record<string, string>): string =>
  JSON.stringify({ format: 'inference-studio-keys', version: 1, keys })

describe('a key file', () => {
  it('stores, returns and deletes keys, in a file of this user alone', async () => {
    const path = freshPath()
    const store = createKeyFile(path, null)
    expect(await store.get('a')).toBeNull()
    await Promise.all([store.set('a', key), store.set('b', 'second')])
    expect(await createKeyFile(path, null).get('a')).toBe(key)
    await store.delete('b')
    await store.delete('missing')
    expect([await store.get('b'), await store.get('constructor')]).toEqual([null, null])
    expect(await store.probe()).toEqual({ available: true, reason: null })
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(path, '..'))).toEqual(['keys.json'])
  })

  it('is flushed to the disk before and after it replaces the old one, to survive a power cut', async () => {
    const path = freshPath()
    const probe = await open(join(folder, 'probe'), 'w')
    const flushed = vi.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'sync')
    onTestFinished(() => flushed.mockRestore())
    await probe.close()
    const there: boolean[] = []
    flushed.mockImplementation(() => {
      there.push(existsSync(path))
      return Promise.resolve()
    })
    await createKeyFile(path, null).set('home', key)
    // The file, then its name in the folder. Windows can't flush a folder.
    expect(there).toEqual(process.platform === 'win32' ? [false] : [false, true])
  })

  it('with a passphrase has no key in clear, and opens with the passphrase only', async () => {
    const path = freshPath()
    const store = createKeyFile(path, word('correct horse'))
    await store.set('account-1', key)
    const first = readFileSync(path, 'utf8')
    await store.set('account-2', 'second')
    const bytes = readFileSync(path, 'utf8')
    for (const secret of [key, 'account-1', 'correct horse']) expect(first + bytes).not.toContain(secret)
    // Another nonce for each write: the same one twice would reveal the keys.
    expect(JSON.parse(first).encrypted.iv).not.toBe(JSON.parse(bytes).encrypted.iv)
    expect(await createKeyFile(path, word('correct horse')).get('account-1')).toBe(key)
    await expect(createKeyFile(path, word('Correct horse')).get('account-1')).rejects.toMatchObject({
      kind: 'keychain_locked',
      message: expect.stringMatching(/passphrase does not open/),
    })
  })

  it('that was changed at any place is refused, and not replaced by the next key', { tags: 'long' }, async () => {
    const path = freshPath()
    await createKeyFile(path, word('a')).set('account', key)
    const { encrypted, ...head } = JSON.parse(readFileSync(path, 'utf8'))
    for (const part of ['iv', 'tag', 'data', 'salt']) {
      const bytes = Buffer.from(encrypted[part], 'base64')
      bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
      const changed = JSON.stringify({ ...head, encrypted: { ...encrypted, [part]: bytes.toString('base64') } })
      writeFileSync(path, changed)
      await expect(createKeyFile(path, word('a')).set('b', 'c')).rejects.toMatchObject({ kind: 'keychain_locked' })
      expect(readFileSync(path, 'utf8')).toBe(changed)
    }
  })

  it('is never read as the other kind: encrypted without a passphrase, or plain with one', async () => {
    const path = freshPath()
    await createKeyFile(path, word('a')).set('account', key)
    await expect(createKeyFile(path, null).get('account')).rejects.toMatchObject({ kind: 'keychain_locked' })
    const open = fileWith(plain({ account: key }))
    await expect(createKeyFile(open, word('a')).get('account')).rejects.toMatchObject(bad(/is not encrypted/))
    await expect(createKeyFile(open, word('a')).set('b', 'c')).rejects.toMatchObject(bad(/is not encrypted/))
    expect(readFileSync(open, 'utf8')).toBe(plain({ account: key }))
  })

  it.runIf(process.getuid !== undefined).each([0o644, 0o640, 0o604, 0o660, 0o620])(
    'that others can use is refused with what to do: mode %o',
    async (mode) => {
      const store = createKeyFile(fileWith(plain({ account: key }), mode), null)
      await expect(store.get('account')).rejects.toMatchObject(bad(/chmod 600/))
      await expect(store.set('account', 'new')).rejects.toMatchObject(bad(/chmod 600/))
      expect(await store.probe()).toEqual({ available: false, reason: expect.stringMatching(/chmod 600/) })
    },
  )

  it.runIf(process.geteuid?.() === 0)('of another user is refused to anybody but root', async () => {
    const path = fileWith(plain({ account: key }))
    chownSync(path, 12_345, 12_345)
    vi.spyOn(process, 'geteuid').mockReturnValue(1000)
    try {
      await expect(createKeyFile(path, null).get('account')).rejects.toMatchObject(bad(/belongs to another user/))
    } finally {
      vi.restoreAllMocks()
    }
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['another format', '{"format":"x","version":1,"keys":{}}'],
    ['a newer version', '{"format":"inference-studio-keys","version":2,"keys":{}}'],
    ['both kinds', plain({}).replace('}}', '},"encrypted":{"salt":"","iv":"","tag":"","data":""}}')],
    ['neither kind', '{"format":"inference-studio-keys","version":1}'],
    ['too much', ' '.repeat(1024 * 1024 + 1)],
  ])('with %s is refused and stays as it is', async (_what, text) => {
    const path = fileWith(text)
    await expect(createKeyFile(path, null).set('a', 'b')).rejects.toMatchObject(bad(/is not a key file/))
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('may be a link, which stays one; a folder or a pipe is refused at once', async () => {
    const path = fileWith(plain({ a: key }))
    const link = join(path, '..', 'link')
    symlinkSync(path, link)
    await createKeyFile(link, null).set('b', 'second')
    expect(await createKeyFile(path, null).get('b')).toBe('second')
    const place = freshPath()
    mkdirSync(place)
    await expect(createKeyFile(place, null).get('a')).rejects.toMatchObject(bad(/not a regular file/))
    if (process.platform === 'win32') return
    const pipe = freshPath()
    execFileSync('mkfifo', ['-m', '600', pipe])
    await expect(createKeyFile(pipe, null).get('a')).rejects.toMatchObject(bad(/not a regular file/))
  })
})

describe('the choice of a key file', () => {
  it('is none unless a variable names it', () => {
    expect([keyFileFromEnvironment({}), chosenKeyFile({})]).toEqual([null, null])
    expect(chosenKeyFile({ INFERENCE_STUDIO_KEY_FILE: '/a' })).toEqual({ path: '/a', isEncrypted: false })
  })

  it('with a passphrase and no file is refused, and so is a passphrase itself', async () => {
    expect(() => keyFileFromEnvironment({ INFERENCE_STUDIO_KEY_PASSPHRASE: 'prompt' })).toThrow(
      /needs INFERENCE_STUDIO_KEY_FILE/,
    )
    const env = { INFERENCE_STUDIO_KEY_FILE: freshPath(), INFERENCE_STUDIO_KEY_PASSPHRASE: 'correct horse' }
    await expect(keyFileFromEnvironment(env)?.set('a', 'b')).rejects.toMatchObject(bad(/not the passphrase itself/))
    await expect(keyFileFromEnvironment(env)?.set('a', 'b')).rejects.not.toMatchObject({
      message: expect.stringContaining('correct horse'),
    })
    expect(existsSync(env.INFERENCE_STUDIO_KEY_FILE)).toBe(false)
  })

  it.runIf(process.platform !== 'win32')(
    'takes the passphrase from a private file, a descriptor or a credential of systemd',
    async () => {
      const path = freshPath()
      const secret = fileWith('correct horse\n')
      const credentials = mkdtempSync(join(folder, 'credentials-'))
      // systemd gives a system service access by an access list, which the mode shows as that of the group.
      writeFileSync(join(credentials, 'studio'), 'correct horse', { mode: 0o440 })
      const descriptor = openSync(secret, 'r')
      const store = (source: string) =>
        keyFileFromEnvironment({
          INFERENCE_STUDIO_KEY_FILE: path,
          INFERENCE_STUDIO_KEY_PASSPHRASE: source,
          CREDENTIALS_DIRECTORY: credentials,
        })
      await store(`file:${secret}`)?.set('account', key)
      // Twice: a descriptor can be read once, and a command opens more than one key store.
      const sources = [`fd:${descriptor}`, `fd:${descriptor}`, 'credential:studio', `file:${secret}`]
      for (const source of sources) expect(await store(source)?.get('account')).toBe(key)
      closeSync(descriptor)
      const open = fileWith('correct horse', 0o644)
      await expect(store(`file:${open}`)?.get('account')).rejects.toMatchObject(bad(/chmod 600/))
      await expect(store('credential:missing')?.get('account')).rejects.toMatchObject({
        message: expect.stringMatching(/can’t be read/),
      })
    },
  )
})

describe('commands with a key file', () => {
  const test = testCommandLine()

  it('login stores the key there and says so, serve uses it, doctor names it, and logout deletes it', async () => {
    const sandbox = await startSandbox({ port: 0 })
    try {
      const path = join(test.home, 'keys.json')
      const env = { INFERENCE_STUDIO_KEY_FILE: path }
      const at = ['--data-dir', test.dataDir]
      const login = await test.run(['login', '--base-url', sandbox.baseUrl, ...at], env, sandbox.apiKey)
      expect([login.code, login.stdout]).toEqual([
        0,
        expect.stringContaining(`stored in the key file ${path} (not encrypted)`),
      ])
      expect(readFileSync(path, 'utf8')).toContain(sandbox.apiKey)
      const doctor = await test.run(['doctor', '--json', ...at], env)
      const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; status: string; detail: string }[] }
      expect(checks.find(({ name }) => name === 'keychain')).toEqual({
        name: 'keychain',
        status: 'ok',
        detail: `${path} (not encrypted)`,
      })
      expect(checks.find(({ name }) => name === 'key')).toMatchObject({ status: 'ok' })
      expect((await test.run(['connections', ...at], env)).stdout).toMatch(/^\* .* key file /m)
      chmodSync(path, 0o644)
      expect((await test.run(['doctor', ...at], env)).stdout).toMatch(/^Key file +failed/m)
      const open = await test.run(['doctor', '--json', ...at], env)
      expect([open.code, open.stdout]).toEqual([1, expect.stringContaining('chmod 600')])
      chmodSync(path, 0o600)
      expect((await test.run(['logout', ...at], env)).code).toBe(0)
      expect(readFileSync(path, 'utf8')).not.toContain(sandbox.apiKey)
    } finally {
      await sandbox.close()
    }
  })
})
