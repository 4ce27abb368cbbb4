import fc from 'fast-check'

// Requests of which one field is repeated until the body has a wanted size: as an app could send them to stop the program.

type Json = Record<string, unknown>
export interface RepeatedRequest {
  path: string
  /** What is repeated, for the message of a failed test. */
  name: string
  body: string
}

/** Unicode's white space, and characters of one to four bytes and of all escapes. */
const runs = [
  ' ',
  '\t',
  '\n',
  '\r',
  '\v',
  '\f',
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u205f',
  '\u3000',
  '\ufeff',
  'a',
  'é',
  '漢',
  '😀',
  '\ud800',
  '\0',
  '"',
  '\\',
  '/',
  '<',
  '%41',
  '\\u0041',
  '&amp;',
  'isk_',
  'data:',
  '=',
  '- ',
  'a b',
]

/** One entry of a list, made for its place and a text. */
type Make = (at: number, text: string) => unknown

const user = (content: unknown): Json => ({ role: 'user', content })
const functionTool: Make = (at, text) => ({
  type: 'function',
  name: `f${at}`,
  description: text,
  parameters: { type: 'object' },
})
/** Names of tools that get one short name. */
const sameName: Make = (at) => ({
  type: 'namespace',
  name: `${'n'.repeat(60)}${'_'.repeat(at % 20)}`,
  tools: [{ type: 'function', name: `${'_'.repeat(20 - (at % 20))}t${Math.floor(at / 20)} ` }],
})

/** Lists of the Responses API: what is repeated, and the request around it. */
const responses: Record<string, [Make, (list: unknown[]) => Json]> = {
  messages: [(_, text) => user(text), (input) => ({ input })],
  'messages without text': [() => user(''), (input) => ({ input })],
  parts: [(_, text) => ({ type: 'input_text', text }), (content) => ({ input: [user(content)] })],
  images: [() => ({ type: 'input_image', image_url: 'data:,' }), (content) => ({ input: [user(content)] })],
  'files in base64': [
    (_, text) => ({ type: 'input_file', file_data: Buffer.from(text).toString('base64') }),
    (content) => ({ input: [user(content)] }),
  ],
  'calls and results': [
    (at, text) =>
      at % 2 === 0
        ? { type: 'function_call', call_id: `c${at}`, name: 'f', arguments: text }
        : { type: 'function_call_output', call_id: `c${at - 1}`, output: text },
    (input) => ({ input: input.length % 2 === 0 ? input : input.slice(1) }),
  ],
  'reasoning before calls of one turn': [
    (at, text) => [
      { type: 'reasoning', content: [{ type: 'reasoning_text', text }] },
      { type: 'function_call', call_id: `c${at}`, name: 'f', arguments: '{}' },
    ],
    (list) => ({
      input: [
        ...list.flat(),
        ...list.map((_, at) => ({ type: 'function_call_output', call_id: `c${at}`, output: '' })),
      ],
    }),
  ],
  'images of one result': [
    () => ({ type: 'input_image', image_url: 'data:,' }),
    (output) => ({
      input: [
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output },
      ],
    }),
  ],
  'summaries of reasoning': [
    (_, text) => ({ type: 'summary_text', text }),
    (summary) => ({ input: [user('x'), { type: 'reasoning', summary }] }),
  ],
  updates: [
    (at) => ({
      type: 'configuration_update',
      reasoning:
        at === 0 ? Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`k${n}`, 1])) : { effort: 'low' },
    }),
    (input) => ({ input: [...input, user('x')] }),
  ],
  'additional tools': [
    (at, text) => ({ type: 'additional_tools', tools: [functionTool(at, text)] }),
    (input) => ({ input: [...input, user('x')] }),
  ],
  references: [(at) => ({ type: 'item_reference', id: `msg_${at}` }), (input) => ({ input })],
  'the same reference': [() => ({ id: 'msg_long' }), (input) => ({ input })],
  tools: [functionTool, (tools) => ({ input: 'x', tools })],
  'custom tools': [
    (at, text) => ({ type: 'custom', name: `c${at}`, format: { type: 'grammar', syntax: 'lark', definition: text } }),
    (tools) => ({ input: 'x', tools }),
  ],
  'tools with one short name': [sameName, (tools) => ({ input: 'x', tools })],
  'tools that run elsewhere': [(at) => ({ type: `web_search_${at}` }), (tools) => ({ input: 'x', tools })],
  'allowed tools': [
    (at) => ({ type: 'function', name: `f${at}` }),
    (list) => ({
      input: 'x',
      tools: [{ type: 'namespace', name: 'n', tools: list }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: list },
    }),
  ],
  'allowed namespaces': [
    (at) => ({ type: 'function', name: `f${at}` }),
    (list) => ({
      input: 'x',
      tools: [{ type: 'namespace', name: 'n', tools: list }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: list.map(() => ({ type: 'namespace', name: 'n' })) },
    }),
  ],
  include: [(at) => `reasoning.${at}`, (include) => ({ input: 'x', include })],
  metadata: [
    (at, text) => [`k${at}`, text],
    (list) => ({ input: 'x', metadata: Object.fromEntries(list as [string, string][]) }),
  ],
  'unknown fields': [
    (at, text) => [`unknown${at}`, text],
    (list) => ({ input: 'x', ...Object.fromEntries(list as [string, string][]) }),
  ],
  'empty lists': [() => [], (list) => ({ input: 'x', unknown: list })],
  'members of a schema': [
    (at) => [`k${at}`, {}],
    (list) => ({
      input: 'x',
      text: { format: { type: 'json_schema', name: 'n', schema: Object.fromEntries(list as [string, unknown][]) } },
    }),
  ],
}

