import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { wholeReply } from '../../../../helpers/replies.ts'
import { chunk, details, sent, translate } from './helpers/streams.ts'

const messagesOf = (messages: unknown[], changes: JsonObject = {}) => translate({ messages, ...changes }).chat.messages

/** The problem of a refused request. */
function refusal(changes: JsonObject): { param: string | null; message: string } {
  try {
    translate(changes)
  } catch (thrown) {
    if (!(thrown instanceof DialectError)) throw thrown
    expect(thrown.problem.status).toBe(400)
    return { param: thrown.problem.param, message: thrown.problem.message }
  }
  throw new Error('The request was accepted.')
}

const user = (...content: unknown[]) => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const call = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'read', input })
const result = (id: string, content: unknown, extra: JsonObject = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...extra,
})
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
const pngPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
const sentCall = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'read', arguments: args } })

describe('instructions', () => {
  it('puts system text and blocks first', () => {
    const hi = { role: 'user', content: 'hi' }
    expect(translate({ system: 'Be brief.' }).chat.messages).toEqual([{ role: 'system', content: 'Be brief.' }, hi])
    expect(translate({ system: [text('One.'), text('Two.')] }).chat.messages[0]).toEqual({
      role: 'system',
      content: 'One.\n\nTwo.',
    })
    expect(translate({ system: [] }).chat.messages).toEqual([hi])
  })

  it('accepts system and developer messages anywhere', () => {
    expect(
      messagesOf([
        user(text('a')),
        { role: 'system', content: [text('b'), text('c')] },
        { role: 'developer', content: 'd' },
      ]),
    ).toEqual([
      { role: 'user', content: 'a' },
      { role: 'system', content: 'b\n\nc' },
      { role: 'developer', content: 'd' },
    ])
  })

  it('drops a system message that was meant only until the next user message', () => {
    const once = { role: 'system', content: 'now', clear_at: 'next_user_message' }
    expect(messagesOf([user(text('a')), once, { role: 'assistant', content: 'b' }, user(text('c'))])).toHaveLength(3)
    expect(messagesOf([user(text('a')), once])).toHaveLength(2)
    expect(messagesOf([user(text('a')), { ...once, clear_at: 'never' }, user(text('c'))])).toHaveLength(3)
  })

  it('have a note in place of blocks that are not text', () => {
    const note = '[Content of the type "image", which this model can\'t get, was left out here.]'
    const { chat, ignored } = translate({ system: [png], messages: [{ role: 'system', content: [png] }] })
    expect(chat.messages.map(({ content }) => content)).toEqual([note, note])
    expect(ignored).toEqual(['messages.image'])
  })
})

