import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { banAt } from '../../src-preload/contract/limitText.ts'
import { problemKinds } from '../../src-preload/contract/problem.ts'
import { nearLimit } from '../../src-renderer/app/shell/bucket.ts'
import { parsePort } from '../../src-renderer/features/settings/parse.ts'
import { problems } from '../../src-renderer/i18n/en/problems.ts'
import { canAsk, connectReducer, explain, firstForm } from '../../src-renderer/shared/connect/form.ts'
import { detailsOf, waitSeconds } from '../../src-renderer/shared/errors/details.ts'
import { firstAppStore, withLink, withToast } from '../../src-renderer/stores/app.ts'
import { hrefOf, pageNames, parseRoute } from '../../src-renderer/stores/route.ts'
import { setups } from '../helpers/setups.ts'

describe('the address of the window', () => {
  it('finds any page and item by its own address', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...pageNames),
        fc.option(fc.string({ minLength: 1, unit: 'grapheme' })),
        (page, id) => {
          expect(parseRoute(hrefOf({ page, id }))).toEqual({ page, id })
        },
      ),
    )
  })
  it('opens Chat for an unknown address', () => {
    for (const hash of ['', '#', '#/', '#/nowhere/1', '#token=x'])
      expect(parseRoute(hash)).toEqual({ page: 'chat', id: null })
  })
  it('survives a damaged escape', () => expect(parseRoute('#/chat/%E0%A4%A')).toEqual({ page: 'chat', id: null }))
})

describe('problem texts', () => {
  it('has a title, a meaning and one action for every kind', () => {
    for (const kind of problemKinds)
      for (const text of Object.values(problems.kinds[kind])) expect(text.trim()).not.toBe('')
  })
  it('never claims that nothing was charged [ERR-11]', () => {
    expect(JSON.stringify(problems)).not.toMatch(/not (be |been )?(charged|billed)|free of charge|no cost/i)
  })
  it('says for 502, 503 and 504 that the first attempt may have caused work [ERR-06]', () => {
    for (const kind of ['bad_gateway', 'unavailable', 'gateway_timeout'] as const)
      expect(problems.kinds[kind].meaning).toContain('first attempt may already have caused work')
  })
  it('distinguishes a refused key from a missing permission [AUTH-02] [ERR-03]', () => {
    expect(problems.kinds.unauthorized.title).toBe('The service rejected this API key')
    expect(problems.kinds.forbidden.meaning).toContain('permission')
  })
  it('never asks to wait shorter than the service said [ERR-05]', () => {
    expect(waitSeconds({ kind: 'rate_limited', message: '', retryAfterMs: 1001 })).toBe(2)
    expect(waitSeconds({ kind: 'rate_limited', message: '' })).toBeNull()
  })
  it('shows the service’s own code and body on request [ERR-01]', () => {
    const text = detailsOf({ kind: 'internal', message: 'It failed.', status: 500, code: 'oops', raw: '{"a":1}' })
    expect(text).toBe('It failed.\n\nstatus: 500\ncode: oops\n\n{"a":1}')
  })
})

describe('the connect form', () => {
  it('accepts plain http to this computer only', () => {
    const asks = (baseUrl: string) => canAsk(firstForm({ baseUrl, allowInsecure: false }, true))
    for (const good of [
      'https://a.example/v1',
      'http://localhost:1',
      'http://127.0.0.9/x',
      'http://[::1]:8',
      'a.example',
    ])
      expect(asks(good), good).toBe(true)
    for (const bad of [
      'http://a.example',
      'http://127.0.0.1.a.example',
      'http://localhost.a.example',
      'ftp://a.example',
    ])
      expect(asks(bad), bad).toBe(false)
  })
  it('requires consent for an unencrypted address, and again for the next one', () => {
    let form = firstForm({ baseUrl: 'http://a.example', allowInsecure: false }, true)
    expect(canAsk(form)).toBe(false)
    form = connectReducer(form, { type: 'insist', allowInsecure: true })
    expect(canAsk(form)).toBe(true)
    form = connectReducer(form, { type: 'address', baseUrl: 'http://b.example' })
    expect(canAsk(form)).toBe(false)
  })
  it('corrects an address once its field is left, and says what it changed until the next edit', () => {
    const typed = firstForm({ baseUrl: 'a.example/v1/chat/completions', allowInsecure: false }, true)
    const corrected = connectReducer(typed, { type: 'normalize' })
    expect(corrected.baseUrl).toBe('https://a.example/v1')
    expect(corrected.changes.map(({ text }) => text)).toEqual(['https://', '/chat/completions'])
    expect(connectReducer(corrected, { type: 'normalize' })).toBe(corrected)
    expect(connectReducer(corrected, { type: 'address', baseUrl: 'b.example' }).changes).toEqual([])
  })
  it('places every failure beside the field that has to change', () => {
    const at = (kind: (typeof problemKinds)[number], fault?: string, hasKey = true) =>
      explain({ kind, message: '', ...(fault && { fault }) }, hasKey)
    expect(at('connect_failed', 'ENOTFOUND')).toEqual({ field: 'address', cause: 'dns' })
    expect(at('connect_failed', 'ECONNREFUSED')).toEqual({ field: 'address', cause: 'refused' })
    expect(at('tls_failed', 'CERT_HAS_EXPIRED')).toEqual({ field: 'address', cause: 'tls' })
    expect(at('tls_failed', 'ERR_SSL_WRONG_VERSION_NUMBER')).toEqual({ field: 'address', cause: 'noTls' })
    expect(at('unauthorized')).toEqual({ field: 'key', cause: 'keyRejected' })
    expect(at('unauthorized', undefined, false)).toEqual({ field: 'key', cause: 'keyMissing' })
    for (const kind of ['not_found', 'malformed_reply', 'unexpected_status'] as const)
      expect(at(kind)).toEqual({ field: 'address', cause: 'notAnApi' })
    expect(at('keychain_locked')).toEqual({ field: 'storage', cause: null })
    for (const kind of problemKinds) expect(['address', 'key', 'storage']).toContain(at(kind).field)
  })
  it('offers only the session without a keychain', () => expect(firstForm(undefined, false).keyStorage).toBe('session'))
})

