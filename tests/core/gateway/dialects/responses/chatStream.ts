import fc from 'fast-check'
import type { JsonObject, ReplyDetails, StreamTranslator } from '../../../../../src-main/core/gateway/dialects/types.ts'
import { problemOf } from '../../../../../src-main/core/gateway/proxy/translatedReply.ts'
import type { ChatStreamEvent } from '../../../../../src-main/core/upstream/types.ts'

export const details: ReplyDetails = {
  id: 'resp_test',
  createdAt: 1_700_000_000,
  model: 'asked-model',
  tokensIn: 7,
  completedAt: () => 1_700_000_009,
}

/** One chunk of a chat stream. */
export const chunk = (delta: JsonObject, finish_reason: string | null = null, index = 0): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_001,
  model: 'service-model',
  choices: [{ index, delta, finish_reason }],
})

export const usageChunk = (usage: JsonObject): JsonObject => ({ id: 'chatcmpl-1', choices: [], usage })

/** A piece of a tool call. */
export const piece = (index: number, args: string, id?: string, name?: string): JsonObject => ({
  tool_calls: [
    {
      index,
      ...(id !== undefined && { id, type: 'function' }),
      function: { ...(name !== undefined && { name }), arguments: args },
    },
  ],
})

/** The chunks as the service writes them. */
export const wireOf = (chunks: JsonObject[], done = true): string =>
  chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('') + (done ? 'data: [DONE]\n\n' : '')

/** Runs a translator over a chat stream. */
export function translated(translator: StreamTranslator, events: readonly ChatStreamEvent[]): string {
  return events
    .map((event) => {
      if (event.type === 'done') return translator.end()
      return event.type === 'error' ? translator.fail(problemOf(event.error)) : translator.push(event)
    })
    .join('')
}

export interface SentEvent extends JsonObject {
  type: string
  sequence_number: number
}

/** The events of a translated stream. Fails for text that is not exactly `event:` and `data:` lines. */
export function sentEvents(text: string): SentEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => {
      const match = /^event: ([\w.]+)\ndata: (\{[^\n]*\})$/.exec(block)
      if (match === null) throw new Error(`Not an event: ${block}`)
      const data = JSON.parse(match[2] ?? '') as SentEvent
      if (data.type !== match[1]) throw new Error(`The event ${match[1]} has the type ${data.type}`)
      return data
    })
}

/** Cuts a string into pieces at any UTF-16 unit. */
const pieces = (text: string): fc.Arbitrary<string[]> =>
  fc.array(fc.nat(text.length), { maxLength: 5 }).map((cuts) => {
    const ends = [...cuts, text.length].sort((a, b) => a - b)
    return ends.map((end, at) => text.slice(at === 0 ? 0 : ends[at - 1], end))
  })

const someText = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
const callText = fc.oneof(
  fc.json({ maxDepth: 2 }),
  someText.map((input) => JSON.stringify({ input })),
  fc.string({ maxLength: 20 }),
)
/** Names of the tools of `toolRequest`, and one that no tool has. */
const calledName = fc.constantFrom('look', 'write', 'box__open', 'unknown')

/** One run of deltas of the same kind. */
const run = fc.oneof(
  someText.chain(pieces).map((texts) => texts.map((content) => ({ content }))),
  someText.chain(pieces).map((texts) => texts.map((reasoning_content) => ({ reasoning_content }))),
  someText.chain(pieces).map((texts) => texts.map((reasoning) => ({ reasoning }))),
  someText.chain(pieces).map((texts) => texts.map((refusal) => ({ refusal }))),
)

/** A whole tool call, in pieces. The id is in its first piece, if anywhere. */
const call = (index: number): fc.Arbitrary<JsonObject[]> =>
  fc
    .tuple(
      calledName,
      fc.option(fc.constantFrom('call_a', 'call_b', `call_${index}`, ''), { nil: undefined }),
      callText,
    )
    .chain(([name, id, args]) =>
      pieces(args).map((parts) => [piece(index, '', id, name), ...parts.map((part) => piece(index, part))]),
    )

/** Mixes lists, each in its own order. */
function interleaved(lists: JsonObject[][], order: number[]): JsonObject[] {
  const rest = lists.map((each) => [...each])
  const mixed: JsonObject[] = []
  for (let at = 0; rest.some((each) => each.length > 0); at++) {
    const open = rest.filter((each) => each.length > 0)
    const next = open[(order[at % order.length] ?? 0) % open.length]?.shift()
    if (next !== undefined) mixed.push(next)
  }
  return mixed
}

const order = fc.array(fc.nat(5), { minLength: 1, maxLength: 12 })
const calls = fc.nat(3).chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => call(at))))

/** Deltas in any order: text, reasoning and refusals alternate, calls are interleaved, and text follows calls. */
export const anyDeltas = fc
  .tuple(fc.array(run, { maxLength: 4 }), calls, order)
  .map(([runs, each, mix]) => interleaved([runs.flat(), ...each], mix))

/** Deltas in the order in which a whole reply lists them: reasoning, text, refusal, calls. */
export const orderedDeltas = fc
  .tuple(
    fc.option(someText.chain(pieces), { nil: [] }),
    fc.option(someText.chain(pieces), { nil: [] }),
    fc.option(someText.chain(pieces), { nil: [] }),
    calls,
    order,
  )
  .map(([reasoning, content, refusal, each, mix]) => [
    ...reasoning.map((reasoning_content) => ({ reasoning_content })),
    ...content.map((text) => ({ content: text })),
    ...refusal.map((text) => ({ refusal: text })),
    ...interleaved(each, mix).toSorted((a, b) => indexOf(a) - indexOf(b)),
  ])

const indexOf = (delta: JsonObject): number => (delta.tool_calls as [{ index: number }])[0].index

export const finishReason = fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter', 'error', 'odd_reason')
export const anyUsage = fc.option(
  fc.record({
    prompt_tokens: fc.nat(1000),
    completion_tokens: fc.nat(1000),
    total_tokens: fc.nat(2000),
    prompt_tokens_details: fc.record({ cached_tokens: fc.nat(100) }),
  }),
  { nil: null },
)

/** A request with a function, a custom tool and a namespace. */
export const toolRequest: JsonObject = {
  model: 'asked-model',
  input: 'Go',
  tools: [
    { type: 'function', name: 'look', parameters: { type: 'object' } },
    { type: 'custom', name: 'write', description: 'Writes.' },
    { type: 'namespace', name: 'box', description: 'Boxes.', tools: [{ type: 'function', name: 'open' }] },
  ],
}