describe('user content', () => {
  it('translates text and images in order', () => {
    expect(messagesOf([user(text('a'), png, text('b'))])).toEqual([
      { role: 'user', content: [text('a'), pngPart, text('b')] },
    ])
    const url = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
    expect(messagesOf([user(url)])[0]?.content).toEqual([
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ])
  })

  it('puts a note in place of images that are files, have another type or another address', () => {
    const at = (source: unknown) => translate({ messages: [user({ type: 'image', source })] })
    const { chat, ignored } = at({ type: 'file', file_id: 'f' })
    expect(chat.messages).toEqual([{ role: 'user', content: '[An image of the Files API was left out here.]' }])
    expect(ignored).toEqual(['messages.image.file'])
    expect(at({ type: 'base64', media_type: 'text/html', data: '' }).ignored).toEqual(['messages.image.base64'])
    expect(at({ type: 'url', url: 'file:///etc/passwd' }).ignored).toEqual(['messages.image.url'])
    expect(refusal({ messages: [user({ type: 'image' })] }).param).toBe('messages[0].content[0].source')
  })

  it('translates documents that are text, with their title', () => {
    const document = (source: JsonObject, extra: JsonObject = {}) =>
      messagesOf([user({ type: 'document', source, ...extra })])[0]?.content
    expect(document({ type: 'text', media_type: 'text/plain', data: 'abc' })).toBe('abc')
    expect(document({ type: 'text', data: 'abc' }, { title: 'T', context: 'C' })).toBe('Document: T\nContext: C\n\nabc')
    expect(document({ type: 'content', content: 'abc' })).toBe('abc')
    expect(document({ type: 'content', content: [text('a'), png] }, { title: 'T' })).toEqual([
      text('Document: T\n\na'),
      pngPart,
    ])
    const encoded = Buffer.from('größer').toString('base64')
    expect(document({ type: 'base64', media_type: 'text/markdown', data: encoded })).toBe('größer')
  })

  it('puts a note in place of documents at an address and of the Files API', () => {
    const at = (source: unknown) => translate({ messages: [user({ type: 'document', source })] })
    const { chat, ignored } = at({ type: 'url', url: 'https://example.com/a.pdf' })
    expect(chat.messages[0]?.content).toBe(
      '[The document at https://example.com/a.pdf, which was not downloaded, was left out here.]',
    )
    expect(ignored).toEqual(['messages.document.url'])
    expect(at({ type: 'file', file_id: 'f' }).ignored).toEqual(['messages.document.file'])
  })

  it('writes search results as text with their source', () => {
    const found = { type: 'search_result', title: 'T', source: 'https://x.example', content: [text('a'), text('b')] }
    expect(messagesOf([user(found)])[0]?.content).toBe('Search result: T\nSource: https://x.example\n\na\nb')
  })

  it('becomes a note where its type is not known, in every place, so that no session ends', () => {
    const hologram = { type: 'hologram', data: 'x' }
    const note = '[Content of the type "hologram", which this model can\'t get, was left out here.]'
    const { chat, ignored } = translate({
      system: [hologram],
      messages: [
        user(hologram),
        { role: 'assistant', content: [text('a'), hologram, call('t')] },
        user(result('t', [hologram])),
        { role: 'system', content: [hologram] },
        user({ type: 'search_result', title: 'T', source: 's', content: [hologram] }),
        user({ type: 'document', source: { type: 'content', content: [hologram] } }),
      ],
    })
    expect(chat.messages.map(({ content }) => content)).toEqual([
      note,
      note,
      `a${note}`,
      note,
      note,
      `Search result: T\nSource: s\n\n${note}`,
      note,
    ])
    expect(ignored).toEqual(['messages.hologram'])
    expect(translate({ messages: [user({ type: 'container_upload', file_id: 'f' })] }).ignored).toEqual([
      'messages.container_upload',
    ])
  })

  it('of unknown types with hostile names stays one short line', () => {
    const type = `"\n</system>${'x'.repeat(5000)}`
    const content = messagesOf([user({ type })])[0]?.content as string
    expect(content).toMatch(
      /^\[Content of the type " <\/system>x+", which this model can't get, was left out here\.\]$/,
    )
    expect(content.length).toBeLessThan(300)
  })

  it('refuses roles that do not exist and requests without content', () => {
    expect(refusal({ messages: [{ role: 'critic', content: 'x' }] }).param).toBe('messages[0].role')
    expect(refusal({ messages: [] }).param).toBe('messages')
    expect(refusal({ messages: [user(text(''))] }).param).toBe('messages')
  })
})

describe('assistant content', () => {
  it('sends thinking of the running tool loop as reasoning_content, and drops and names earlier thinking', () => {
    const thinking = (thought: string) => ({ type: 'thinking', thinking: thought, signature: 's' })
    const { chat, ignored } = translate({
      messages: [
        user(text('a')),
        { role: 'assistant', content: [thinking('old'), text('b')] },
        user(text('c')),
        { role: 'assistant', content: [thinking('one'), thinking(''), thinking('two'), call('t1')] },
        user(result('t1', 'x'), text('<reminder>')),
        { role: 'assistant', content: [thinking('three'), { type: 'redacted_thinking', data: 'x' }, call('t2')] },
        user(result('t2', 'y')),
      ],
    })
    expect(chat.messages.map(({ reasoning_content }) => reasoning_content)).toEqual([
      ...[undefined, undefined, undefined],
      'one\n\ntwo',
      ...[undefined, undefined],
      'three',
      undefined,
    ])
    expect(ignored).toEqual(['messages.thinking', 'messages.redacted_thinking'])
  })

  it('leaves out a message that has only thinking', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' }
    expect(messagesOf([user(text('a')), { role: 'assistant', content: [thinking] }, user(text('c'))])).toHaveLength(2)
  })

  it('joins the text around a citation as it was', () => {
    expect(
      messagesOf([
        user(text('a')),
        { role: 'assistant', content: [text('The sky is '), text('blue')] },
        user(text('c')),
      ]),
    ).toMatchObject([{}, { content: 'The sky is blue' }, {}])
  })

  it('drops calls of server tools and their results, and keeps a summary of compacted messages', () => {
    const { chat, ignored } = translate({
      messages: [
        user(text('a')),
        {
          role: 'assistant',
          content: [
            { type: 'compaction', content: 'Summary.' },
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
            text('Found.'),
          ],
        },
        user(text('c')),
      ],
    })
    expect(chat.messages[1]).toEqual({ role: 'assistant', content: 'Summary.Found.' })
    expect(ignored).toEqual(['messages.server_tool_use', 'messages.web_search_tool_result'])
    const lost = { role: 'assistant', content: [{ type: 'compaction', content: null, encrypted_content: 'x' }] }
    expect(messagesOf([lost, user(text('c'))])[0]?.content).toBe(
      '[A summary of earlier messages that only its own service can read was left out here.]',
    )
  })

  it('names a prefilled reply, which services do not continue', () => {
    const { chat, ignored } = translate({ messages: [user(text('a')), { role: 'assistant', content: 'The' }] })
    expect(chat.messages.at(-1)).toEqual({ role: 'assistant', content: 'The' })
    expect(ignored).toEqual(['prefill'])
  })
})

