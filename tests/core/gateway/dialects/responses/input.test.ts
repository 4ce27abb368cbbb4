import { describe, expect, it } from 'vitest'
import { DialectError } from '../../../../../src-main/core/gateway/dialects/dialectError.ts'
import { RequestFiles } from '../../../../../src-main/core/gateway/dialects/requestFiles.ts'
import { nothingStored } from '../../../../../src-main/core/gateway/dialects/responses/inputItems.ts'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { wholeReply } from '../../../../helpers/replies.ts'

const translate = (input: unknown, more: JsonObject = {}) => translateResponses({ model: 'm', input, ...more })
const messagesOf = (input: unknown, more: JsonObject = {}) => translate(input, more).chat.messages
const user = (content: unknown): JsonObject => ({ role: 'user', content })
const call = (call_id: string, args = '{}'): JsonObject => ({
  type: 'function_call',
  call_id,
  name: 'look',
  arguments: args,
})
const result = (call_id: string, output: unknown = call_id): JsonObject => ({
  type: 'function_call_output',
  call_id,
  output,
})

/** The error that a request is refused with. */
function refusal(run: () => unknown): { param: string | null; message: string; status: number } {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof DialectError) return { ...thrown.problem, message: thrown.message }
    throw thrown
  }
  throw new Error('The request was not refused.')
}

