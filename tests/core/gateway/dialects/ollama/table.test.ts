// The tables of docs/dialects/ollama.md name everything in the types of the ollama package, and what they say is true.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { allDialects } from '../../../../../src-main/core/gateway/dialects/dialects.ts'
import { localRouteOf } from '../../../../../src-main/core/gateway/dialects/routes.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { chat, details, generate } from './streams.ts'

const here = (path: string) => readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8')
const document = here('docs/dialects/ollama.md')
const types = here('node_modules/ollama/dist/browser.d.ts')

interface TableRow {
  name: string
  result: string
  /** Name in `x-studio-ignored`, or an empty string. */
  trace: string
}

function rowsOf(from: string, to: string | null): TableRow[] {
  const start = document.indexOf(`\n## ${from}\n`)
  const end = to === null ? document.length : document.indexOf(`\n## ${to}\n`)
  if (start === -1 || end <= start) throw new Error(`The document has no section ${from}.`)
  return document
    .slice(start, end)
    .split('\n')
    .flatMap((line) => {
      const [, name = '', result = '', , trace = ''] = line.split('|').map((cell) => cell.trim())
      return /^`[^`]+`$/.test(name) ? [{ name: name.slice(1, -1), result, trace: trace.replaceAll('`', '') }] : []
    })
}

/** The members of an interface of the package, of those inside `inside` if it is given. */
function membersOf(name: string, inside?: string): string[] {
  const [, body] = new RegExp(`\\ninterface ${name} \\{\\n(.*?)\\n\\}`, 's').exec(types) ?? []
  if (body === undefined) throw new Error(`The package has no interface ${name}.`)
  const [, inner] =
    inside === undefined ? [null, body] : (new RegExp(`^ {4}${inside}: \\{\\n(.*?)\\n {4}\\}`, 'ms').exec(body) ?? [])
  const indent = inside === undefined ? 4 : 8
  return [...(inner ?? '').matchAll(new RegExp(`^ {${indent}}(\\w+)\\??:`, 'gm'))].map(([, member = '']) => member)
}

const requestRows = rowsOf('Request fields', 'Messages')
const messageRows = rowsOf('Messages', 'Replies')
const replyRows = rowsOf('Replies', null)
const namesOf = (rows: TableRow[]): string[] => rows.map(({ name }) => name)

describe('the tables of Ollama’s API', () => {
  it('name every field of a request', () => {
    const fields = new Set([...membersOf('ChatRequest'), ...membersOf('GenerateRequest')])
    expect(
      namesOf(requestRows)
        .filter((name) => !/[.:]/.test(name))
        .sort(),
    ).toEqual([...fields].sort())
  })

  it('name every option, and the few that other clients send', () => {
    const options = namesOf(requestRows).flatMap((name) => (name.startsWith('options.') ? name.slice(8) : []))
    expect(options.sort()).toEqual(
      [...membersOf('Options'), 'min_p'].filter((name, at, all) => all.indexOf(name) === at).sort(),
    )
  })

  it('name every member of messages and tools', () => {
    expect(namesOf(messageRows).sort()).toEqual(
      [
        ...membersOf('Message').map((name) => `messages[].${name}`),
        'tools[].type',
        ...membersOf('Tool', 'function').map((name) => `tools[].function.${name}`),
      ].sort(),
    )
  })

  it('name every member of a reply', () => {
    const members = new Set([...membersOf('ChatResponse'), ...membersOf('GenerateResponse')])
    expect(namesOf(replyRows).sort()).toEqual([...members].sort())
  })

  it('say the truth about each member of a reply', () => {
    const whole = { choices: [{ message: { content: 'a', reasoning: 'b' }, finish_reason: 'stop' }] }
    const replies = [wholeReply(chat(), whole, details), wholeReply(generate(), whole, details)]
    const there = new Set(replies.flatMap((reply) => Object.keys(reply)))
    for (const { name, result } of replyRows) expect([name, there.has(name)]).toEqual([name, result !== 'left out'])
  })
})

/** A value that sets a field. */
const values: Record<string, unknown> = {
  model: 'm',
  messages: [{ role: 'user', content: 'x' }],
  stream: false,
  format: 'json',
  tools: [{ type: 'function', function: { name: 'a' } }],
  think: true,
  options: { seed: 1 },
  prompt: 'x',
  images: ['/9j/'],
  raw: true,
  system: 'x',
  'options.stop': 'x',
}
const ofGenerate = new Set([
  'prompt',
  'system',
  'images',
  'suffix',
  'raw',
  'template',
  'context',
  'width',
  'height',
  'steps',
])

/** A request with the field of a row. */
function requestWith(name: string): JsonObject {
  const [, thought] = /^think: (.*)$/.exec(name) ?? []
  if (thought !== undefined) return { think: thought === 'true' || (thought === 'false' ? false : thought) }
  if (name.startsWith('options.')) return { options: { [name.slice(8)]: values[name] ?? 1 } }
  return { [name]: values[name] ?? 'x' }
}

it.each(requestRows)('$name is $result, as the table says', ({ name, result, trace }) => {
  const make = ofGenerate.has(name) ? generate : chat
  if (result === 'refused') {
    expect(() => make(requestWith(name))).toThrow(DialectError)
    return
  }
  const request = make(requestWith(name))
  expect(request.ignored).toEqual(trace === '' ? [] : [trace])
  if (result === 'ignored') expect(request.chat).toEqual(make().chat)
})

it.each(messageRows.filter(({ trace }) => trace !== ''))('$name is named as $trace', ({ name, trace }) => {
  const member = name.split('.').at(-1) ?? ''
  const called = { name: 'a' }
  const tool = name.includes('function')
    ? { function: { ...called, [member]: 'x' } }
    : { function: called, type: 'TYPE' }
  const message = { role: 'assistant', content: 'x', [member]: member === 'images' ? ['/9j/'] : 'x' }
  const request = name.startsWith('tools') ? chat({ tools: [tool] }) : chat({ messages: [message] })
  expect(request.ignored).toEqual([trace])
})

it.each([
  ['POST', '/api/chat', 'create'],
  ['POST', '/api/generate', 'create'],
  ['POST', '/API/Chat/', 'create'],
  ['GET', '/api/tags', 'models'],
  ['HEAD', '/api/tags', 'answer'],
  ['POST', '/api/show', 'describe'],
  ['GET', '/api/version', 'answer'],
  ['GET', '/api/ps', 'answer'],
  ['GET', '/api/chat', 405],
  ['POST', '/api/tags', 405],
  ['POST', '/api/embed', 400],
  ['POST', '/api/embeddings', 400],
  ['POST', '/api/pull', 400],
  ['HEAD', '/api/blobs/sha256:00', 400],
  ['DELETE', '/api/delete', 400],
  ['POST', '/api', 404],
  ['GET', '/api/chat/x', 404],
  ['GET', '/api/unheard/of', 404],
])('%s %s is answered with %s, and never sent to the service under its own name', (method, path, wanted) => {
  const route = localRouteOf(method, path)
  expect(route?.dialect).toBe('ollama')
  expect(route?.action === 'refuse' ? route.status : route?.action).toBe(wanted)
})

it('no other dialect claims a path of this one', () => {
  const target = { method: 'POST', segments: ['api', 'chat'], path: '/api/chat', headers: {} }
  expect(allDialects.filter((dialect) => dialect.route(target) !== null).map(({ id }) => id)).toEqual(['ollama'])
})
