import { isFields } from '../json/values.ts'
import type { ChatStreamEvent } from './events.ts'

export type CallEvent = Extract<ChatStreamEvent, { type: 'tool_call' }>

/** A piece of a tool call as the service sent it. */
export interface CallPiece {
  /** Null when the service sends none. */
  index: number | null
  /** Position in the list of the event. */
  position: number
  id: string | null
  name: string | null
  /** JSON text, or the arguments as an object. */
  arguments: unknown
}

interface Call {
  /** Unique in its choice. */
  index: number
  id: string | null
  /** As far as it has arrived. */
  name: string
  /** Arguments that wait for the end of the call, because they are blank so far or encoded twice. Null once they pass on. */
  held: string | null
  /** Whether the held arguments begin with a quotation mark. */
  isQuoted: boolean
}

/** Maximum number of calls of one choice. Further ones are skipped. */
const maxCalls = 10_000
/** Maximum length of the arguments of a reply that are held back because they may be encoded twice, UTF-16 units. */
const maxHeld = 1024 * 1024

/** The arguments that all calls of a reply hold back, UTF-16 units. */
export interface HeldArguments {
  length: number
}

/** Highest index of a call that later numbers have to exceed. Above it numbers could no longer be counted up exactly. */
const highestIndex = 2 ** 31

/**
 * The tool calls of one choice. Makes their pieces unambiguous, so that texts can be joined by `index` alone.
 *
 * - A piece belongs to the call with its index. Services that send every call with the same index, or with none, are distinguished by id.
 * - An unknown id begins a call only together with a name, because some services send a new id with each piece.
 * - A name comes once, in pieces, whole with each piece, or as far as it goes with each piece: one that begins with all before it repeats it.
 */
export class ToolCalls {
  readonly #choice: number
  readonly #held: HeldArguments
  readonly #calls: Call[] = []
  /** The latest call at each index or position. */
  readonly #latest = new Map<number, Call>()
  readonly #byId = new Map<string, Call>()
  readonly #taken = new Set<number>()
  #next = 0

  /** @param held shared by all choices of the reply */
  constructor(choice: number, held: HeldArguments) {
    this.#choice = choice
    this.#held = held
  }

  read(piece: CallPiece): CallEvent | null {
    const known = this.#find(piece)
    if (known === null && this.#calls.length >= maxCalls) return null
    const call = known ?? this.#begin(piece)
    if (piece.id && call.id === null) {
      call.id = piece.id
      this.#byId.set(key(piece.id, piece.index), call)
    }
    const isAgain = call.name !== '' && piece.name?.startsWith(call.name)
    const name = isAgain ? (piece.name?.slice(call.name.length) ?? null) : piece.name
    call.name += name ?? ''
    return this.#event(call, piece.id, name || null, this.#argumentsToPass(call, argumentsText(piece.arguments)))
  }

  /** The arguments that were held back. Call when the choice has finished. */
  end(): CallEvent[] {
    const rest: CallEvent[] = []
    for (const call of this.#calls) {
      if (call.held === null) continue
      rest.push({ ...this.#event(call, null, null, meant(call.held)), late: true })
      this.#held.length -= call.held.length
      call.held = null
    }
    return rest
  }

  #find({ index, position, id, name }: CallPiece): Call | null {
    const at = index ?? position
    const latest = this.#latest.get(at) ?? null
    if (!id || latest?.id === null || latest?.id === id) return latest
    const known = this.#byId.get(key(id, index))
    if (known !== undefined) return known
    return name ? null : latest
  }

  #begin({ index, position }: CallPiece): Call {
    const at = index ?? position
    const number = this.#taken.has(at) ? this.#next : at
    this.#taken.add(number)
    if (number < highestIndex) this.#next = Math.max(this.#next, number + 1)
    const call: Call = { index: number, id: null, name: '', held: '', isQuoted: false }
    this.#calls.push(call)
    this.#latest.set(at, call)
    return call
  }

  #argumentsToPass(call: Call, piece: string): string {
    if (call.held === null || piece === '') return piece
    // Only the new piece is looked at, however much is held: a model in a loop sends spaces without end.
    const start = call.isQuoted ? piece : piece.trimStart()
    // A JSON string may contain the arguments.
    call.isQuoted ||= start.startsWith('"')
    const text = call.held + piece
    const waits = (call.isQuoted || start === '') && this.#held.length + piece.length <= maxHeld
    this.#held.length += waits ? piece.length : -call.held.length
    call.held = waits ? text : null
    return waits ? '' : text
  }

  #event({ index }: Call, id: string | null, name: string | null, args: string): CallEvent {
    return { type: 'tool_call', choice: this.#choice, index, id, name, arguments: args }
  }
}

/** Calls with different indexes may have the same id. */
const key = (id: string, index: number | null): string => `${index ?? ''} ${id}`

const argumentsText = (given: unknown): string =>
  typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given)

/**
 * Arguments of a call as they may be sent to the service again. Strict services refuse a request whose history has others, for ever after.
 * Text that is no object is wrapped, so that the model sees what it wrote.
 */
export function sendableArguments(args: string): string {
  const text = meant(args)
  try {
    if (isFields(JSON.parse(text))) return text
  } catch {
    // The model wrote no JSON. The result of the call said so.
  }
  return JSON.stringify({ INVALID_JSON: args })
}

/** What whole arguments mean: `{}` for none, and the object in a text that was encoded twice. Other text stays, and no tool runs with it. */
export function meant(args: string): string {
  if (args.trim() === '') return '{}'
  if (!args.trimStart().startsWith('"')) return args
  try {
    const inner: unknown = JSON.parse(args)
    return typeof inner === 'string' && isFields(JSON.parse(inner)) ? inner : args
  } catch {
    return args
  }
}
