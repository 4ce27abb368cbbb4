import { ToolCallSlots } from './toolCallSlots.ts'
import type { ChatStreamEvent } from './types.ts'

type CallEvent = Extract<ChatStreamEvent, { type: 'tool_call' }>

/** The calls of one choice. */
interface Calls {
  slots: ToolCallSlots<Call>
  numbers: Set<number>
  /** Above every number of a call, except for numbers that no real service sends. */
  next: number
}

interface Call {
  number: number
  /** As far as it has arrived. */
  name: string
}

/** Highest index of a call that later numbers have to exceed. Above it numbers could no longer be counted up exactly. */
const highestIndex = 2 ** 31

/**
 * Makes the pieces of tool calls unambiguous, so that their texts can be joined by `index` alone: gives calls that share an index (see
 * `ToolCallSlots`) one of their own, and removes names that repeat what has arrived.
 */
export class ToolCallPieces {
  readonly #choices = new Map<number, Calls>()

  /** Returns the event to use instead. */
  read(event: ChatStreamEvent): ChatStreamEvent {
    return event.type === 'tool_call' ? this.#read(event) : event
  }

  #read(event: CallEvent): CallEvent {
    let calls = this.#choices.get(event.choice)
    if (calls === undefined) {
      calls = { slots: new ToolCallSlots(), numbers: new Set(), next: 0 }
      this.#choices.set(event.choice, calls)
    }
    let call = calls.slots.find(event)
    if (call === null) {
      call = { number: numberOf(event.index, calls), name: '' }
      calls.slots.begin(event, call)
    }
    // Services send the name once, in pieces, or whole with each piece.
    const name = event.name === call.name ? null : event.name
    call.name += name ?? ''
    return { ...event, index: call.number, name }
  }
}

/** The index of a new call if no other call has it, otherwise the next free number. */
function numberOf(index: number, calls: Calls): number {
  const number = calls.numbers.has(index) ? calls.next : index
  calls.numbers.add(number)
  if (number < highestIndex) calls.next = Math.max(calls.next, number + 1)
  return number
}
