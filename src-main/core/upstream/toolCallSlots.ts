import type { ChatStreamEvent } from './types.ts'

type CallPiece = Pick<Extract<ChatStreamEvent, { type: 'tool_call' }>, 'index' | 'id' | 'name'>

/**
 * Finds the tool call of a reply that a piece belongs to. The index identifies the call, except at services that send every call with the
 * index 0: a piece with a name and with another id than the call at its index begins a call of its own. An id without a name does not,
 * because some services send a new id with each piece.
 */
export class ToolCallSlots<Call> {
  readonly #slots = new Map<number, { id: string | null; call: Call }>()
  #count = 0

  /** How many calls have begun. */
  get count(): number {
    return this.#count
  }

  /** The call of a piece, or null for a piece that begins one. Call `begin` then. */
  find({ index, id, name }: CallPiece): Call | null {
    const slot = this.#slots.get(index)
    if (slot === undefined) return null
    if (isText(id) && slot.id !== null && slot.id !== id && isText(name)) return null
    if (isText(id)) slot.id ??= id
    return slot.call
  }

  begin({ index, id }: CallPiece, call: Call): void {
    this.#slots.set(index, { id: isText(id) ? id : null, call })
    this.#count++
  }
}

const isText = (value: string | null): value is string => value !== null && value !== ''