describe('tool calls and their results', () => {
  it('sends results directly after their calls, in the order of the calls, before other content', () => {
    expect(
      messagesOf([
        user(text('a')),
        { role: 'assistant', content: [text('b'), call('t1', { path: 'x' }), call('t2')] },
        { role: 'system', content: 'note' },
        user(text('c'), result('t2', 'two'), result('t1', [text('one'), text('more')])),
        user(text('d')),
      ]),
    ).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', tool_calls: [sentCall('t1', '{"path":"x"}'), sentCall('t2')] },
      { role: 'tool', tool_call_id: 't1', content: 'one\nmore' },
      { role: 'tool', tool_call_id: 't2', content: 'two' },
      { role: 'system', content: 'note' },
      { role: 'user', content: 'c' },
      { role: 'user', content: 'd' },
    ])
  })

  it('accepts results that are spread over several user messages', () => {
    const roles = messagesOf([
      user(text('a')),
      { role: 'assistant', content: [call('t1'), call('t2')] },
      user(result('t1', 'one'), text('and')),
      user(result('t2', 'two')),
    ]).map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
  })

  it('moves images of results to the user message after all results', () => {
    const calls = { role: 'assistant', content: [call('t1'), call('t2')] }
    const results = [result('t1', [text('a'), png]), result('t2', 'two')]
    const label = text('Images of the result of tool call t1:')
    const tools = [
      { role: 'tool', tool_call_id: 't1', content: 'a\n(Image 1 of this result is in the next user message.)' },
      { role: 'tool', tool_call_id: 't2', content: 'two' },
    ]
    const afterCalls = (...content: unknown[]) => messagesOf([user(text('q')), calls, user(...content)]).slice(2)
    expect(afterCalls(...results)).toEqual([...tools, { role: 'user', content: [label, pngPart] }])
    expect(afterCalls(...results, text('b'))).toEqual([
      ...tools,
      { role: 'user', content: [label, pngPart, text('b')] },
    ])
    expect(messagesOf([user(text('q')), calls, { role: 'system', content: 's' }, user(...results)]).slice(2)).toEqual([
      ...tools,
      { role: 'user', content: [label, pngPart] },
      { role: 'system', content: 's' },
    ])
  })

  it('says in the text that a tool failed', () => {
    const contentOf = (block: JsonObject) =>
      messagesOf([user(text('a')), { role: 'assistant', content: [call('t')] }, user(block)])[2]?.content
    expect(contentOf(result('t', 'no such file', { is_error: true }))).toBe('The tool reported an error:\nno such file')
    expect(contentOf(result('t', 'fine', { is_error: false }))).toBe('fine')
    expect(contentOf(result('t', undefined))).toBe('')
    expect(contentOf(result('t', [{ type: 'tool_reference', tool_name: 'web' }]))).toBe('The tool web is available.')
    expect(contentOf(result('t', [{ type: 'document', source: { type: 'text', data: 'abc' } }]))).toBe('abc')
  })

  it('refuses a call without a result and a result without a call, and names them', () => {
    const assistant = { role: 'assistant', content: [text('b'), call('t1')] }
    expect(refusal({ messages: [user(text('a')), assistant, user(text('c'))] }).param).toBe('messages[1].content[1]')
    expect(refusal({ messages: [user(text('a')), assistant] }).param).toBe('messages[1].content[1]')
    expect(refusal({ messages: [user(result('t9', 'x'))] }).param).toBe('messages[0].content[0].tool_use_id')
    expect(refusal({ messages: [user(text('a')), assistant, user(result('t1', 'x'), result('t1', 'y'))] }).param).toBe(
      'messages[2].content[1].tool_use_id',
    )
    expect(refusal({ messages: [user(text('a')), { role: 'assistant', content: [call('t'), call('t')] }] }).param).toBe(
      'messages[1].content[1].id',
    )
  })

  it('refuses a late result instead of guessing where it belongs', () => {
    const messages = [
      user(text('a')),
      { role: 'assistant', content: [call('t1')] },
      { role: 'assistant', content: 'b' },
      user(result('t1', 'x')),
    ]
    expect(refusal({ messages }).param).toBe('messages[1].content[0]')
  })

  it('restores ids that the service wrote with other characters', () => {
    const id = 'call:ünï 1'
    const reply = wholeReply(
      translate(),
      {
        choices: [
          {
            message: { tool_calls: [{ id, function: { name: 'read', arguments: '{}' } }] },
            finish_reason: 'tool_calls',
          },
        ],
      },
      { id: 'msg_1', createdAt: 0, model: 'm', tokensIn: 1 },
    )
    const content = reply.content as { id: string }[]
    expect(content[0]?.id).toMatch(/^[a-zA-Z0-9_-]+$/)
    const sent = messagesOf([user(text('a')), { role: 'assistant', content }, user(result(content[0]?.id ?? '', 'x'))])
    expect(sent[1]?.tool_calls?.[0]?.id).toBe(id)
    expect(sent[2]?.tool_call_id).toBe(id)
  })
})