const block = (type: string, more: Json = {}): Json => ({ type, ...more })
const messages: Record<string, [Make, (list: unknown[]) => Json]> = {
  messages: [(_, text) => user(text), (list) => ({ messages: list })],
  'messages without blocks': [() => user([]), (list) => ({ messages: [...list, user('x')] })],
  'text blocks': [(_, text) => block('text', { text }), (content) => ({ messages: [user(content)] })],
  images: [
    () => block('image', { source: { type: 'url', url: 'http://a' } }),
    (content) => ({ messages: [user(content)] }),
  ],
  'parts of a document': [
    (_, text) => block('text', { text }),
    (content) => ({ messages: [user([block('document', { source: { type: 'content', content } })])] }),
  ],
  'search results': [
    (_, text) => block('search_result', { title: 't', source: 's', content: [block('text', { text })] }),
    (content) => ({ messages: [user(content)] }),
  ],
  'calls and results': [
    (at) => block('tool_use', { id: `t${at}`, name: 'f', input: {} }),
    (list) => ({
      messages: [
        user('x'),
        { role: 'assistant', content: list },
        user(
          list.map((_, at) =>
            block('tool_result', {
              tool_use_id: `t${at}`,
              content: [block('image', { source: { type: 'url', url: 'http://a' } })],
            }),
          ),
        ),
      ],
    }),
  ],
  'images of one result': [
    () => block('image', { source: { type: 'url', url: 'http://a' } }),
    (content) => ({
      messages: [
        { role: 'assistant', content: [block('tool_use', { id: 't', name: 'f', input: {} })] },
        user([block('tool_result', { tool_use_id: 't', content })]),
      ],
    }),
  ],
  thinking: [
    (_, text) => block('thinking', { thinking: text, signature: '' }),
    (content) => ({ messages: [user('x'), { role: 'assistant', content }] }),
  ],
  tools: [
    (at, text) => ({ name: `f${at}`, description: text, input_schema: {} }),
    (tools) => ({ messages: [user('x')], tools }),
  ],
  'tools with one name': [() => ({ name: 'f', input_schema: {} }), (tools) => ({ messages: [user('x')], tools })],
  'removals of tools with one name': [
    (at) =>
      at % 2 === 0
        ? { name: 'f', input_schema: {} }
        : block('tool_removal', { tool: { type: 'tool_reference', name: 'f' } }),
    (list) => ({
      tools: list.filter((_, at) => at % 2 === 0),
      messages: [user('x'), { role: 'system', content: list.filter((_, at) => at % 2 === 1) }],
    }),
  ],
  'stop sequences': [(_, text) => text, (list) => ({ messages: [user('x')], stop_sequences: list })],
  'system blocks': [(_, text) => block('text', { text }), (system) => ({ system, messages: [user('x')] })],
  'MCP servers': [(at) => ({ name: `s${at}` }), (list) => ({ messages: [user('x')], mcp_servers: list })],
  'unknown fields': [
    (at, text) => [`unknown${at}`, text],
    (list) => ({ messages: [user('x')], ...Object.fromEntries(list as [string, string][]) }),
  ],
  'empty objects': [() => ({}), (list) => ({ messages: [user('x')], unknown: list })],
}

