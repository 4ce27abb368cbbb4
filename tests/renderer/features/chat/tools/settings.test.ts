import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { functionTool, mcpServer } from '../../../../../src-preload/contract/tools.ts'
import { readConfig } from '../../../../../src-renderer/features/settings/tools/config.ts'
import { examples, readSchema, toolAsSent } from '../../../../../src-renderer/features/settings/tools/schema.ts'
import {
  argsOf,
  formOfServer,
  functionNameFault,
  isUnencrypted,
  linesOf,
  newServer,
  readServerForm,
  secretRow,
} from '../../../../../src-renderer/features/settings/tools/serverForm.ts'

describe('checking a schema', () => {
  const kinds = (text: string) => readSchema(text).faults.map(({ kind, path }) => `${path}:${kind}`)

  test.each(Object.entries(examples))(
    'finds neither fault nor hint in the example %s, and strict accepts it',
    (_name, text) => {
      expect(readSchema(text)).toEqual({ json: null, faults: [], hints: [], strict: [] })
      expect(functionTool.shape.schema.safeParse(text).success).toBe(true)
    },
  )

  test.each([
    ['[]', ':rootObject'],
    ['{"type":"array"}', ':rootType'],
    ['{"type":"object","properties":[]}', 'properties:notObject'],
    ['{"type":"object","properties":{"a":"string"}}', 'properties.a:notSchema'],
    ['{"type":"object","properties":{"a":{"type":"text"}}}', 'properties.a.type:type'],
    ['{"type":"object","required":"a"}', 'required:required'],
    ['{"type":"object","properties":{"a":{"enum":[]}}}', 'properties.a.enum:enum'],
    ['{"type":"object","properties":{"a":{"anyOf":[]}}}', 'properties.a.anyOf:list'],
    ['{"type":"object","properties":{"a":{"pattern":"("}}}', 'properties.a.pattern:pattern'],
    ['{"type":"object","properties":{"a":{"$ref":"https://x.example/s"}}}', 'properties.a.$ref:remoteRef'],
    ['{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}', 'properties.a.$ref:lostRef'],
    ['{"type":"object","properties":{"a":{"items":{"type":7}}}}', 'properties.a.items.type:type'],
  ])('%s: %s', (text, fault) => {
    expect(kinds(text)).toContain(fault)
  })

  test('reports a required name without a description as a hint, not a fault', () => {
    const read = readSchema('{"type":"object","properties":{"a":{}},"required":["a","b"],"additionalProperties":false}')
    expect(read.faults).toEqual([])
    expect(read.hints).toEqual([{ kind: 'requiredUnknown', path: 'required', value: 'b' }])
  })

  test('strict wants every name required and no others, also in nested schemas', () => {
    const { strict } = readSchema(
      '{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}},"additionalProperties":false}},"required":["a"]}',
    )
    expect(strict).toEqual([
      { kind: 'strictOptional', path: 'properties.a', value: 'b' },
      { kind: 'strictOpen', path: '', value: '' },
    ])
  })

  test('reads any JSON without throwing, with a limited number of faults', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(readSchema(text).faults.length).toBeLessThanOrEqual(12)
      }),
    )
    const deep = `${'{"type":"object","items":'.repeat(5_000)}{}${'}'.repeat(5_000)}`
    expect(readSchema(deep).faults.map(({ kind }) => kind)).toContain('deep')
  })

  test('sends the tool of the specification, without empty fields [CHAT-10]', () => {
    const tool = { name: 'weather', description: '', schema: examples.none, strict: false }
    expect(JSON.parse(toolAsSent(tool) ?? '')).toEqual({
      type: 'function',
      function: { name: 'weather', parameters: JSON.parse(examples.none) },
    })
    expect(JSON.parse(toolAsSent({ ...tool, description: 'Says it.', strict: true }) ?? '').function).toMatchObject({
      description: 'Says it.',
      strict: true,
    })
    expect(toolAsSent({ ...tool, schema: '{' })).toBeNull()
  })

  test("accepts names in the service's format, once each", () => {
    expect(functionNameFault('get_weather-2', [])).toBeNull()
    expect(functionNameFault('get weather', [])).toBe('form')
    expect(functionNameFault('a'.repeat(65), [])).toBe('form')
    expect(functionNameFault('', [])).toBe('empty')
    expect(functionNameFault('weather', ['weather'])).toBe('taken')
  })
})

