// @isolated It changes the environment of its process.

import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { LogTail, redactor } from '../../../../src-main/core/features/tools/mcp/log.ts'
import { serverEnvironment } from '../../../../src-main/core/features/tools/mcp/process.ts'
import { bounded, resultText } from '../../../../src-main/core/features/tools/results.ts'
import { sentNames, type ToolToName } from '../../../../src-main/core/features/tools/wireNames.ts'

describe('names for the model', () => {
  const tools = fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      server: fc.string({ unit: 'grapheme', maxLength: 60 }),
      tool: fc.string({ unit: 'grapheme', maxLength: 128 }),
    }),
    { selector: ({ id }) => id, maxLength: 12 },
  )

  test('are valid function names, unique, and independent of the order of the tools', () => {
    fc.assert(
      fc.property(tools, fc.array(fc.stringMatching(/^[a-z_]{1,8}$/)), (all, taken) => {
        const names = sentNames(all, new Set(taken))
        const given = [...names.values()]
        expect(names.size).toBe(all.length)
        for (const name of given) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(new Set([...given, ...new Set(taken)]).size).toBe(given.length + new Set(taken).size)
        const back = sentNames([...all].reverse(), new Set(taken))
        for (const { id } of all) expect(back.get(id)).toBe(names.get(id))
      }),
    )
  })

  test('consist of server and tool; colliding names get a part of the hash of their id', () => {
    const one: ToolToName = { id: 'mcp:1:add', server: 'My Größe!', tool: 'add numbers' }
    const other: ToolToName = { id: 'mcp:2:add', server: 'My Grosse', tool: 'add' }
    expect(sentNames([one, other], new Set()).get(one.id)).toBe('My_Gro_e_add_numbers')
    const same = sentNames([other, { ...other, id: 'mcp:3:add' }], new Set())
    expect([...same.values()].sort()).toEqual([
      expect.stringMatching(/^My_Grosse_add_[0-9a-f]{6}$/),
      expect.stringMatching(/^My_Grosse_add_[0-9a-f]{6}$/),
    ])
    expect(sentNames([other], new Set(['My_Grosse_add'])).get(other.id)).toMatch(/^My_Grosse_add_[0-9a-f]{6}$/)
  })
})

describe('a result as text', () => {
  test('describes other content with type and size, and has structured content once', () => {
    const image = { type: 'image', mimeType: 'image/png', data: Buffer.alloc(1000).toString('base64') }
    expect(resultText({ content: [{ type: 'text', text: 'a' }, image] }).text).toBe(
      'a\n[image: image/png, 1000 bytes, not shown to the model]',
    )
    expect(resultText({ content: [{ type: 'text', text: '{ "a": 1 }' }], structuredContent: { a: 1 } }).text).toBe(
      '{ "a": 1 }',
    )
    expect(resultText({ content: [], structuredContent: { a: 1 } }).text).toBe('{"a":1}')
    expect(resultText({ content: [{ type: 'resource_link', uri: 'file:///x\nEvil', size: 7 }] }).text).toBe(
      '[link to a resource: file:///x Evil, 7 bytes, not fetched]',
    )
  })

  test.each([[null], [7], [[null, 7, { type: 'strange' }]], [{ a: 1 }]])(
    'is text whatever the content is: %j',
    (content) => {
      expect(typeof resultText({ content }).text).toBe('string')
    },
  )

  test('describes a picture that is no base64 in linear time', () => {
    const data = `${'='.repeat(4_000_000)}x`
    expect(resultText({ content: [{ type: 'image', mimeType: 'image/png', data }] }).text).toContain('3000000 bytes')
  })

  test('has at most 200 kB, cut between characters, with a note', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 5 }), fc.integer({ min: 0, max: 40 }), (text, most) => {
        const { text: kept, notes } = bounded(text, most)
        const whole = Buffer.byteLength(text.toWellFormed())
        const body = notes.length === 0 ? kept : kept.slice(0, kept.lastIndexOf('\n\n['))
        expect(notes.length === 0).toBe(whole <= most)
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(Math.max(most, 0))
        expect(text.toWellFormed().replaceAll('\0', '\uFFFD').startsWith(body)).toBe(true)
      }),
    )
  })
})

describe('the log of a server', () => {
  test('has the last 200 lines, without colours, control characters and secrets, even if a secret arrives in two pieces', () => {
    const log = new LogTail(redactor(['hunter2secret']))
    for (let n = 0; n < 300; n++) log.push(Buffer.from(`line ${n}\n`))
    log.push(Buffer.from('\u001b[31mkey is hunter2'))
    log.push(Buffer.from('secret\u0007\n'))
    expect(log.lines).toHaveLength(200)
    expect(log.lines.at(-2)).toBe('line 299')
    expect(log.lines.at(-1)).toBe('key is ••• ')
  })

  test('limits a line that never ends', () => {
    const log = new LogTail(redactor([]))
    for (let n = 0; n < 100; n++) log.push(Buffer.alloc(65_536, 'x'))
    expect(log.lines).toEqual([`${'x'.repeat(500)}…`])
  })
})

test('a server gets a few variables of this program and the configured ones, and no others', () => {
  process.env.STUDIO_TEST_SECRET = 'x'
  const env = serverEnvironment({ MINE: '1' })
  delete process.env.STUDIO_TEST_SECRET
  expect(env.MINE).toBe('1')
  expect(env.PATH).toBe(process.env.PATH)
  expect(Object.keys(env)).not.toContain('STUDIO_TEST_SECRET')
})

test('a server gets the certificates and proxies of the network, but no password of a proxy', () => {
  vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/company.pem')
  vi.stubEnv('HTTPS_PROXY', 'http://proxy.company.example:8080')
  vi.stubEnv('https_proxy', 'http://ada:secret@proxy.company.example:8080')
  vi.stubEnv('NO_PROXY', 'localhost,.company.example')
  const env = serverEnvironment({ NO_PROXY: 'mine' })
  vi.unstubAllEnvs()
  expect(env).toMatchObject({
    NODE_EXTRA_CA_CERTS: '/etc/company.pem',
    HTTPS_PROXY: 'http://proxy.company.example:8080',
    NO_PROXY: 'mine',
  })
  expect(JSON.stringify(env)).not.toContain('secret@')
})

test.skipIf(process.platform !== 'linux')('a server that opens a browser window gets the screen', () => {
  vi.stubEnv('DISPLAY', ':7')
  vi.stubEnv('WAYLAND_DISPLAY', 'wayland-7')
  const env = serverEnvironment({})
  vi.unstubAllEnvs()
  expect(env).toMatchObject({ DISPLAY: ':7', WAYLAND_DISPLAY: 'wayland-7' })
})