describe('messages', () => {
  it('are a user message for a string', () => {
    expect(messagesOf('Hello')).toEqual([{ role: 'user', content: 'Hello' }])
  })

  it('follow the instructions, which are a system message', () => {
    expect(messagesOf('Hello', { instructions: 'Be brief.' })[0]).toEqual({ role: 'system', content: 'Be brief.' })
  })

  it('have no system message for empty instructions', () => {
    expect(messagesOf('Hello', { instructions: '' })).toHaveLength(1)
  })

  it('have the role of their item, developer included', () => {
    const input = ['system', 'developer', 'user', 'assistant'].map((role) => ({ type: 'message', role, content: role }))
    expect(messagesOf(input)).toEqual(input.map(({ role, content }) => ({ role, content })))
  })

  it('have one text as a string and several parts as a list', () => {
    const parts = [
      { type: 'input_text', text: 'Look' },
      { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'original' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
    ]
    expect(messagesOf([user(parts.slice(0, 1)), user(parts)])).toEqual([
      { role: 'user', content: 'Look' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'high' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
    ])
  })

  it('of the assistant have their texts and refusals joined', () => {
    const content = [
      { type: 'output_text', text: 'I ', annotations: [] },
      { type: 'refusal', refusal: 'can’t.' },
    ]
    expect(
      messagesOf([{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content }, user('Why?')]),
    ).toEqual([
      { role: 'assistant', content: 'I can’t.' },
      { role: 'user', content: 'Why?' },
    ])
  })
})

describe('files', () => {
  it.each([
    { filename: 'a.pdf', file_data: `data:application/pdf;base64,${Buffer.from('%PDF-1.4').toString('base64')}` },
    { filename: 'a.pdf', file_data: Buffer.from('%PDF-1.4 text').toString('base64') },
    { filename: 'a.txt', file_data: 'data:text/plain,a%00b' },
    { filename: 'a.bin', file_data: Buffer.from('ff00', 'hex').toString('base64') },
    { filename: 'a.docx', file_data: 'data:application/msword;base64,AAAA' },
  ])('that are not text are read by the document converter: %j', (part) => {
    const unread = new RequestFiles()
    const body = { model: 'm', input: [user([{ type: 'input_file', ...part }])] }
    translateResponses(body, nothingStored, { files: unread })
    const [one] = unread.unread
    expect([unread.unread.length, one?.name]).toEqual([1, part.filename])
    const read = (text: string, problem: string | null) =>
      translateResponses(body, nothingStored, {
        files: new RequestFiles(new Map([[one?.id ?? '', { text, problem }]])),
      })
    const content = (request: ReturnType<typeof read>) => request.chat.messages[0]?.content
    expect(content(read('The harbour.', null))).toBe(`<file name="${part.filename}">\nThe harbour.\n</file>`)
    expect(read('The harbour.', null).ignored).toEqual([])
    expect(content(read('', 'It is damaged.'))).toBe(`[The file "${part.filename}" could not be read: It is damaged.]`)
    expect(read('', 'It is damaged.').ignored).toEqual(['input.input_file'])
  })

  const file = (part: JsonObject) => () => messagesOf([user([{ type: 'input_file', ...part }])])
  const base64 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('base64')

  it.each([
    [{ filename: 'a.md', file_data: `data:text/markdown;base64,${base64('# A')}` }, '<file name="a.md">\n# A\n</file>'],
    [{ filename: 'a.json', file_data: 'data:application/json,%7B%7D' }, '<file name="a.json">\n{}\n</file>'],
    [{ file_data: base64('plain') }, '<file name="file">\nplain\n</file>'],
    [{ filename: 'a"b', file_data: 'data:;base64,eA==' }, '<file name="a\\"b">\nx\n</file>'],
  ])('of text are sent as text: %j', (part, text) => {
    expect(file(part)()).toEqual([{ role: 'user', content: text }])
  })

  it.each([
    [{ file_data: '*' }, 'input[0].content[0].file_data'],
    [{ file_data: 'data:text/plain,%zz' }, 'input[0].content[0].file_data'],
    [{}, 'input[0].content[0].file_data'],
  ])('that are not there are refused: %j', (part, param) => {
    expect(refusal(file(part))).toMatchObject({ param, status: 400 })
  })
})

describe('tool calls', () => {
  it('of one turn become one message, and their results follow it in the order of the calls', () => {
    const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Both.' }] }
    expect(
      messagesOf([user('Go'), said, call('a', '{"x":1}'), call('b'), result('b'), result('a'), user('Well?')]),
    ).toEqual([
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: 'Both.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: '{"x":1}' } },
          { id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'a' },
      { role: 'tool', tool_call_id: 'b', content: 'b' },
      { role: 'user', content: 'Well?' },
    ])
  })

  it('are followed by their results even where the app put other messages between', () => {
    const roles = messagesOf([call('a'), user('Wait'), { role: 'developer', content: 'Note' }, result('a')]).map(
      ({ role }) => role,
    )
    expect(roles).toEqual(['assistant', 'tool', 'user', 'developer'])
  })

  it('after a result belong to the next turn', () => {
    const roles = messagesOf([call('a'), result('a'), call('b'), result('b')]).map(({ role }) => role)
    expect(roles).toEqual(['assistant', 'tool', 'assistant', 'tool'])
  })

  it('can have the same ids in each turn', () => {
    const contents = messagesOf([call('0'), result('0', 'first'), call('0'), result('0', 'second')]).map(
      ({ content }) => content,
    )
    expect(contents).toEqual([null, 'first', null, 'second'])
  })

  it('have text between call and result in their message', () => {
    const said = { role: 'assistant', content: 'On it.' }
    expect(messagesOf([call('a'), said, result('a')])[0]).toMatchObject({
      content: 'On it.',
      tool_calls: [{ id: 'a' }],
    })
  })

  it('have images of results in a user message after the results', () => {
    const output = [
      { type: 'input_text', text: 'See' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
    ]
    expect(messagesOf([call('a'), call('b'), result('a', output), result('b'), user('Well?')]).slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'See\nThe image is in the next user message.' },
      { role: 'tool', tool_call_id: 'b', content: 'b' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of the call a of look:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
        ],
      },
      { role: 'user', content: 'Well?' },
    ])
  })

  it('of custom tools have their text as the argument of the function', () => {
    const items = [
      { type: 'custom_tool_call', call_id: 'a', name: 'write', input: 'a "b"\n' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
    ]
    expect(messagesOf(items)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'write', arguments: '{"input":"a \\"b\\"\\n"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    ])
  })

  it('of a namespace have the joined name', () => {
    const [message] = messagesOf([{ ...call('a'), namespace: 'box' }, result('a')])
    expect(message?.tool_calls?.[0]?.function.name).toBe('box__look')
  })

  it.each([
    ['a call without result', [user('x'), call('a')], 'input[1].call_id'],
    ['a result without call', [user('x'), result('a')], 'input[1].call_id'],
    ['a result before its call', [result('a'), call('a')], 'input[0].call_id'],
    ['two results for one call', [call('a'), result('a'), result('a')], 'input[2].call_id'],
    ['a call without id', [{ ...call('a'), call_id: null }], 'input[0].call_id'],
    ['arguments that are not text', [{ ...call('a'), arguments: {} }, result('a')], 'input[0].arguments'],
    ['an output that is neither text nor a list', [call('a'), result('a', { ok: true })], 'input[1].output'],
  ])('are refused for %s', (_, input, param) => {
    expect(refusal(() => messagesOf(input))).toMatchObject({ param, status: 400 })
  })
})

describe('reasoning', () => {
  const reasoning = (text: string) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    content: [{ type: 'reasoning_text', text }],
    encrypted_content: 'gAAA',
  })

  it('of the current turn is sent with the message that it led to', () => {
    const { chat, ignored } = translate([user('Go'), reasoning('Hm'), call('a'), result('a')])
    expect(chat.messages[1]).toMatchObject({ role: 'assistant', reasoning_content: 'Hm', tool_calls: [{ id: 'a' }] })
    expect(ignored).toEqual(['input.encrypted_content'])
  })

  it('of earlier turns is sent only when the request asks for all turns', () => {
    const input = [user('Go'), reasoning('Hm'), { role: 'assistant', content: 'Done' }, user('More')]
    expect(messagesOf(input)[1]).toEqual({ role: 'assistant', content: 'Done' })
    expect(messagesOf(input, { reasoning: { context: 'all_turns' } })[1]).toMatchObject({ reasoning_content: 'Hm' })
  })

  it('without a message is named in the ignored fields', () => {
    expect(translate([user('Go'), reasoning('Hm')]).ignored).toContain('input.reasoning')
  })
})

