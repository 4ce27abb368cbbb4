import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Credential, loadCredential, sealingPublicKey, unseal } from '../../../src-main/core/upstream/credential.ts'
import { sealKey } from '../../../src-renderer/api/seal.ts'
import { canary } from './helpers/service.ts'

const key = fc.string({
  unit: fc.constantFrom(...Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))),
  minLength: 8,
  maxLength: 60,
})

const sent = [['authorization', `Bearer ${canary}`]]

test('a key is trimmed, and an invalid key is refused without being quoted', () => {
  expect(Credential.fromText(`  Bearer ${canary}\n`).headers()).toEqual(sent)
  for (const text of ['', 'has space inside', 'line\nbreak-inside', 'ümlaut-ümlaut', 'x'.repeat(5000)]) {
    try {
      Credential.fromText(text)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ kind: 'bad_input' })
      if (text !== '') expect(String(error)).not.toContain(text)
    }
  }
})

test('no way of printing reveals the key', () => {
  const credential = Credential.fromText(canary)
  const shown = [String(credential), JSON.stringify({ credential }), inspect(credential, { showHidden: true })]
  for (const text of shown) expect(text).not.toContain('canary')
  expect(Object.keys(credential)).toEqual([])
})

test('the key is removed from a text', () => {
  fc.assert(
    fc.property(key, fc.string(), fc.string(), (text, before, after) => {
      const secret = `x${text}`
      expect(Credential.fromText(secret).redact(`${before}\n${secret}\n${after}`)).not.toContain(secret)
    }),
  )
})

test('text without the key is unchanged', () => {
  expect(Credential.fromText(canary).redact('an ordinary sentence: 100% {"a":1}')).toBe(
    'an ordinary sentence: 100% {"a":1}',
  )
})

test('a key sealed by the page can be unsealed, and the envelope contains nothing of it', async () => {
  const publicKey = await sealingPublicKey()
  const sealed = await sealKey(publicKey, canary)
  expect((await unseal(sealed)).headers()).toEqual(sent)
  expect(JSON.stringify(sealed)).not.toContain('canary')
  expect(await sealKey(publicKey, canary)).not.toEqual(sealed)
  expect(await sealingPublicKey()).toBe(publicKey)
})

test('an envelope that was changed or is for another process is refused', async () => {
  const sealed = await sealKey(await sealingPublicKey(), canary)
  const flip = (text: string) => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`)
  const bad = [
    { ...sealed, data: flip(sealed.data) },
    { ...sealed, iv: flip(sealed.iv) },
    { ...sealed, from: (await sealKey(await sealingPublicKey(), canary)).from },
    { from: '', iv: '', data: '' },
  ]
  for (const envelope of bad) await expect(unseal(envelope)).rejects.toMatchObject({ kind: 'bad_input' })
})

test('the keychain stores a key and returns it', async () => {
  const kept = new Map<string, string>()
  const secrets = {
    probe: async () => ({ available: true, reason: null }),
    get: async (account: string) => kept.get(account) ?? null,
    set: async (account: string, secret: string) => void kept.set(account, secret),
    delete: async (account: string) => void kept.delete(account),
  }
  await Credential.fromText(canary).store(secrets, 'a')
  expect((await loadCredential(secrets, 'a'))?.headers()).toEqual(sent)
  expect(await loadCredential(secrets, 'b')).toBeNull()
})

test('a short key of a local server is sent, and masks no words', () => {
  const credential = Credential.fromText('ollama')
  expect(credential.headers()).toEqual([['authorization', 'Bearer ollama']])
  expect(credential.redact('Ask ollama for llamas')).toBe('Ask ollama for llamas')
  expect(credential.mask.forBody(false)).toBeNull()
})

test('without a key, no header is sent and nothing is masked', () => {
  expect(Credential.none.headers()).toEqual([])
  expect(Credential.none.redact('Any text')).toBe('Any text')
  expect(Credential.none.mask.isInName('x-any')).toBe(false)
})
