import fc from 'fast-check'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { translateResponses } from '../../../../../src-main/core/gateway/dialects/responses/responses.ts'
import type { JsonObject } from '../../../../../src-main/core/gateway/dialects/types.ts'
import type { ChatStreamEvent } from '../../../../../src-main/core/upstream/types.ts'
import { accumulate, emptyAccumulation } from '../../../../helpers/accumulate.ts'
import { tries } from '../../../../helpers/effort.ts'
import { eventsIn, wholeReply } from '../../../../helpers/replies.ts'
import {
  anyDeltas,
  anyUsage,
  chunk,
  details,
  finishReason,
  orderedDeltas,
  type SentEvent,
  sentEvents,
  toolRequest,
  translated,
  usageChunk,
  wireOf,
} from './chatStream.ts'

const chunksOf = (deltas: JsonObject[], reason: string | null, usage: JsonObject | null): JsonObject[] => [
  ...deltas.map((delta) => chunk(delta)),
  chunk({}, reason),
  ...(usage === null ? [] : [usageChunk(usage)]),
]

const requests = fc
  .boolean()
  .map((summarizes) => ({ ...toolRequest, ...(summarizes && { reasoning: { summary: 'auto' } }) }))
/** A request, and the deltas, finish reason and usage of its reply. */
const anyStream = [requests, anyDeltas, fc.option(finishReason, { nil: null }), anyUsage] as const
const cuts = fc.array(fc.nat(), { maxLength: 20 })

it('any chat stream gives the same events however its bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(...anyStream, cuts, async (request, deltas, reason, usage, at) => {
      const bytes = Buffer.from(wireOf(chunksOf(deltas, reason, usage)))
      const whole = translated(translateResponses(request).openReply(details, false), eventsIn(bytes))
      const split = translated(translateResponses(request).openReply(details, false), eventsIn(bytes, at))
      expect(split).toBe(whole)
    }),
    { numRuns: tries(200, 5_000) },
  )
})

interface Part extends JsonObject {
  text?: string
  refusal?: string
}
interface Item extends JsonObject {
  content?: Part[]
  summary?: Part[]
  arguments?: string
  input?: string
}

/** Builds the output from the events alone, and checks that each end repeats what its pieces gave. */
class Rebuilt {
  readonly items: Item[] = []
  readonly done = new Set<number>()
  /** Parts that were added and have not ended. Each item has at most one. */
  readonly #open = new Set<unknown>()