describe('other items', () => {
  it.each(['web_search_call', 'file_search_call', 'mcp_list_tools', 'code_interpreter_call'])(
    'of the type %s are left out and named',
    (type) => {
      const { chat, ignored } = translate([user('Go'), { type, id: 'x', status: 'completed' }])
      expect(chat.messages).toHaveLength(1)
      expect(ignored).toEqual([`input.${type}`])
    },
  )

  it.each(['computer_call_output', 'mcp_approval_response', 'constructor', 'brand_new'])(
    'of the type %s end no session: a note takes their place',
    (type) => {
      const { chat, ignored } = translate([user('Go'), { type, id: 7, output: {} }, user('On')])
      const note = `[An item of the type "${type}" was left out here.]`
      expect(chat.messages.map(({ content }) => content)).toEqual(['Go', note, 'On'])
      expect(ignored).toEqual([`input.${type}`])
    },
  )

  it('of unknown types between a call and its result leave both together', () => {
    const { chat } = translate([user('Go'), call('a'), { type: 'brand_new' }, call('b'), result('b'), result('a')])
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool'])
  })

  it.each([
    ['a content type', { type: 'input_audio', input_audio: {} }, 'Content of the type "input_audio"', 'input_audio'],
    ['an image by file id', { type: 'input_image', file_id: 'f' }, 'An image of the Files API', 'file_id'],
    ['a file by file id', { type: 'input_file', file_id: 'f' }, 'A file of the Files API', 'file_id'],
    [
      'a file by address',
      { type: 'input_file', file_url: 'https://example.org/a.pdf' },
      'The file at https://example.org/a.pdf, which was not downloaded,',
      'file_url',
    ],
  ])('have a note for %s, in messages and in results', (_, part, what, name) => {
    const note = `[${what} was left out here.]`
    const { chat, ignored } = translate([user([part]), call('a'), result('a', [part])])
    expect(chat.messages.map(({ content }) => content)).toEqual([note, null, note])
    expect(ignored).toEqual([`input.${name}`])
  })

  it('have a note for an image of the assistant, and an unknown detail of an image is ignored', () => {
    const image = { type: 'input_image', image_url: 'x', detail: 'fine' }
    const { chat, ignored } = translate([user([image]), { role: 'assistant', content: [image] }])
    expect(chat.messages).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] },
      { role: 'assistant', content: '[An image of the assistant was left out here.]' },
    ])
    expect(ignored).toEqual(['input.detail', 'input.input_image'])
  })

  it('add tools and change the configuration', () => {
    const input = [
      user('Go'),
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'late' }] },
      { type: 'configuration_update', reasoning: { effort: 'low' }, text: { format: { type: 'json_object' } } },
    ]
    expect(translate(input, { reasoning: { effort: 'high' } }).chat).toMatchObject({
      tools: [{ function: { name: 'late' } }],
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
    })
  })

  it('may add the same tools again with each turn', () => {
    const late = { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'late' }] }
    expect(translate([user('Go'), late, user('On'), late]).chat.tools).toHaveLength(1)
  })

  it.each([
    ['an image without address', [user([{ type: 'input_image' }])], 'input[0].content[0].image_url'],
    ['a role', [{ role: 'narrator', content: 'x' }], 'input[0].role'],
    ['an item that is not an object', ['x'], 'input[0]'],
    ['an empty input', [], 'input'],
    ['an input of another type', 7, 'input'],
    ['an unknown reference', [{ type: 'item_reference', id: 'msg_1' }], 'input[0].id'],
  ])('are refused for %s', (_, input, param) => {
    expect(refusal(() => translate(input))).toMatchObject({ param })
  })
})

