import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import OpenAI from 'openai'
import type { ResponseInputItem, ResponseReasoningItem } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import {
  maxSealedBytes,
  openedReasoning,
  sealedReasoning,
} from '../../../../../src-main/core/gateway/dialects/responses/sealedReasoning.ts'
import { maxHere } from '../../../../../src-main/core/gateway/proxy/translationThreads.ts'
import { appKey, secondKey } from '../../../../helpers/appRequest.ts'
import { eventsIn } from '../../../../helpers/replies.ts'
import { testGateways } from '../../../../helpers/testGateways.ts'
import { chunk, details, sentEvents, translated, wireOf } from './chatStream.ts'

const { beforeService } = testGateways()

const sealing = { key: new Uint8Array(randomBytes(32)), app: 'codex' }

describe('sealed reasoning', () => {
  it('opens to the same text, and is different each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const [one, two] = [sealedReasoning(text, sealing), sealedReasoning(text, sealing)]
        expect(openedReasoning(one, sealing)).toBe(text.toWellFormed())
        expect(one).not.toBe(two)
        if (text.length > 8) expect(one).not.toContain(Buffer.from(text).toString('base64'))
      }),
    )
  })

  it('opens for no other app and on no other computer', () => {
    const sealed = sealedReasoning('I look it up.', sealing)
    expect(openedReasoning(sealed, { ...sealing, app: 'other' })).toBeNull()
    expect(openedReasoning(sealed, { ...sealing, key: new Uint8Array(randomBytes(32)) })).toBeNull()
  })

  it('does not open when a character of it was changed, cut or added, and never throws', () => {
    const sealed = sealedReasoning('I look it up.', sealing) ?? ''
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom('A', 'z', '_', '.', ''), (at, other) => {
        const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
        // The last character of base64 may have bits that say nothing.
        fc.pre(Buffer.from(changed, 'base64').compare(Buffer.from(sealed, 'base64')) !== 0)
        expect(openedReasoning(changed, sealing)).toBeNull()
      }),
    )
    for (const odd of [null, 7, {}, '', 'gAAAAABo', 'studio-reasoning-1.', 'studio-reasoning-1.AAAA', 'x'.repeat(9e6)])
      expect(openedReasoning(odd, sealing)).toBeNull()
  })

  it('never looks like an app key, which would be masked where the response is stored', () => {
    // Of a text of this length, every encoding with `_` has one.
    expect(sealedReasoning('x'.repeat(4000), sealing)).toMatch(/^studio-reasoning-1\.[A-Za-z0-9+/]+=*$/)
  })

  it('has a limit, and a longer text is not sealed', () => {
    expect(sealedReasoning('x'.repeat(maxSealedBytes), sealing)).not.toBeNull()
    expect(sealedReasoning('x'.repeat(maxSealedBytes + 1), sealing)).toBeNull()
    const notes: string[] = []
    const request = translateResponses({ model: 'm', input: 'x', include: ['reasoning.encrypted_content'] })
    const reply = request.openReply({ ...details, seal: () => null, report: (note) => notes.push(note) }, true)
    translated(
      reply,
      eventsIn(Buffer.from(wireOf([chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Hi' }, 'stop')]))),
    )
    expect(notes).toEqual(['The reasoning is too long to be returned sealed.'])
    expect(JSON.stringify(reply.result())).not.toContain('encrypted_content')
  })
})

describe('in a reply', () => {
  const reasonedReply = wireOf([
    chunk({ reasoning_content: 'I look ' }),
    chunk({ reasoning_content: 'it up.' }),
    chunk({ content: 'Sunny.' }, 'stop'),
  ])
  const itemsOf = (include: string[] | null, summary: string | null): ResponseReasoningItem[] => {
    const request = translateResponses({ model: 'm', input: 'x', include, reasoning: { summary }, stream: true })
    const reply = request.openReply({ ...details, seal: (text) => sealedReasoning(text, sealing) }, false)
    return sentEvents(translated(reply, eventsIn(Buffer.from(reasonedReply)))).flatMap((event) => {
      if (event.type === 'response.output_item.done') return event.item as ResponseReasoningItem
      return event.type === 'response.completed' ? (event.response as { output: ResponseReasoningItem[] }).output : []
    })
  }

  it.each(['auto', null])('the finished reasoning has it when the request asks for it, summary %j', (summary) => {
    const items = itemsOf(['reasoning.encrypted_content'], summary).filter(({ type }) => type === 'reasoning')
    expect(items).toHaveLength(2)
    for (const { encrypted_content } of items) expect(openedReasoning(encrypted_content, sealing)).toBe('I look it up.')
    expect(items[0]?.encrypted_content).toBe(items[1]?.encrypted_content)
  })

  it('nothing has it otherwise, and messages never have it', () => {
    for (const include of [null, ['message.input_image.image_url']])
      expect(JSON.stringify(itemsOf(include, 'auto'))).not.toContain('encrypted_content')
    const messages = itemsOf(['reasoning.encrypted_content'], null).filter(({ type }) => type !== 'reasoning')
    expect(JSON.stringify(messages)).not.toContain('encrypted_content')
  })
})

describe('in a request', () => {
  const call = [
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'Sunny' },
  ]
  const reasoned = (encrypted_content: unknown, summary: string[] = []) => [
    { type: 'reasoning', encrypted_content, summary: summary.map((text) => ({ type: 'summary_text', text })) },
    ...call,
  ]
  const translate = (...input: object[]) =>
    translateResponses({ model: 'm', input: [{ role: 'user', content: 'Weather?' }, ...input] }, undefined, { sealing })

  it('it becomes the reasoning of the running tool loop, and its summary is not repeated', () => {
    const { chat, ignored } = translate(...reasoned(sealedReasoning('I look it up.', sealing), ['I look it up.']))
    expect(chat.messages[1]).toMatchObject({ role: 'assistant', reasoning_content: 'I look it up.' })
    expect(ignored).toEqual([])
  })

  it('that of an earlier loop is not sent', () => {
    const { chat, ignored } = translate(...reasoned(sealedReasoning('Old.', sealing)), {
      role: 'user',
      content: 'And?',
    })
    expect(JSON.stringify(chat)).not.toContain('reasoning_content')
    expect(ignored).toEqual([])
  })

  it.each([
    ['another program', 'gAAAAABoISQ24OyVRYbkYfukdJoqdzWT'],
    ['another app', sealedReasoning('Secret', { ...sealing, app: 'other' })],
    ['another computer', sealedReasoning('Secret', { ...sealing, key: new Uint8Array(randomBytes(32)) })],
    ['a damaged file', sealedReasoning('Secret', sealing)?.slice(0, -5)],
    ['nobody', 7],
  ])('content of %s is ignored and named, and the summary counts', (_, content) => {
    const { chat, ignored } = translate(...reasoned(content, ['In short.']))
    expect(chat.messages[1]).toMatchObject({ reasoning_content: 'In short.' })
    expect(ignored).toEqual(['input.encrypted_content'])
  })
})

describe('an app that stores nothing', () => {
  type Sent = { messages: { role: string; reasoning_content?: string }[] }

  /** A service that reasons and calls a tool, and then says whether it got its reasoning back. */
  const before = () =>
    beforeService((_request, response, body) => {
      const { messages } = JSON.parse(body.toString()) as Sent
      const answered = messages.some(({ role }) => role === 'tool')
      const called = { index: 0, id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }
      const deltas = answered
        ? [
            chunk(
              { content: messages.find(({ role }) => role === 'assistant')?.reasoning_content ?? 'nothing' },
              'stop',
            ),
          ]
        : [chunk({ reasoning_content: 'I look it up.' }), chunk({ tool_calls: [called] }, 'tool_calls')]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(wireOf(deltas))
    })

  /** One tool loop as coding agents run it: the output items go back as they came. */
  async function loop(client: OpenAI, other: OpenAI, text: string): Promise<string> {
    const ask = (asked: OpenAI, input: ResponseInputItem[]) =>
      asked.responses
        .stream({
          model: 'm',
          input,
          store: false,
          include: ['reasoning.encrypted_content'],
          reasoning: { effort: 'medium', summary: 'auto' },
          tools: [{ type: 'function', name: 'weather', parameters: {}, strict: false }],
        })
        .finalResponse()
    const question: ResponseInputItem = { role: 'user', content: text }
    const first = await ask(client, [question])
    const items = first.output.map((item) => (item.type === 'reasoning' ? { ...item, summary: [] } : item))
    const result = { type: 'function_call_output' as const, call_id: 'c1', output: 'Sunny' }
    const second = await ask(other, [question, ...(items as ResponseInputItem[]), result])
    return second.output_text
  }

  it('gets its reasoning back into the running loop, here and on a thread, and another app can not', async () => {
    const { gateway } = await before()
    const client = new OpenAI({ baseURL: gateway.url, apiKey: appKey })
    const other = new OpenAI({ baseURL: gateway.url, apiKey: secondKey })
    expect(await loop(client, client, 'Weather?')).toBe('I look it up.')
    expect(await loop(client, client, 'x'.repeat(maxHere.bytes))).toBe('I look it up.')
    expect(await loop(client, other, 'Weather?')).toBe('nothing')
  })
})
