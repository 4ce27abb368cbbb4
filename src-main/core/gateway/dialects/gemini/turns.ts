import type { ChatMessage, ContentPart } from '../../../upstream/types.ts'
import { afterCalls } from '../answeredCalls.ts'
import { DialectError } from '../dialectError.ts'

/** A call of a function in the history. `id` is null where the client sent none. */
export interface SentCall {
  id: string | null
  name: string
  /** JSON text. */
  arguments: string
  path: string
}

/** The result of a call. */
export interface SentResult {
  id: string | null
  name: string
  text: string
  images: ContentPart[]
  path: string
}

interface OpenCall {
  id: string
  path: string
  result: SentResult | null
}

/** The calls of the last turn of the model, until the next one. */
interface OpenCalls {
  all: OpenCall[]
  /** Calls by the id of the client, and by their name, in order. A result takes the first without one. */
  byKey: Map<string, { calls: OpenCall[]; next: number }>
  /** Messages since that turn. They follow the results. */
  held: ChatMessage[]
}

/**
 * Collects the messages of a chat request in the order that chat completions require: the results of all calls of a turn follow it directly. A
 * result belongs to the call with its id, or to the first call of its function that has none. The work is linear in the calls.
 */
export class Turns {
  readonly #list: ChatMessage[] = []
  #open: OpenCalls | null = null
  #numbered = 0
  readonly #ids = new Set<string>()

  addInstructions(text: string): void {
    if (text !== '') this.#add({ role: 'system', content: text })
  }

  addUser(parts: ContentPart[]): void {
    const only = parts[0]
    if (only === undefined) return
    this.#add({ role: 'user', content: parts.length === 1 && only.type === 'text' ? (only.text ?? '') : parts })
  }

  /**
   * @param reasoning thoughts of the running tool loop, or empty. Some services demand them with the calls that they led to
   * @throws DialectError for a call of the turn before that has no result
   */
  addModel(text: string, calls: readonly SentCall[], reasoning: string): void {
    if (text === '' && calls.length === 0) return
    this.#close()
    const message: ChatMessage = { role: 'assistant', content: text === '' ? null : text }
    if (reasoning !== '') message.reasoning_content = reasoning
    this.#list.push(message)
    if (calls.length === 0) return
    const open: OpenCalls = { all: [], byKey: new Map(), held: [] }
    message.tool_calls = calls.map(({ id: given, name, arguments: args, path }) => {
      const call = { id: this.#idOf(given), path, result: null }
      open.all.push(call)
      for (const key of given === null ? [`name ${name}`] : [`id ${given}`, `name ${name}`]) {
        const queue = open.byKey.get(key)
        if (queue === undefined) open.byKey.set(key, { calls: [call], next: 0 })
        else queue.calls.push(call)
      }
      return { id: call.id, type: 'function', function: { name, arguments: args } }
    })
    this.#open = open
  }

  /** The id of a call at the service. Calls that the client sent without one are numbered. */
  #idOf(given: string | null): string {
    let id = given
    while (id === null || id === '' || this.#ids.has(id)) id = `call_${++this.#numbered}`
    this.#ids.add(id)
    return id
  }

  /** @throws DialectError for a result without a call */
  addResult(result: SentResult): void {
    const call = (result.id === null ? undefined : this.#take(`id ${result.id}`)) ?? this.#take(`name ${result.name}`)
    if (call === undefined) {
      throw new DialectError(
        result.path,
        'The turn of the model before it has no call of this function that still lacks its response.',
      )
    }
    call.result = result
  }

  /** The first call of a queue that has no result. */
  #take(key: string): OpenCall | undefined {
    const queue = this.#open?.byKey.get(key)
    while (queue !== undefined && queue.next < queue.calls.length) {
      const call = queue.calls[queue.next++]
      if (call?.result === null) return call
    }
    return undefined
  }

  /** @throws DialectError for a call without a result, and if there is no message */
  finish(): ChatMessage[] {
    this.#close()
    if (this.#list.length === 0) throw new DialectError('contents', 'At least one content with a part is required.')
    return this.#list
  }

  #add(message: ChatMessage): void {
    if (this.#open === null) this.#list.push(message)
    else this.#open.held.push(message)
  }

  #close(): void {
    const open = this.#open
    if (open === null) return
    this.#open = null
    const answered = open.all.map(({ id, path, result }) => {
      if (result !== null) return { id, result }
      throw new DialectError(path, 'The contents after this call have no response of the function.')
    })
    for (const message of afterCalls(answered, open.held)) this.#list.push(message)
  }
}
