import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  maxReadInTurn,
  type StoredItem,
  type StoredResponses,
  type StoredText,
} from '../../../ports/storedResponses.ts'
import { JsonScan, maxParsedValues } from '../../../upstream/json/jsonScan.ts'
import { isFields } from '../../../upstream/json/values.ts'
import { DialectError } from '../dialectError.ts'
import type { StoredItems } from '../responses/inputItems.ts'
import type { JsonObject } from '../types.ts'

/** What a request refers to: the previous response, and single items, in their order and with their repeats. */
export interface References {
  previous: string | null
  items: string[]
}

/** What a request of the Responses API refers to, or null when it refers to nothing. */
export function referencesOf({ previous_response_id: previous, input }: JsonObject): References | null {
  const items = Array.isArray(input) ? input.filter(mayRefer) : []
  if (typeof previous !== 'string' && items.length === 0) return null
  const ids = items.flatMap(({ id }) => (typeof id === 'string' ? id : []))
  return { previous: typeof previous === 'string' ? previous : null, items: ids }
}

/** A reference may also be written without its type, as an id alone. */
const mayRefer = (item: unknown): item is JsonObject =>
  isFields(item) && (item.type === 'item_reference' || (typeof item.type !== 'string' && item.role === undefined))

/** Most items that a request refers to, each counted once. Finding this many takes about 50 ms. */
const maxReferences = 5000

/** The stored responses that a request needs. */
export interface NeededResponses {
  /** Bytes of the conversation, and of the other responses as often as the request refers to their items. At most `maxBytes`. */
  bytes: number
  /** The items that the request refers to, by the response that has them. */
  owners: ReadonlyMap<string, string[]>
}

/**
 * Finds the stored responses that a request needs, without reading them.
 * @param maxBytes largest size of all of them, each counted once, bytes
 * @throws DialectError `previous_response_not_found`, and for responses or references that are too many or too long
 */
export function neededResponses(
  { previous, items }: References,
  appId: string,
  responses: StoredResponses,
  maxBytes: number,
): NeededResponses {
  let conversation = 0
  if (previous !== null) {
    const size = responses.sizeOfConversation(appId, previous)
    if (size === null) throw notStored()
    if (size > maxBytes) {
      throw new DialectError('previous_response_id', 'The conversation is too long. Begin a new one with its summary.')
    }
    conversation = size
  }
  const ids = new Set(items)
  if (ids.size > maxReferences) {
    throw new DialectError('input', `A request may refer to at most ${maxReferences.toLocaleString('en')} items.`)
  }
  const owners = new Map<string, string[]>()
  const sizes = new Map<string, number>()
  let once = conversation
  for (const id of ids) {
    const owner = responses.ownerOf(appId, id)
    if (owner === null) continue
    sizes.set(id, owner.bytes)
    const known = owners.get(owner.id)
    if (known) known.push(id)
    else {
      owners.set(owner.id, [id])
      once += owner.bytes
    }
  }
  if (once > maxBytes) throw tooLong(maxBytes)
  const all = items.reduce((sum, id) => sum + (sizes.get(id) ?? 0), conversation)
  return { bytes: Math.min(all, maxBytes), owners }
}

const tooLong = (maxBytes: number): DialectError =>
  new DialectError(
    'input',
    `The request and the stored items that it refers to are too long: at most ${inMegabytes(maxBytes)} MB and ${maxParsedValues.toLocaleString('en')} values together. Send fewer references.`,
  )

const inMegabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)

/** What a request refers to, in a form that another thread can read. */
export interface StoredForThread {
  /** Id of the previous response. */
  previousId: string | null
  previous: StoredText[] | null
  /** The responses that have the items, and the ids of these. */
  owners: (StoredText & { items: string[] })[]
  /** As in `References`. */
  references: string[]
  /** Largest size of the conversation and of all items that the request refers to, repeats included, bytes. */
  maxBytes: number
}

/** Reads what a request needs, with a turn of the event loop before it, after it, and between large parts. @throws DialectError */
export async function storedForThread(
  { previous, items }: References,
  { owners }: NeededResponses,
  appId: string,
  responses: StoredResponses,
  maxBytes: number,
): Promise<StoredForThread> {
  await nextTurn()
  const texts = previous === null ? null : await responses.texts(appId, previous)
  if (previous !== null && texts === null) throw notStored()
  const found: StoredForThread['owners'] = []
  let read = 0
  for (const [id, itemIds] of owners) {
    const response = responses.get(appId, id)
    // Deleted since it was found: its items are unknown, as the translation says.
    if (response === null) continue
    const { input, reply } = response
    found.push({ input, reply, items: itemIds })
    read += input.length + reply.length
    if (read > maxReadInTurn) {
      await nextTurn()
      read = 0
    }
  }
  await nextTurn()
  return { previousId: previous, previous: texts, owners: found, references: items, maxBytes }
}

