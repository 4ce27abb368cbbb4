import type { ChatStreamEvent } from '../types.ts'
import type { Redactor } from './redactor.ts'
import type { PiecesRedactor } from './streams.ts'

type TextEvent = Extract<ChatStreamEvent, { text: string }>
type CallEvent = Extract<ChatStreamEvent, { type: 'tool_call' }>

/** A text that grows by events. `event` wraps the part that was held back. */
interface Growing {
  choice: number
  redactor: PiecesRedactor
  event(rest: string): ChatStreamEvent
}

/** Masks the key in the texts of one chat reply, also where the key is split over several events. */
export class JoinedTexts {
  readonly #redactor: Redactor
  readonly #texts = new Map<string, Growing>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /** Returns the event with the text that is safe to pass on, or null when it has none. */
  clean(event: ChatStreamEvent): ChatStreamEvent | null {
    switch (event.type) {
      case 'content':
      case 'reasoning':
      case 'refusal': {
        const text = this.#push(`${event.type} ${event.choice}`, event.choice, event.text, (rest) =>
          textOf(event, rest),
        )
        return text === '' ? null : textOf(event, text)
      }
      case 'tool_call': {
        const call = `${event.choice} ${event.index}`
        const name =
          event.name === null
            ? null
            : this.#push(`name ${call}`, event.choice, event.name, (rest) => callOf(event, rest, ''))
        const given = this.#push(`arguments ${call}`, event.choice, event.arguments, (rest) =>
          callOf(event, null, rest),
        )
        return { ...event, name, arguments: given }
      }
      default:
        return event
    }
  }

  /** Yields the texts that were held back, of one choice or of all (null). */
  *rest(choice: number | null): Generator<ChatStreamEvent, void, undefined> {
    for (const [key, text] of this.#texts) {
      if (choice !== null && text.choice !== choice) continue
      this.#texts.delete(key)
      const held = text.redactor.end()
      if (held !== '') yield text.event(held)
    }
  }

  #push(key: string, choice: number, piece: string, event: Growing['event']): string {
    const known = this.#texts.get(key)
    if (known) return known.redactor.push(piece)
    const redactor = this.#redactor.forPieces()
    if (redactor === null) return piece
    this.#texts.set(key, { choice, redactor, event })
    return redactor.push(piece)
  }
}

const textOf = ({ type, choice }: TextEvent, text: string): ChatStreamEvent => ({ type, choice, text })

const callOf = ({ choice, index }: CallEvent, name: string | null, args: string): ChatStreamEvent => ({
  type: 'tool_call',
  choice,
  index,
  id: null,
  name,
  arguments: args,
})