describe('deferred tools', () => {
  const tool = (name: string, more: JsonObject = {}) => ({ name, input_schema: { type: 'object' }, ...more })
  const deferred = [tool('search'), tool('a', { defer_loading: true }), tool('b', { defer_loading: true })]
  const sentWith = (messages: unknown[], changes: JsonObject = {}) => {
    const { chat, ignored } = translate({ tools: deferred, messages: [user(text('x')), ...messages], ...changes })
    const tools = chat.tools as { function: { name: string } }[] | undefined
    return { names: tools?.map((each) => each.function.name), ignored }
  }
  const answered = (content: unknown[]) => [{ role: 'assistant', content: [call('t')] }, user(result('t', content))]

  it('are sent once a tool result refers to them, as the clients that search themselves do', () => {
    expect(sentWith([])).toEqual({ names: ['search'], ignored: [] })
    expect(sentWith(answered([{ type: 'tool_reference', tool_name: 'b' }])).names).toEqual(['search', 'b'])
  })

  it('are sent once a search on the servers of the vendor found them, were added, or were called', () => {
    const tool_references = [{ type: 'tool_reference', tool_name: 'a' }]
    const found = {
      type: 'tool_search_tool_result',
      content: { type: 'tool_search_tool_search_result', tool_references },
    }
    expect(sentWith([{ role: 'assistant', content: [found] }, user(text('y'))]).names).toEqual(['search', 'a'])
    const addition = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'b' } }
    expect(sentWith([{ role: 'system', content: [addition] }]).names).toEqual(['search', 'b'])
    const used = { role: 'assistant', content: [{ ...call('t'), name: 'a' }] }
    expect(sentWith([used, user(result('t', 'z'))]).names).toEqual(['search', 'a'])
  })

  it('are all sent when only the servers of the vendor could search', () => {
    const tools = [...deferred, { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }]
    expect(sentWith([], { tools })).toEqual({
      names: ['search', 'a', 'b'],
      ignored: ['tools.tool_search_tool_bm25_20251119', 'tools.defer_loading'],
    })
  })
})

