import type { ResponseOutputMessage, ResponseReasoningItem } from 'openai/resources/responses/responses'
import type { JsonObject } from '../types.ts'
import { type EventType, type EventWriter, StreamedText } from './eventWriter.ts'

/** Kinds of text in the output. */
export type TextKind = 'output_text' | 'refusal' | 'reasoning_text' | 'summary_text'
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

interface TextEvents {
  added: EventType
  delta: EventType
  textDone: EventType
  done: EventType
  /** Name of the part's position, and of its text in the last events. */
  index: 'content_index' | 'summary_index'
  text: 'text' | 'refusal'
  /** Further members of the text events. */
  extra: JsonObject
}

const partEvents = { added: 'response.content_part.added', done: 'response.content_part.done' } as const
const contentText = { ...partEvents, index: 'content_index', text: 'text', extra: {} } as const

const eventsOf: Readonly<Record<TextKind, TextEvents>> = {
  output_text: {
    ...contentText,
    delta: 'response.output_text.delta',
    textDone: 'response.output_text.done',
    extra: { logprobs: [] },
  },
  refusal: { ...contentText, delta: 'response.refusal.delta', textDone: 'response.refusal.done', text: 'refusal' },
  reasoning_text: {
    ...contentText,
    delta: 'response.reasoning_text.delta',
    textDone: 'response.reasoning_text.done',
  },
  summary_text: {
    ...contentText,
    added: 'response.reasoning_summary_part.added',
    delta: 'response.reasoning_summary_text.delta',
    textDone: 'response.reasoning_summary_text.done',
    done: 'response.reasoning_summary_part.done',
    index: 'summary_index',
  },
}

interface TextPart {
  kind: TextKind
  streamed: StreamedText
}

/** A message, or reasoning as text or as a summary. */
export type TextItemKind = 'message' | 'reasoning' | 'summary'

/** A message or a reasoning item while it is sent. A message gets a new part when text and refusal alternate. */
export class TextItem {
  readonly #id: string
  readonly #index: number
  readonly #kind: TextItemKind
  readonly #parts: TextPart[] = []
  readonly #events: EventWriter
  readonly #seal: ((text: string) => string | null) | null
  #sealed: string | null = null
  #status: ItemStatus = 'in_progress'

  /**
   * @param id without its prefix
   * @param index position in the output
   * @param seal seals the text of a reasoning item. Null when it isn't sealed
   */
  constructor(
    kind: TextItemKind,
    id: string,
    index: number,
    events: EventWriter,
    seal: ((text: string) => string | null) | null,
  ) {
    this.#seal = kind === 'message' ? null : seal
    this.#id = kind === 'message' ? `msg_${id}` : `rs_${id}`
    this.#kind = kind
    this.#index = index
    this.#events = events
    events.write('response.output_item.added', { output_index: index, item: this.json() })
  }

  push(kind: TextKind, text: string): void {
    let part = this.#parts.at(-1)
    if (part?.kind !== kind) {
      if (part !== undefined) this.#endPart(part)
      part = this.#addPart(kind)
    }
    part.streamed.push(text)
  }

  end(status: ItemStatus): void {
    if (this.#status !== 'in_progress') return
    const part = this.#parts.at(-1)
    if (part !== undefined) this.#endPart(part)
    this.#status = status
    if (this.#seal !== null) this.#sealed = this.#seal(this.texts().join(''))
    this.#events.write('response.output_item.done', { output_index: this.#index, item: this.json() })
  }

  /** What the model wrote. */
  texts(): string[] {
    return this.#parts.map(({ streamed }) => streamed.text)
  }

  /** Marks an item that will never be whole, without an event. */
  abandon(): void {
    if (this.#status === 'in_progress') this.#status = 'incomplete'
  }

  json(): ResponseOutputMessage | ResponseReasoningItem {
    const id = this.#id
    const status = this.#status
    const parts = this.#parts.map(({ kind, streamed }) => partOf(kind, streamed.text))
    if (this.#kind === 'message') {
      return {
        id,
        type: 'message',
        status,
        role: 'assistant',
        content: parts as unknown[] as ResponseOutputMessage['content'],
      }
    }
    const isSummary = this.#kind === 'summary'
    return {
      id,
      type: 'reasoning',
      summary: (isSummary ? parts : []) as unknown[] as ResponseReasoningItem['summary'],
      ...(!isSummary && { content: parts as unknown[] as NonNullable<ResponseReasoningItem['content']> }),
      ...(this.#sealed !== null && { encrypted_content: this.#sealed }),
      status,
    }
  }

  #addPart(kind: TextKind): TextPart {
    const { added, delta, extra } = eventsOf[kind]
    const place = this.#placeOf(kind, this.#parts.length)
    this.#events.write(added, { ...place, part: partOf(kind, '') })
    const part = {
      kind,
      streamed: new StreamedText(this.#events.deltaHead(delta, { ...place, ...extra }), this.#events),
    }
    this.#parts.push(part)
    return part
  }

  #endPart({ kind, streamed }: TextPart): void {
    const { textDone, done, text, extra } = eventsOf[kind]
    streamed.end()
    const place = this.#placeOf(kind, this.#parts.length - 1)
    this.#events.write(textDone, { ...place, [text]: streamed.text, ...extra })
    this.#events.write(done, { ...place, part: partOf(kind, streamed.text) })
  }

  #placeOf(kind: TextKind, part: number): JsonObject {
    return { item_id: this.#id, output_index: this.#index, [eventsOf[kind].index]: part }
  }
}

function partOf(kind: TextKind, text: string): JsonObject {
  if (kind === 'refusal') return { type: kind, refusal: text }
  return kind === 'output_text' ? { type: kind, text, annotations: [], logprobs: [] } : { type: kind, text }
}
