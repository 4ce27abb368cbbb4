import * as z from 'zod'
import { problemOf } from '../api/problem.ts'
import { localStore } from './storage.ts'

// Every call that starts a request to the service has a requestId, and the core starts one request per id. The id belongs to the person's
// intent. Until the core answers, the same intent reuses the same id, so that a retry after a lost answer is never paid twice.
// The browser's storage also contains the ids. They survive a reload, and another window with the same intent uses the same id.

/** A place on the screen where a person can start a request: `name` within `scope`, for example `send` within a chat. */
export interface Place {
  scope: string
  name: string
  /** Whether this window knows an item created under this requestId. */
  isMade?: (requestId: string) => boolean
}

/** A request without an answer. `intent`: SHA-256 of the input, base64. */
const unanswered = z.object({ requestId: z.uuid(), intent: z.string() })
type Unanswered = z.infer<typeof unanswered>
const stored = z.record(z.string(), unanswered)

/** Upper limit of stored unanswered requests per scope. */
const maxNames = 50
/**
 * Unanswered requests of this window by scope, then name. Independent of other windows, because only this window contains the texts of
 * these requests.
 */
const mine = new Map<string, Map<string, Unanswered>>()

const keyOf = (scope: string): string => `requests.${scope}`

function readStored(scope: string): z.infer<typeof stored> {
  const kept = stored.safeParse(localStore.getJson(keyOf(scope)))
  return kept.success ? kept.data : {}
}

function writeStored({ scope, name }: Place, request: Unanswered | null): void {
  const { [name]: _before, ...others } = readStored(scope)
  const all = Object.entries(request ? { ...others, [name]: request } : others).slice(-maxNames)
  if (all.length === 0) localStore.remove(keyOf(scope))
  else localStore.setJson(keyOf(scope), Object.fromEntries(all))
}

function settle(place: Place, requestId: string): void {
  const { scope, name } = place
  if (mine.get(scope)?.get(name)?.requestId === requestId) mine.get(scope)?.delete(name)
  if (readStored(scope)[name]?.requestId === requestId) writeStored(place, null)
}

/**
 * Makes a paid call. The same `intent` at the same place reuses its requestId until the core has answered, also after a reload and from
 * another window. Another intent gets a new id. The id stays after a refusal, because an earlier call whose answer was lost may have
 * succeeded.
 * `no_such_item` discards the id, because the item created under this id may have been deleted.
 * @throws any error of `ask`
 */
export async function askOnce<T>(place: Place, intent: unknown, ask: (requestId: string) => Promise<T>): Promise<T> {
  const requestId = requestIdFor(place, await digestOf(intent))
  try {
    const answer = await ask(requestId)
    settle(place, requestId)
    return answer
  } catch (thrown) {
    if (problemOf(thrown).kind === 'no_such_item') settle(place, requestId)
    throw thrown
  }
}

/** Finds or creates an id. Synchronous, so that two simultaneous calls from two windows cannot both create an id. */
function requestIdFor(place: Place, intent: string): string {
  const { scope, name, isMade = () => false } = place
  const others = readStored(scope)[name]
  // The stored id is from another window, or from this window before a reload. Does not reuse the id when its result already exists,
  // because this window did not request that result.
  const shared = others && !isMade(others.requestId) ? others : undefined
  const requests = mine.get(scope) ?? new Map<string, Unanswered>()
  const known = [requests.get(name), shared].find((one) => one?.intent === intent)
  const request = known ?? { requestId: crypto.randomUUID(), intent }
  mine.set(scope, requests.set(name, request))
  writeStored(place, request)
  return request.requestId
}

/** Call when the person changes the input in this window. The next request gets a new id, even if the text becomes the same again. */
export function intentChanged(place: Place): void {
  const request = mine.get(place.scope)?.get(place.name)
  if (request) settle(place, request.requestId)
}

/** Call when an input of all requests in `scope` changes, in any window. */
export function intentsChanged(scope: string): void {
  mine.delete(scope)
  localStore.remove(keyOf(scope))
}

/**
 * Settles requests of this window whose result arrived without an answer.
 * @param has whether an item was created under this requestId
 * @returns the settled requests
 */
export function settleSeen(scope: string, has: (requestId: string) => boolean): { name: string; requestId: string }[] {
  const seen = [...(mine.get(scope) ?? [])].flatMap(([name, { requestId }]) =>
    has(requestId) ? [{ name, requestId }] : [],
  )
  for (const { name, requestId } of seen) settle({ scope, name }, requestId)
  return seen
}

async function digestOf(intent: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(sorted(intent)))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return btoa(String.fromCharCode(...digest))
}

/** Sorts the members of each object, because their order has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}