describe('stored items', () => {
  const first = translateResponses({ model: 'm', input: 'Go', tools: [{ type: 'custom', name: 'write' }] })
  const reply = wholeReply(
    first,
    {
      choices: [
        {
          message: { tool_calls: [{ id: 'a', function: { name: 'write', arguments: '{"input":"x"}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    },
    { id: 'resp_1', createdAt: 1, model: 'm', tokensIn: 1 },
  )
  const previous = [...first.storedInput('resp_1'), ...(reply.output as JsonObject[])]

  it('have ids and lists of content', () => {
    expect(first.store).toBe(true)
    expect(previous[0]).toEqual({
      id: 'msg_1_in0',
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'Go' }],
    })
  })

  it('come before the input of the next request', () => {
    const body = {
      model: 'm',
      previous_response_id: 'resp_1',
      input: [{ type: 'custom_tool_call_output', call_id: 'a', output: 'ok' }],
    }
    const next = translateResponses(body, { previous, item: () => null })
    expect(next.previousResponseId).toBe('resp_1')
    expect(next.chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(next.storedInput('resp_2')).toMatchObject([{ type: 'custom_tool_call_output', id: 'ctco_2_in0' }])
  })

  it('of a previous response without the results of its calls are refused', () => {
    const body = { model: 'm', previous_response_id: 'resp_1', input: 'And?' }
    expect(refusal(() => translateResponses(body, { previous, item: () => null }))).toMatchObject({ param: 'input' })
  })

  it('replace references', () => {
    const stored = { previous: null, item: (id: string) => previous.find((item) => item.id === id) ?? null }
    const input = [{ type: 'item_reference', id: 'msg_1_in0' }, { id: 'msg_1_in0' }]
    const next = translateResponses({ model: 'm', input }, stored)
    expect(next.chat.messages).toEqual(input.map(() => ({ role: 'user', content: 'Go' })))
    expect(next.storedInput('resp_2')[0]).toMatchObject({ id: 'msg_1_in0' })
  })

  it('that are not found are refused', () => {
    expect(refusal(() => translate('x', { previous_response_id: 'resp_9' }))).toMatchObject({
      param: 'previous_response_id',
    })
  })
})