  take(event: SentEvent): void {
    const item = this.items[event.output_index as number]
    switch (event.type) {
      case 'response.output_item.added':
        expect(event.output_index).toBe(this.items.length)
        this.items.push(structuredClone(event.item) as Item)
        return
      case 'response.output_item.done':
        expect(this.done).not.toContain(event.output_index)
        this.done.add(event.output_index as number)
        expect(this.#open).not.toContain(event.output_index)
        expect({ ...(item as Item), status: (event.item as Item).status }).toEqual(event.item)
        return
      case 'response.content_part.added':
        expect(event.content_index).toBe(item?.content?.length)
        this.#openPart(event)
        item?.content?.push(structuredClone(event.part) as Part)
        return
      case 'response.reasoning_summary_part.added':
        this.#openPart(event)
        item?.summary?.push(structuredClone(event.part) as Part)
        return
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.done':
        expect(this.#partOf(event)).toEqual(event.part)
        this.#open.delete(event.output_index)
        return
      default:
        if (item !== undefined) this.#takeText(event, item)
    }
  }

  #openPart({ output_index }: SentEvent): void {
    expect(this.#open).not.toContain(output_index)
    this.#open.add(output_index)
  }

  #partOf(event: SentEvent): Part {
    const item = this.items[event.output_index as number]
    const part = (event.summary_index === undefined ? item?.content : item?.summary)?.[
      (event.content_index ?? event.summary_index) as number
    ]
    if (part === undefined) throw new Error(`The event ${event.type} is for a part that was not added`)
    return part
  }

  #takeText(event: SentEvent, item: Item): void {
    expect(event.item_id).toBe(item.id)
    const isCall = item.arguments !== undefined || item.input !== undefined
    const target = (isCall ? item : this.#partOf(event)) as Record<string, string>
    const key = isCall
      ? item.arguments === undefined
        ? 'input'
        : 'arguments'
      : event.type.startsWith('response.refusal')
        ? 'refusal'
        : 'text'
    if (event.type.endsWith('.delta')) {
      expect((event.delta as string).isWellFormed()).toBe(true)
      target[key] += event.delta as string
    } else expect(event[key]).toBe(target[key])
  }
}

it('the events put together give the response', async () => {
  await fc.assert(
    fc.asyncProperty(...anyStream, async (request, deltas, reason, usage) => {
      const translator = translateResponses(request).openReply(details, false)
      const events = eventsIn(Buffer.from(wireOf(chunksOf(deltas, reason, usage))))
      const sent = sentEvents(translated(translator, events))
      expect(sent.map(({ sequence_number }) => sequence_number)).toEqual(sent.map((_, at) => at))
      const rebuilt = new Rebuilt()
      for (const event of sent) rebuilt.take(event)
      const response = sent.at(-1)?.response as JsonObject & { output: Item[] }
      expect(response).toEqual(JSON.parse(JSON.stringify(translator.result())))
      expect(response.output.map(({ status: _, ...item }) => item)).toEqual(
        rebuilt.items.map(({ status: _, ...item }) => item),
      )
      // What is not reported as done is not whole.
      const unfinished = response.output.flatMap(({ status }, at) => (rebuilt.done.has(at) ? [] : [status]))
      expect(unfinished.every((status) => status === 'incomplete')).toBe(true)
      if (response.status === 'completed') expect(rebuilt.done.size).toBe(response.output.length)
    }),
    { numRuns: tries(200, 5_000) },
  )
})

/** The reply that the service would have sent without streaming. */
function wholeChat(events: ChatStreamEvent[], usage: JsonObject | null): JsonObject {
  const sum = emptyAccumulation()
  for (const event of events) accumulate(sum, event)
  const choice = sum.choices.find(({ index }) => index === 0)
  return {
    id: sum.id,
    model: sum.model,
    created: sum.created,
    choices: [
      {
        index: 0,
        finish_reason: choice?.finishReason,
        message: {
          role: 'assistant',
          content: choice?.content,
          reasoning_content: choice?.reasoning,
          refusal: choice?.refusal,
          tool_calls: choice?.toolCalls.map((call) => ({
            ...(call.id !== null && { id: call.id }),
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          })),
        },
      },
    ],
    ...(usage !== null && { usage }),
  }
}

it('a streamed reply and the same reply in one piece give the same response', async () => {
  await fc.assert(
    fc.asyncProperty(requests, orderedDeltas, finishReason, anyUsage, async (request, deltas, reason, usage) => {
      const translation = translateResponses(request)
      const events = eventsIn(Buffer.from(wireOf(chunksOf(deltas, reason, usage))))
      const translator = translation.openReply(details, false)
      translated(translator, events)
      expect(wholeReply(translation, wholeChat(events, usage), details)).toEqual(translator.result())
    }),
    { numRuns: tries(200, 5_000) },
  )
})

/** The official client, which receives this stream for any request. */
const clientOf = (text: string): OpenAI =>
  new OpenAI({
    apiKey: 'none',
    baseURL: 'http://127.0.0.1:1/v1',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })

it('the official client reads any stream, and its final response is the reply', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(requests, anyDeltas, finishReason, anyUsage, async (request, deltas, reason, usage) => {
      const translator = translateResponses(request).openReply(details, false)
      const events = eventsIn(Buffer.from(wireOf(chunksOf(deltas, reason, usage))))
      const client = clientOf(translated(translator, events))
      const stream = client.responses.stream({ model: 'm', input: 'x' })
      const texts: string[] = []
      stream.on('response.output_text.delta', ({ delta }) => texts.push(delta))
      const result = translator.result() as JsonObject & { output: Item[] }
      if (result.status === 'failed') {
        await expect(stream.finalResponse()).rejects.toThrow('The service ended the reply')
        return
      }
      const final = await stream.finalResponse()
      expect(final).toMatchObject(JSON.parse(JSON.stringify(result)))
      expect(final.output_text).toBe(texts.join(''))
    }),
    { numRuns: tries(200, 5_000) },
  )
})

it('the official client rejects a stream that broke off', async () => {
  const translator = translateResponses(toolRequest).openReply(details, false)
  const events = eventsIn(Buffer.from(wireOf([chunk({ content: 'Hel' })], false)))
  const client = clientOf(translated(translator, events))
  await expect(client.responses.stream({ model: 'm', input: 'x' }).finalResponse()).rejects.toThrow('broke off')
  const plain = await client.responses.create({ model: 'm', input: 'x', stream: true })
  const types: string[] = []
  const read = async (): Promise<void> => {
    for await (const { type } of plain) types.push(type)
  }
  await expect(read()).rejects.toThrow('broke off')
  expect(types).toContain('response.output_text.delta')
})
