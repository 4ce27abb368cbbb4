import { describe, expect, it, test } from 'vitest'
import { SecretMask, secretRules, testSecrets } from '../../../src-main/core/requestLog/secrets.ts'
import { growth, linear } from '../../helpers/growth.ts'
import { randomNumbers } from '../../helpers/random.ts'
import { notice, testRequestLog } from './helpers.ts'

const mask = new SecretMask()

/** Letters and digits that begin with a digit, as keys do somewhere. */
const filling = (length: number, letters = 'aB3dE6gH9jK2mN5pQ8sT'): string =>
  letters.repeat(Math.ceil(length / letters.length)).slice(0, length)
const hex = (length: number): string => filling(length, '0a1b2c3d4e5f')
const pem = ['-----BEGIN RSA PRIVATE KEY-----', filling(64), `${filling(40)}==`, '-----END RSA PRIVATE KEY-----']

/** A key of each rule. None is a key of anything. */
const keys: Record<string, string[]> = {
  anthropic: [`sk-ant-api03-${filling(90)}`],
  openrouter: [`sk-or-v1-${hex(64)}`],
  openai: [`sk-${filling(48)}`, `sk-proj-${filling(120)}`, `sk-svcacct-${filling(100)}`],
  google: [`AIza${filling(35)}`],
  'google-oauth': [`ya29.${filling(120)}`, `GOCSPX-${filling(28)}`],
  github: [`ghp_${filling(36)}`, `ghs_${filling(36)}`, `github_pat_${filling(22)}_${filling(59)}`],
  gitlab: [`glpat-${filling(20)}`],
  aws: ['AKIAIOSFODNN7EXAMPLE'],
  azure: [`AccountKey=${filling(86)}==`],
  slack: [`xoxb-123456789012-${filling(24)}`, `xapp-1-${filling(40)}`],
  'slack-hook': [`hooks.slack.com/services/T00000000/B00000000/${filling(24)}`],
  stripe: [`sk_live_${filling(24)}`, `rk_test_${filling(24)}`, `whsec_${filling(32)}`],
  huggingface: [`hf_${filling(34)}`],
  groq: [`gsk_${filling(52)}`],
  xai: [`xai-${filling(80)}`],
  perplexity: [`pplx-${filling(48)}`],
  replicate: [`r8_${filling(37)}`],
  npm: [`npm_${filling(36)}`],
  pypi: [`pypi-AgEIcHlwaS5vcmc${filling(60)}`],
  sendgrid: [`SG.${filling(22)}.${filling(43)}`],
  digitalocean: [`dop_v1_${hex(64)}`],
  telegram: [`123456789:AA${filling(33)}`],
  jwt: [`eyJ${filling(33)}.eyJ${filling(80)}.${filling(43)}`],
  'private-key': [
    pem.join('\n'),
    pem.join('\r\n'),
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${filling(80)}\n-----END PGP PRIVATE KEY BLOCK-----`,
  ],
}

describe('the rules for secrets', () => {
  it('have a key in these tests each, and a name and a form for the window', () => {
    expect([...secretRules.map(({ id }) => id)].sort()).toEqual([...Object.keys(keys), 'aws-secret'].sort())
    for (const { name, example } of secretRules) expect([name, example]).not.toContain('')
  })

  test.each(Object.entries(keys))('find each form of %s, wherever it is', (id, some) => {
    for (const key of some) {
      for (const [before, after] of [
        ['', ''],
        ['key=', '&x=1'],
        ['"', '"'],
        ['Bearer ', '\n'],
        ['(', ').'],
        ['first\n', ' last'],
      ]) {
        expect(mask.text(`${before}${key}${after}`)).toBe(`${before}[secret: ${id}]${after}`)
      }
    }
  })

  it('keep the name of an AWS secret, and the quotes around it', () => {
    const secret = `wJalrXUtnFEMI/K7MDENG/bPxRfiCY${filling(10)}`
    expect(mask.text(`aws_secret_access_key = ${secret}`)).toBe('aws_secret_access_key = [secret: aws-secret]')
    const json = JSON.stringify({ SecretAccessKey: secret })
    expect(JSON.parse(mask.text(json))).toEqual({ SecretAccessKey: '[secret: aws-secret]' })
    expect(JSON.parse(mask.text(JSON.stringify({ args: json })))).toEqual({ args: mask.text(json) })
  })

  it('remove a private key whose end is missing as far as it goes', () => {
    expect(mask.text(`{"file":"${pem.slice(0, 2).join('\\n')}"}`)).toBe('{"file":"[secret: private-key]"}')
  })

  it('leave words alone that only look alike', () => {
    for (const text of [
      'sk-learn and sk-toggleable__control-hidden--visually',
      'task-1234567890123456789012345',
      'an AKIA airport, AIza, ghp_, hf_transfer and xoxb',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      `data:image/png;base64,${filling(4000)}`,
      'https://example.com/services/T0/B0',
      'eyJhbGciOi is how a token begins',
    ])
      expect(mask.text(text)).toBe(text)
  })

  it('find the beginnings of a person’s own keys, taken literally', () => {
    const own = new SecretMask(['acme-live-', 'a.c+'])
    expect(own.text('use acme-live-4711abcd now')).toBe('use [secret: own] now')
    expect(own.text('a.c+secret1 abcc+secret1')).toBe('[secret: own] abcc+secret1')
    expect(own.text('acme-live- is a beginning')).toBe('acme-live- is a beginning')
  })

  it('report what they find by rule, with the text that would be stored', () => {
    expect(testSecrets(mask, `${keys.github?.[0]} ${keys.github?.[1]} ${keys.aws?.[0]}`)).toEqual({
      text: '[secret: github] [secret: github] [secret: aws]',
      found: [
        { id: 'github', count: 2 },
        { id: 'aws', count: 1 },
      ],
    })
  })

  it('JSON with secrets anywhere stays JSON, however often it is nested, and loses every secret', () => {
    const random = randomNumbers()
    const all = Object.values(keys).flat()
    const noise = ['"', '\\', '\n', '\\n', '-----BEGIN PRIVATE KEY-----', 'é', '\u2028', 'x', ' ', '\\"', 'sk-', '}']
    const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? ''
    for (let round = 0; round < 400; round++) {
      const key = pick(all)
      const words = Array.from({ length: 6 }, () => pick(noise))
      let json = JSON.stringify({
        [words.join('')]: [...words, ` ${key}`, words.join('')],
        last: `${words[0]} ${key}\n`,
      })
      for (let depth = Math.floor(random() * 3); depth > 0; depth--) json = JSON.stringify({ nested: json })
      const masked = mask.text(json)
      expect(() => JSON.parse(masked), json).not.toThrow()
      const longest = key.split(/\s+/).reduce((one, other) => (other.length > one.length ? other : one))
      expect(masked, json).not.toContain(longest)
      expect(mask.text(masked)).toBe(masked)
    }
  })

  it('take time in proportion to the text, whatever it is', () => {
    const blocks = [
      'sk-',
      'eyJ',
      `.eyJ${'a'.repeat(50)}`,
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN ',
      'a',
      '-',
      '1',
      '\\n',
      'aws_secret_access_key ',
      'xoxb-',
      'SecretAccessKey\\\\\\" ',
      `${'A'.repeat(64)}\n`,
      'data: {"choices":[{"delta":{"content":"sk-"}}]}\n',
    ]
    for (const block of blocks) {
      const text = (size: number): string => block.repeat(Math.ceil(size / block.length))
      expect(
        growth(16_000, text, (given) => mask.body(given, true)),
        block,
      ).toBeLessThan(linear)
    }
  })
})

describe('a logged body', () => {
  const key = `ghp_${filling(36)}`
  const event = (delta: Record<string, unknown>): string =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`

  it('loses a key that a stream sends in pieces, of text and of the arguments of a tool', () => {
    const call = (text: string) => event({ tool_calls: [{ index: 0, function: { arguments: text } }] })
    for (const wrap of [
      (text: string) => event({ content: text }),
      (text: string) => event({ reasoning: text }),
      call,
    ]) {
      for (const size of [1, 3, 7, 39]) {
        const pieces = (`The key is ${key}, ok?`.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []).map(wrap)
        const masked = mask.body(`${pieces.join('')}data: [DONE]\n\n`, false)
        const texts = [...masked.matchAll(/"(?:content|reasoning|arguments)":"([^"]*)"/g)].map(([, text]) => text)
        expect(texts.join('')).toBe('The key is [secret: github], ok?')
        expect(masked.split('\n')).toHaveLength(pieces.join('').split('\n').length + 2)
        expect(masked).toContain('data: [DONE]\n\n')
      }
    }
  })

  it('loses a key that a stream of a text completion sends in pieces, of each of its choices', () => {
    const pieces = `The key is ${key}, ok?`
      .split('')
      .flatMap((text) => [
        `data: ${JSON.stringify({ choices: [{ text, index: 0, finish_reason: null }] })}\n\n`,
        `data: ${JSON.stringify({ choices: [{ text: '-', index: 1, finish_reason: null }] })}\n\n`,
      ])
    const masked = mask.body(`${pieces.join('')}data: [DONE]\n\n`, false)
    const texts = [...masked.matchAll(/"text":"([^"]*)","index":0/g)].map(([, text]) => text)
    expect(texts.join('')).toBe('The key is [secret: github], ok?')
  })

  it('of which nothing is a secret stays as it is, byte for byte', () => {
    const stream = `: hello\r\n\r\ndata:  {"choices":[ {"delta":{"content":"a"}} ]}\r\n\r\ndata: not JSON\n\n${event({ content: 'b' })}`
    expect(mask.body(stream, false)).toBe(stream)
  })

  it('that was capped does not end with the beginning of a key', () => {
    for (let length = 1; length <= key.length; length++) {
      expect(mask.body(`{"text":"the key ${key.slice(0, length)}`, true)).toBe('{"text":"the key ')
    }
    expect(mask.body('a '.repeat(3), true)).toBe('a a a ')
  })

  it('is stored without secrets, and so are its headers; those of the settings apply at once', () => {
    const beginnings: string[] = []
    const { requestLog } = testRequestLog({ secretBeginnings: () => beginnings })
    const logged = (text: string) => {
      const trace = requestLog.open(notice({ logBodies: true }))
      trace.headers([['x-token', key]], [['set-key', 'acme-live-4711abcd']], (value) => value)
      trace.bodies({ text, bytes: text.length, capped: false }, { text, bytes: text.length, capped: false })
      trace.ends({ state: 'done' }, null)
      return requestLog.get(trace.id)
    }
    const first = logged(`{"a":"${key} acme-live-4711abcd"}`)
    expect(first.requestBody?.text).toBe('{"a":"[secret: github] acme-live-4711abcd"}')
    expect(first.replyBody?.text).toBe(first.requestBody?.text)
    expect(first.requestHeaders).toEqual([['x-token', '[secret: github]']])
    beginnings.push('acme-live-')
    const second = logged('acme-live-4711abcd')
    expect(second.requestBody?.text).toBe('[secret: own]')
    expect(second.replyHeaders).toEqual([['set-key', '[secret: own]']])
  })
})
