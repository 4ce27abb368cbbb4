import type { ResponseCustomToolCallItem, ResponseFunctionToolCallItem } from 'openai/resources/responses/responses'
import { CustomInputDecoder } from './customInput.ts'
import { type EventWriter, StreamedText } from './eventWriter.ts'
import type { ItemStatus } from './textItem.ts'
import type { CallableTool } from './toolNames.ts'

/** A tool call while it is sent: a function call, or a custom call whose text is decoded from the function's arguments. */
export class CallItem {
  readonly #id: string
  readonly #callId: string
  readonly #tool: CallableTool
  readonly #index: number
  readonly #events: EventWriter
  readonly #streamed: StreamedText
  readonly #decoder: CustomInputDecoder | null
  #status: ItemStatus = 'in_progress'

  /** @param id without its prefix */
  constructor(tool: CallableTool, id: string, callId: string, index: number, events: EventWriter) {
    const isCustom = tool.kind === 'custom'
    this.#id = isCustom ? `ctc_${id}` : `fc_${id}`
    this.#callId = callId
    this.#tool = tool
    this.#index = index
    this.#events = events
    this.#decoder = isCustom ? new CustomInputDecoder() : null
    const delta = isCustom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta'
    this.#streamed = new StreamedText(events.deltaHead(delta, { item_id: this.#id, output_index: index }), events)
    events.write('response.output_item.added', { output_index: index, item: this.json() })
  }

  push(args: string): void {
    this.#streamed.push(this.#decoder === null ? args : this.#decoder.push(args))
  }

  end(): void {
    if (this.#status !== 'in_progress') return
    this.#endText()
    // Services send nothing for a tool without parameters. Clients parse the arguments, and an empty text is not JSON.
    if (this.#decoder === null && this.#streamed.text.trim() === '') this.#streamed.push('{}')
    this.#status = 'completed'
    const place = { item_id: this.#id, output_index: this.#index }
    const { text } = this.#streamed
    if (this.#decoder !== null) this.#events.write('response.custom_tool_call_input.done', { ...place, input: text })
    else {
      const name = this.#tool.name.toWellFormed()
      this.#events.write('response.function_call_arguments.done', { ...place, name, arguments: text })
    }
    this.#events.write('response.output_item.done', { output_index: this.#index, item: this.json() })
  }

  /** What the model wrote. */
  texts(): string[] {
    return [this.#tool.name, this.#streamed.text]
  }

  /** Marks a call that was cut off. It has no last events, so that no client runs it. */
  abandon(): void {
    if (this.#status !== 'in_progress') return
    this.#endText()
    this.#status = 'incomplete'
  }

  json(): ResponseFunctionToolCallItem | ResponseCustomToolCallItem {
    const { name, namespace } = this.#tool
    const common = {
      id: this.#id,
      call_id: this.#callId,
      name: name.toWellFormed(),
      ...(namespace !== null && { namespace }),
      status: this.#status,
    }
    const { text } = this.#streamed
    if (this.#decoder !== null) return { ...common, type: 'custom_tool_call', input: text }
    return { ...common, type: 'function_call', arguments: text }
  }

  #endText(): void {
    if (this.#decoder !== null) this.#streamed.push(this.#decoder.end())
    this.#streamed.end()
  }
}