/** The stored items of a request, and the bytes of those that it refers to, each counted as often as it is referred to. */
export interface StoredForRequest extends StoredItems {
  referencedBytes: number
}

/**
 * The stored items that a request refers to. References multiply: a short request can refer to a long item again and again. So their sum is
 * checked before anything is built from them.
 * @throws DialectError for a conversation that failed, and for more than `maxBytes` or `maxParsedValues`
 */
export function storedItemsIn({ previous, owners, references, maxBytes }: StoredForThread): StoredForRequest {
  const limit = { bytes: maxBytes, values: maxParsedValues }
  const refuse = (): never => {
    throw tooLong(maxBytes)
  }
  const parsed = previous?.map((text) => parsedWithin(limit, text, refuse))
  const ofOwners = { ...limit }
  const items = new Map<string, { item: JsonObject; weight: Weight }>()
  for (const owner of owners) {
    const { input, reply } = parsedWithin(ofOwners, owner, refuse)
    const wanted = new Set(owner.items)
    for (const item of itemsOf({ input, reply })) {
      if (typeof item.id === 'string' && wanted.has(item.id)) items.set(item.id, { item, weight: weightOf(item) })
    }
  }
  const { bytes } = limit
  for (const id of references) {
    const weight = items.get(id)?.weight
    limit.bytes -= weight?.bytes ?? 0
    limit.values -= weight?.values ?? 0
    if (limit.bytes < 0 || limit.values < 0) refuse()
  }
  return {
    previous: parsed ? itemsOfConversation(parsed) : null,
    item: (id) => items.get(id)?.item ?? null,
    referencedBytes: bytes - limit.bytes,
  }
}

/** Bytes and values of JSON. */
interface Weight {
  bytes: number
  values: number
}

/** Parses a stored response and takes its size from what is `left`. */
function parsedWithin(left: Weight, text: StoredText, refuse: () => never): ParsedResponse {
  for (const json of [text.input, text.reply]) {
    const bytes = Buffer.from(json)
    const scan = new JsonScan({ maxValues: left.values })
    scan.push(bytes)
    left.bytes -= bytes.length
    // The scan counts no further inside what is nested too deep. No JSON has more values than half its bytes.
    left.values -= scan.problem === 'depth' ? bytes.length / 2 : scan.values
    if (left.bytes < 0 || left.values < 0) refuse()
  }
  return responseOfText(text)
}

/** The size of an item as JSON. */
const weightOf = (item: JsonObject): Weight => ({
  bytes: Buffer.byteLength(JSON.stringify(item)),
  values: valuesIn(item),
})

/** Stored items are nested at most as deep as a request. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 1)
}

interface ParsedResponse {
  input: JsonObject[]
  reply: JsonObject
}

/** The content of a stored response. */
export function responseOfText({ input, reply }: StoredText): ParsedResponse {
  const [own, whole]: unknown[] = [JSON.parse(input), JSON.parse(reply)]
  return { input: Array.isArray(own) ? own.filter(isFields) : [], reply: isFields(whole) ? whole : {} }
}

/** An item as it is stored. */
export const storedItem = (item: JsonObject): StoredItem => ({
  id: typeof item.id === 'string' ? item.id : null,
  text: JSON.stringify(item),
})

function itemsOfConversation(conversation: ParsedResponse[]): JsonObject[] {
  if (conversation.some(({ reply }) => reply.status === 'failed')) {
    throw new DialectError(
      'previous_response_id',
      'The previous response failed, so it can be read and not continued. Continue from the response before it.',
      'previous_response_not_found',
    )
  }
  return conversation.flatMap(itemsOf)
}

const notStored = (): DialectError =>
  new DialectError(
    'previous_response_id',
    'No such response is stored for this app. It was never stored (store: false, or the app disconnected), or it or one before it was deleted. Send the whole conversation as input.',
    'previous_response_not_found',
  )

/** Input and output of one response, in order. */
const itemsOf = ({ input, reply: { output } }: ParsedResponse): JsonObject[] =>
  Array.isArray(output) ? [...input, ...output] : input
