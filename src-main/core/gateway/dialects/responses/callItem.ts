import type {
  ResponseCustomToolCallItem,
  ResponseFunctionToolCallItem,
  ResponseOutputItem,
} from 'openai/resources/responses/responses'
import type { JsonObject } from '../types.ts'
import { clientTools, isClientTool, readClientCall } from './clientTools.ts'
import { CustomInputDecoder } from './customInput.ts'
import { EventWriter, StreamedText } from './eventWriter.ts'
import type { ItemStatus } from './textItem.ts'
import type { CallableTool } from './toolNames.ts'

/**
 * A tool call while it is sent: a function call, a custom call whose text is decoded from the function's arguments, or a call of a tool that
 * the app runs, whose arguments are read when they are whole.
 */
export class CallItem {
  readonly #id: string
  readonly #callId: string
  readonly #tool: CallableTool
  readonly #index: number
  readonly #events: EventWriter
  readonly #streamed: StreamedText
  readonly #decoder: CustomInputDecoder | null
  /** The arguments of a call of a tool that the app runs. Null for other calls. */
  #read: JsonObject | null
  #status: ItemStatus = 'in_progress'

  /** @param id without its prefix */
  constructor(tool: CallableTool, id: string, callId: string, index: number, events: EventWriter) {
    const isCustom = tool.kind === 'custom'
    const client = isClientTool(tool.kind) ? clientTools[tool.kind] : null
    this.#read = client?.empty ?? null
    this.#id = `${client?.idPrefix ?? (isCustom ? 'ctc_' : 'fc_')}${id}`
    this.#callId = callId
    this.#tool = tool
    this.#index = index
    this.#events = events
    this.#decoder = isCustom ? new CustomInputDecoder() : null
    const delta = isCustom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta'
    // The arguments of a tool that the app runs have no events: the item has them when it is done.
    const writer = client === null ? events : new EventWriter(true)
    this.#streamed = new StreamedText(writer.deltaHead(delta, { item_id: this.#id, output_index: index }), writer)
    events.write('response.output_item.added', { output_index: index, item: this.json() })
  }

  push(args: string): void {
    this.#streamed.push(this.#decoder === null ? args : this.#decoder.push(args))
  }

  /** @returns whether the call can be run. It can't when the arguments of a tool that the app runs can't be read */
  end(): boolean {
    if (this.#status !== 'in_progress') return true
    this.#endText()
    const { kind } = this.#tool
    if (isClientTool(kind)) return this.#endClient(readClientCall(kind, this.#streamed.text))
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
    return true
  }

  #endClient(read: JsonObject | null): boolean {
    this.#status = 'completed'
    if (read !== null) this.#read = read
    this.#events.write('response.output_item.done', { output_index: this.#index, item: this.json() })
    return read !== null
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

  json(): ResponseFunctionToolCallItem | ResponseCustomToolCallItem | ResponseOutputItem {
    const { kind, name, namespace } = this.#tool
    if (isClientTool(kind)) {
      const { member, extra } = clientTools[kind]
      const type = `${kind}_call`
      // The API has no incomplete patches.
      const status = kind === 'apply_patch' && this.#status === 'incomplete' ? 'in_progress' : this.#status
      const item = { id: this.#id, type, call_id: this.#callId, status, [member]: this.#read, ...extra }
      return item as unknown as ResponseOutputItem
    }
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
