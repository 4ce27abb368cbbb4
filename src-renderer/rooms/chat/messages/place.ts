import * as z from 'zod'

/** Where a reader left a conversation: the message at the top of the view, and how far into it, in px. */
export interface Place {
  id: string
  offset: number
}

const key = 'chat.places'
const mostPlaces = 100
const stored = z.record(z.string(), z.object({ id: z.string(), offset: z.number() }))

/** By conversation; who was at the end has none. Lives as long as the tab, reloads included. */
function load(): Map<string, Place> {
  try {
    return new Map(Object.entries(stored.parse(JSON.parse(sessionStorage.getItem(key) ?? '{}'))))
  } catch {
    // Written by another version: where one was reading is no loss worth a word.
    return new Map()
  }
}

let places: Map<string, Place> | null = null

export function placeIn(conversationId: string): Place | null {
  places ??= load()
  return places.get(conversationId) ?? null
}

export function keepPlace(conversationId: string, place: Place | null): void {
  places ??= load()
  places.delete(conversationId)
  if (place) places.set(conversationId, place)
  for (const oldest of places.keys()) {
    if (places.size <= mostPlaces) break
    places.delete(oldest)
  }
  sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(places)))
}
