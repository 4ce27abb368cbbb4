import * as z from 'zod'
import { problemOf } from '../api/problem.ts'
import { localStore } from './storage.ts'

// Everything that makes the service work carries a requestId, and the core starts one request for one id. The id belongs to what the person
// wants: while the answer of the core is missing, asking for the same again uses the same id, so that a lost answer is never paid twice.
// The ids are also in the browser's storage: they survive a reload, and another window that asks for the same uses the same id.

/** What a person can ask for, as one place on the screen: `name` within `scope`, such as `send` within a conversation. */
export interface Place {
  scope: string
  name: string
  /** Whether this window knows of something that was made under this requestId. */
  isMade?: (requestId: string) => boolean
}

/** A request whose answer is missing. `intent`: SHA-256 of what was asked for, base64. */
const unanswered = z.object({ requestId: z.uuid(), intent: z.string() })
type Unanswered = z.infer<typeof unanswered>
const stored = z.record(z.string(), unanswered)

/** Unanswered requests that are stored of one scope. */
const maxNames = 50
/** Those of this window by scope, then name. What other windows do leaves them alone: the text that belongs to them is still here. */
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
 * Asks the core for what costs something. The same `intent` at the same place gets the same requestId until the core has answered, also after
 * a reload and from another window; another intent gets a new one. A refusal keeps the id: it says nothing about an earlier call whose answer
 * was lost. Only `no_such_item` gives it up, because what was made under it may have been deleted since.
 * @throws what `ask` throws
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

/** Nothing waits in here: two windows that ask at the same time don't both find none. */
function requestIdFor(place: Place, intent: string): string {
  const { scope, name, isMade = () => false } = place
  const others = readStored(scope)[name]
  // Of another window, or of this one before a reload. What came of it meanwhile was not asked for from here.
  const shared = others && !isMade(others.requestId) ? others : undefined
  const requests = mine.get(scope) ?? new Map<string, Unanswered>()
  const known = [requests.get(name), shared].find((one) => one?.intent === intent)
  const request = known ?? { requestId: crypto.randomUUID(), intent }
  mine.set(scope, requests.set(name, request))
  writeStored(place, request)
  return request.requestId
}

/** The person changed in this window what was asked for from it: the next request is another one, even if the text becomes the same again. */
export function intentChanged(place: Place): void {
  const request = mine.get(place.scope)?.get(place.name)
  if (request) settle(place, request.requestId)
}

/** What everything in `scope` is asked with changed, in whichever window. */
export function intentsChanged(scope: string): void {
  mine.delete(scope)
  localStore.remove(keyOf(scope))
}

/**
 * Settles requests of this window whose result came another way than by the answer.
 * @param has whether something was made under this requestId
 * @returns the settled ones
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

/** With the members of each object in one order: that in which they were set means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}