describe('the server form', () => {
  const stdio = { ...newServer, name: 'files', command: 'npx', args: '-y\n@x/files\n/tmp' }

  test('writes one argument per line, whatever its characters', () => {
    fc.assert(
      fc.property(fc.array(fc.string().map((text) => text.replaceAll('\r', ''))), (args) => {
        expect(argsOf(linesOf(args))).toEqual(args)
      }),
    )
  })

  test('produces what the contract accepts', () => {
    const { server } = readServerForm({ ...stdio, env: [secretRow('TOKEN', 'x')], cwd: ' /srv ' }, [])
    expect(server).toEqual({
      name: 'files',
      transport: { kind: 'stdio', command: 'npx', args: ['-y', '@x/files', '/tmp'], env: ['TOKEN'], cwd: '/srv' },
      timeoutSeconds: 60,
      secrets: { TOKEN: 'x' },
    })
    expect(mcpServer.shape.transport.safeParse(server?.transport).success).toBe(true)
  })

  test('never fills in stored values, preserves them when left empty, and shows only their names', () => {
    const form = formOfServer({
      id: '0b54d4a1-93a8-4a4a-9b0e-6c1c6a1d6f11',
      name: 'search',
      transport: { kind: 'http', url: 'https://mcp.example/v1', headers: ['Authorization', 'X-Team'] },
      on: true,
      state: 'ready',
      problem: null,
      signIn: null,
      forgetsSecrets: false,
      about: null,
      tools: [],
      log: [],
      timeoutSeconds: 30,
    })
    expect(form.headers.map(({ value }) => value)).toEqual(['', ''])
    const [first, second] = form.headers
    if (!first || !second) throw new Error('Two headers were given.')
    const { server } = readServerForm({ ...form, headers: [first, { ...second, value: 'new' }] }, [])
    expect(server?.secrets).toEqual({ Authorization: null, 'X-Team': 'new' })
    expect(server?.id).toBe(form.id)
  })

  test.each([
    [{ ...stdio, name: ' ' }, { name: 'empty' }],
    [{ ...stdio, name: 'Notes' }, { name: 'taken' }],
    [{ ...stdio, command: '' }, { command: 'empty' }],
    [{ ...stdio, timeout: '0' }, { timeout: 'timeout' }],
    [{ ...stdio, timeout: '3601' }, { timeout: 'timeout' }],
    [{ ...stdio, env: [secretRow('A B', 'x')] }, { env: 'names' }],
    [{ ...stdio, env: [secretRow('A', 'x'), secretRow('A', 'y')] }, { env: 'twice' }],
    [{ ...stdio, env: [secretRow('A', '')] }, { env: 'value' }],
    [{ ...newServer, name: 'x', kind: 'http' as const, url: 'ftp://x' }, { url: 'url' }],
    [{ ...newServer, name: 'x', kind: 'http' as const, url: 'https://me:pass@x' }, { url: 'url' }],
    [
      { ...newServer, name: 'x', kind: 'http' as const, url: 'https://x', headers: [secretRow('A:', 'x')] },
      { headers: 'names' },
    ],
  ])('reports faults by field: %#', (form, errors) => {
    expect(readServerForm(form, ['notes']).errors).toEqual(errors)
  })

  test('warns about unencrypted addresses unless they are on this computer', () => {
    expect(isUnencrypted('http://mcp.example')).toBe(true)
    const here = ['localhost', 'localhost.', 'a.localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']
    for (const url of ['https://mcp.example', ...here.map((host) => `http://${host}:1`)])
      expect(isUnencrypted(url)).toBe(false)
  })
})

/** The placeholder for an input in editors' configurations. */
const placeholder = ['$', '{input:key}'].join('')

describe('an imported configuration', () => {
  const forms = (value: unknown) => readConfig(JSON.stringify(value)).servers.map(({ form }) => form)

  test('with mcpServers, as most programs write it, becomes one form per server', () => {
    const read = readConfig(
      JSON.stringify({
        mcpServers: {
          files: { command: 'npx', args: ['-y', '@x/files', '/tmp'], env: { TOKEN: 's3cret', OTHER: placeholder } },
          search: { type: 'http', url: 'https://mcp.example/v1', headers: { Authorization: 'Bearer abc' } },
          old: { type: 'sse', url: 'https://mcp.example/sse' },
          bare: {},
          odd: 7,
        },
      }),
    )
    const [files, search] = read.servers
    expect(files?.form).toMatchObject({ name: 'files', kind: 'stdio', command: 'npx', args: '-y\n@x/files\n/tmp' })
    expect(files?.form.env.map(({ name, value }) => [name, value])).toEqual([
      ['TOKEN', 's3cret'],
      ['OTHER', ''],
    ])
    expect(files?.blanks).toEqual(['OTHER'])
    expect(search?.form).toMatchObject({ name: 'search', kind: 'http', url: 'https://mcp.example/v1' })
    expect(search?.form.headers.map(({ name, value }) => [name, value])).toEqual([['Authorization', 'Bearer abc']])
    expect(read.leftOut).toEqual([
      { name: 'old', why: 'sse' },
      { name: 'bare', why: 'noCommand' },
      { name: 'odd', why: 'notObject' },
    ])
  })

  test.each([
    [{ servers: { a: { command: 'x' } } }],
    [{ mcp: { servers: { a: { command: 'x' } } } }],
    [{ context_servers: { a: { command: { path: 'x', args: [] } } } }],
    [{ a: { command: 'x' } }],
    [{ mcpServers: { a: { command: ['x'] } } }],
  ])('is read in the formats of other programs: %j', (config) => {
    expect(forms(config)).toMatchObject([{ name: 'a', kind: 'stdio', command: 'x' }])
  })

  test('of a single server is named after its program or host', () => {
    expect(forms({ command: '/usr/bin/notes-mcp' })).toMatchObject([{ name: 'notes-mcp' }])
    expect(forms({ url: 'https://mcp.example/x' })).toMatchObject([{ name: 'mcp.example' }])
  })

  test('reports the position of invalid JSON, and finds no server in other JSON', () => {
    expect(readConfig('{"mcpServers": {').json).toMatchObject({ line: 1, column: 17 })
    expect(readConfig('{"theme":"dark"}')).toEqual({ json: null, servers: [], leftOut: [] })
  })

  test('is read without throwing, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, wrapped) => {
        const read = readConfig(wrapped ? `{"mcpServers":{"a":${text}}}` : text)
        expect(read.json).toBeNull()
        for (const { form } of read.servers) expect(form.name.length).toBeLessThanOrEqual(60)
      }),
    )
  })
})
