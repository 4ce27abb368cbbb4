import { describe, expect, it } from 'vitest'
import { archivedConversation, archivedMessage } from '../../../../src-main/core/store/archive.ts'
import type { RequestDetail } from '../../../../src-preload/contract/requests.ts'
import { chatFile } from '../../../../src-renderer/features/proxy/chatFile.ts'
import { recordedReply, recordedRequest } from '../../../../src-renderer/features/proxy/recorded.ts'
import { firstRequests, withFilter, withMark } from '../../../../src-renderer/stores/requests.ts'
import { row } from './rows.ts'

const body = (value: unknown, capped = false) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { text, bytes: text.length, capped }
}
const events = (...deltas: object[]) =>
  deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`).join('')

describe('a logged reply', () => {
  it('is read from an event stream: text, thinking and tool calls that came in pieces', () => {
    const call = (index: number, fields: object) => ({ tool_calls: [{ index, function: fields }] })
    const stream = `: hello\n\n${events(
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm' },
      { content: 'Hel' },
      { content: 'lo' },
      call(0, { name: 'look', arguments: '{"a"' }),
      call(1, { name: 'other', arguments: 'not JSON' }),
      call(0, { arguments: ':1}' }),
    )}data: {"choices":[{"index":1,"delta":{"content":"second choice"}}]}\n\ndata: [DONE]\n\n`
    const expected = {
      text: 'Hello',
      reasoning: 'Hm',
      calls: [
        { name: 'look', arguments: '{\n  "a": 1\n}' },
        { name: 'other', arguments: 'not JSON' },
      ],
    }
    expect(recordedReply(body(stream))).toEqual(expected)
    expect(recordedReply(body(stream.replaceAll('\n', '\r\n')))).toEqual(expected)
    // Only its beginning is stored.
    expect(recordedReply(body(stream.slice(0, stream.indexOf('lo"')), true))?.text).toBe('Hel')
  })

  it('is read from a JSON document, and is nothing when it is no chat’s', () => {
    const whole = { choices: [{ message: { content: null, refusal: 'No.', tool_calls: [] } }] }
    expect(recordedReply(body(whole))).toEqual({ text: 'No.', reasoning: '', calls: [] })
    for (const other of [null, body(''), body('{"data":[]}'), body('WEBVTT'), { text: null, bytes: 3, capped: false }])
      expect(recordedReply(other)).toBeNull()
  })
})

describe('a logged request', () => {
  it('can be asked again when its whole JSON is stored; else the reason is known', () => {
    expect(recordedRequest(body({ model: 'm' }))).toEqual({ model: 'm' })
    expect(recordedRequest(null)).toBe('none')
    expect(recordedRequest(body({ model: 'm' }, true))).toBe('capped')
    for (const text of ['a=b', '[]', '']) expect(recordedRequest(body(text))).toBe('noJson')
  })

  const png = 'iVBORw0KGgo='
  const messages = [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      name: 'Ann',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
    { role: 'user', content: 'And this? ' },
  ]
  const detail = (request: object, reply = events({ content: 'A cat.' })): RequestDetail => ({
    row: row(1, { model: 'm-1', finishReason: 'stop', tokensIn: 7, tokensOut: 3 }),
    ...{ requestHeaders: null, replyHeaders: null, againOf: null },
    requestBody: body(request),
    replyBody: body(reply),
  })

  it('opens as a chat: instructions, parameters, messages, pictures, tool results and the reply', async () => {
    const request = {
      ...{ model: 'm-1', stream: true, messages, temperature: 0.5, max_tokens: 0, stop: 'END', seed: 7 },
      tools: [{ type: 'function' }],
    }
    const made = chatFile(detail(request), 'Request')
    expect(made?.hasTools).toBe(true)
    const file = JSON.parse((await made?.file.text()) ?? '')
    // As the import reads it.
    const conversation = archivedConversation.parse(file.conversation)
    const chat = file.messages.map((one: unknown) => archivedMessage.parse(one))
    expect(conversation).toMatchObject({
      ...{ title: 'Request', model: 'm-1', leafId: chat.at(-1).id },
      setup: {
        ...{ instructions: 'Be brief.', instructionsRole: 'developer' },
        params: { temperature: 0.5, stop: ['END'], extra: { seed: 7 } },
      },
    })
    expect(conversation.setup.params).not.toHaveProperty('maxTokens')
    const all = chat.map(({ role, text }: { role: string; text: string }) => [role, text])
    expect(all).toEqual([
      ['user', 'Look'],
      ['assistant', ''],
      ['tool', 'a cat'],
      ['user', 'And this? '],
      ['assistant', 'A cat.'],
    ])
    expect(chat[0]).toMatchObject({
      name: 'Ann',
      parentId: null,
      attachments: [{ mediaId: file.media[0].id, mime: 'image/png' }],
    })
    expect(file.media[0].data).toBe(png)
    expect(chat[2].run).toMatchObject({ callId: 'c1', name: 'look', arguments: '{"a":1}', state: 'done' })
    expect(chat[4]).toMatchObject({
      ...{ parentId: chat[3].id, model: 'm-1', finishReason: 'stop', cost: null },
      usage: { promptTokens: 7, completionTokens: 3 },
    })
  })

  it('that has no messages, or none that are whole, opens no chat', () => {
    for (const request of [{ input: 'x' }, { messages: [] }, { messages: 3 }]) {
      expect(chatFile(detail(request, ''), 'Request')).toBeNull()
    }
    expect(chatFile({ ...detail({ messages }), requestBody: body({ messages }, true) }, 'Request')).toBeNull()
  })
})

describe('requests selected for a replay', () => {
  it('stay selected when the filter changes, up to as many as a fixture may have', () => {
    const marked = withMark(withMark(firstRequests, 3), 5)
    expect([...withFilter(marked, { model: 'm' }).marked]).toEqual([3, 5])
    expect([...withMark(marked, 3).marked]).toEqual([5])
    let full = firstRequests
    for (let id = 0; id < 510; id++) full = withMark(full, id)
    expect(full.marked.size).toBe(500)
    expect(withMark(full, 7).marked.size).toBe(499)
  })
})