describe('names of tools that services refuse', () => {
  it('are shortened in tools, choice and history, and restored in whole and streamed replies', async () => {
    const own = `mcp__${'long'.repeat(20)}.read`
    const changes = {
      tools: [{ name: own, input_schema: {} }],
      tool_choice: { type: 'tool', name: own },
      messages: [
        user(text('a')),
        { role: 'assistant', content: [{ ...call('t'), name: own }] },
        user(result('t', [{ type: 'tool_reference', tool_name: own }])),
      ],
    }
    const request = translate(changes)
    const [
      {
        function: { name },
      },
    ] = request.chat.tools as [{ function: { name: string } }]
    expect(name).toMatch(/^[\w-]{1,64}$/)
    expect(request.chat.tool_choice).toEqual({ type: 'function', function: { name } })
    expect(request.chat.messages[1]?.tool_calls?.[0]?.function.name).toBe(name)
    expect(request.chat.messages[2]?.content).toBe(`The tool ${name} is available.`)
    const tool_calls = [{ index: 0, id: 'b', function: { name, arguments: '{}' } }]
    const reply = wholeReply(request, { choices: [{ message: { tool_calls }, finish_reason: 'tool_calls' }] }, details)
    expect(reply.content).toMatchObject([{ type: 'tool_use', name: own }])
    const [before, after] = [name.slice(0, 9), name.slice(9)]
    const events = await sent(
      [
        chunk({ tool_calls: [{ index: 0, id: 'b', function: { name: before, arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { name: after, arguments: '{}' } }] }),
        chunk({}, 'tool_calls'),
      ],
      true,
      changes,
    )
    expect(events.find(({ type }) => type === 'content_block_start')?.content_block).toMatchObject({ name: own })
  })
})

describe('tools that messages change', () => {
  const tool = (name: string) => ({ name, input_schema: { type: 'object' } })
  const namesOf = (chat: { tools?: unknown[] }) =>
    (chat.tools as { function: { name: string } }[] | undefined)?.map((each) => each.function.name)

  it('adds and removes them in order', () => {
    const change = (type: string, reference: JsonObject) => ({ type, tool: reference })
    const { chat, ignored } = translate({
      tools: [tool('a'), tool('b')],
      messages: [
        user(text('x')),
        {
          role: 'system',
          content: [
            change('tool_removal', { type: 'tool_reference', name: 'a' }),
            change('tool_addition', { type: 'tool_definition', definition: tool('c') }),
            change('tool_addition', { type: 'mcp_toolset_reference', server_name: 's' }),
          ],
        },
      ],
    })
    expect(namesOf(chat)).toEqual(['b', 'c'])
    expect(ignored).toEqual(['messages.tool_addition'])
  })
})

it('translates a request as a coding agent sends it', () => {
  const cache_control = { type: 'ephemeral' }
  const { chat, ignored, stream } = translate({
    model: 'claude-sonnet-4-5',
    max_tokens: 32_000,
    stream: true,
    system: [
      { ...text('x-billing: cli'), cache_control: null },
      { ...text('You are a coding agent.'), cache_control },
    ],
    thinking: { type: 'adaptive', display: 'summarized' },
    context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
    output_config: { effort: 'high' },
    metadata: { user_id: 'user_1' },
    tools: [
      { name: 'Read', description: 'Reads a file.', input_schema: { type: 'object' } },
      { name: 'Web', description: 'Fetches.', input_schema: { type: 'object' }, defer_loading: true },
    ],
    messages: [
      user(text('<reminder>a</reminder>'), { ...text('Fix the bug.'), cache_control }),
      { role: 'system', content: 'The date changed.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: '' },
          text('I read both.'),
          { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: 'a' }, caller: { type: 'direct' } },
          { type: 'tool_use', id: 'toolu_2', name: 'Read', input: { path: 'b' }, caller: { type: 'direct' } },
        ],
      },
      user(result('toolu_1', 'A'), { ...result('toolu_2', 'No file.', { is_error: true }), cache_control }),
    ],
  })
  expect(stream).toBe(true)
  expect(chat.messages.map(({ role }) => role)).toEqual(['system', 'user', 'system', 'assistant', 'tool', 'tool'])
  expect(chat.messages[3]?.tool_calls?.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_2'])
  expect(chat).toMatchObject({ reasoning_effort: 'high', max_tokens: 32_000, stream: true })
  // The deferred tool was not found yet.
  expect(chat.tools).toHaveLength(1)
  expect(chat.messages[3]?.reasoning_content).toBe('Hm')
  expect([...ignored].sort()).toEqual([
    'cache_control',
    'context_management',
    'metadata',
    'thinking.adaptive',
    'thinking.display',
  ])
})