describe('the status bar', () => {
  const bucket = {
    limit: 60,
    remaining: 19,
    resetSeconds: 18,
    banned: false,
    bannedUntil: null,
    asOf: '2026-01-01T00:00:00.000Z',
  }
  const then = Date.parse(bucket.asOf)
  it('shows the requests of the minute from 80 % of the limit on, and counts them down [LIM-01]', () => {
    expect(nearLimit({ ...bucket, remaining: 13 }, then)).toBeNull()
    expect(nearLimit({ ...bucket, remaining: 12 }, then + 5_000)).toEqual({
      used: 48,
      limit: 60,
      resetsInSeconds: 13,
      level: 'warn',
    })
    expect(nearLimit({ ...bucket, remaining: 0 }, then)?.level).toBe('bad')
  })
  it('forgets a minute that has ended, also where the service reports no reset', () => {
    const full = { ...bucket, remaining: 0 }
    expect(nearLimit(full, then + 18_000)).toBeNull()
    expect(nearLimit({ ...full, resetSeconds: null }, then + 59_000)).toMatchObject({ resetsInSeconds: null })
    expect(nearLimit({ ...full, resetSeconds: null }, then + 60_000)).toBeNull()
  })
  it('says that the service blocks requests until the reported end of the block [LIM-02]', () => {
    const blocked = { ...bucket, banned: true, bannedUntil: '2026-01-01T00:10:00.000Z' }
    expect(banAt(blocked, then)).toBe('banned')
    expect(banAt(blocked, then + 601_000)).not.toBe('banned')
    expect(banAt({ ...blocked, bannedUntil: null }, then + 601_000)).toBe('banned')
    expect(banAt(bucket, then)).not.toBe('banned')
  })
  it('shows no figure that was not reported [GEN-02]', () => {
    expect(nearLimit({ ...bucket, limit: null, remaining: 0 }, then)).toBeNull()
    expect(nearLimit({ ...bucket, remaining: null }, then)).toBeNull()
  })
  it('shows at most four toasts', () => {
    const store = ['1', '2', '3', '4', '5'].reduce((all, id) => withToast(all, { id, text: id }), firstAppStore)
    expect(store.toasts.map(({ id }) => id)).toEqual(['2', '3', '4', '5'])
  })
  it('shows no lost connection before the first one', () => {
    expect(withLink(firstAppStore, 'connecting').link).toBe('connecting')
  })
})

describe('setup', () => {
  it('accepts ports from 0 to 65535 only', () => {
    expect(['0', ' 8787 ', '65535'].map(parsePort)).toEqual([0, 8787, 65535])
    for (const typed of ['', '-1', '65536', '1e3', '80.5', '0x10']) expect(parsePort(typed)).toBeNull()
  })
  it('writes the real address and key into every setup text', () => {
    const facts = { baseUrl: 'http://127.0.0.1:8788/v1', key: 'isk_key', model: 'it"s\'m' }
    for (const setup of setups) {
      const texts = setup
        .steps(facts)
        .map(({ text }) => text)
        .join('\n')
      expect(texts, setup.id).toContain('127.0.0.1:8788')
      expect(texts, setup.id).toContain('isk_key')
    }
  })
})
