import type { ResponseCompactionItem } from 'openai/resources/responses/responses'
import type { EventWriter } from './eventWriter.ts'

/** A summary of the conversation in the output. It is whole from the start, and has only the events of an item. */
export class CompactionItem {
  readonly #summary: string
  readonly #item: ResponseCompactionItem
  readonly #events: EventWriter

  /** @param id without its prefix */
  constructor(id: string, summary: string, content: string, events: EventWriter) {
    this.#summary = summary
    this.#item = { id: `cmp_${id}`, type: 'compaction', encrypted_content: content }
    this.#events = events
    events.write('response.output_item.added', { output_index: 0, item: this.#item })
  }

  end(): void {
    this.#events.write('response.output_item.done', { output_index: 0, item: this.#item })
  }

  texts(): string[] {
    return [this.#summary]
  }

  json(): ResponseCompactionItem {
    return this.#item
  }
}