const chat: Record<string, [Make, (list: unknown[]) => Json]> = {
  messages: [(_, text) => user(text), (list) => ({ messages: list })],
  parts: [(_, text) => ({ type: 'text', text }), (content) => ({ messages: [user(content)] })],
  images: [() => ({ type: 'image_url', image_url: {} }), (content) => ({ messages: [user(content)] })],
  tools: [
    (at, text) => ({ type: 'function', function: { name: `f${at}`, description: text } }),
    (tools) => ({ messages: [user('x')], tools }),
  ],
  'stop sequences': [(_, text) => text, (stop) => ({ messages: [user('x')], stop })],
  'members of many kinds': [
    (at, text) => [`model${at}`, text],
    (list) => ({ messages: [user('x')], ...Object.fromEntries(list as [string, string][]) }),
  ],
  'empty lists': [() => [], (list) => ({ messages: [user('x')], logit_bias: list })],
}

const kinds = [
  ...Object.entries(responses).map(([name, how]) => ({ path: '/responses', name, how })),
  ...Object.entries(responses)
    .slice(0, 12)
    .map(([name, how]) => ({ path: '/responses/compact', name, how })),
  ...Object.entries(messages).map(([name, how]) => ({ path: '/messages', name, how })),
  ...Object.entries(messages).map(([name, how]) => ({ path: '/messages/count_tokens', name, how })),
  ...Object.entries(chat).map(([name, how]) => ({ path: '/chat/completions', name, how })),
]

/** The list with as many entries as make the body about as long as wanted. */
function filled([make, around]: [Make, (list: unknown[]) => Json], text: string, size: number): Json {
  const lengthOf = (count: number): number =>
    JSON.stringify(around(Array.from({ length: count }, (_, at) => make(at, text)))).length
  const each = Math.max(1, (lengthOf(40) - lengthOf(20)) / 20)
  const count = Math.max(2, Math.min(Math.floor(size / each), 400_000))
  return around(Array.from({ length: count }, (_, at) => make(at, text)))
}

/** @param sizes about how long the bodies are, bytes */
export const repeatedRequests = (sizes: readonly number[]): fc.Arbitrary<RepeatedRequest> =>
  fc
    .record({
      kind: fc.constantFrom(...kinds),
      run: fc.constantFrom(...runs),
      // Either many short entries or few long ones.
      repeats: fc.constantFrom(0, 1, 1, 30, 3000, 'all' as const),
      size: fc.constantFrom(...sizes),
      stream: fc.boolean(),
    })
    .map(({ kind: { path, name, how }, run, repeats, size, stream }) => {
      const text = run.repeat(
        repeats === 'all' ? Math.floor(size / 2 / Buffer.byteLength(JSON.stringify(run).slice(1, -1))) : repeats,
      )
      const body = JSON.stringify({ model: 'm', max_tokens: 5, stream, ...filled(how, text, size) })
      return { path, name: `${name} of ${repeats} times ${JSON.stringify(run)}`, body }
    })

/** One of each kind, with an empty text: as many values as fit. */
export const oneOfEach = (size: number): RepeatedRequest[] =>
  kinds.map(({ path, name, how }) => ({
    path,
    name,
    body: JSON.stringify({ model: 'm', max_tokens: 5, ...filled(how, '', size) }),
  }))
