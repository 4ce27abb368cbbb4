import { tabStore } from '../../../shared/storage.ts'

/** Where a reader left a chat: the message at the top of the view, and the offset into it in px. */
export interface ScrollPlace {
  id: string
  offset: number
}

const key = 'chat.places'
const maxPlaces = 100

/** By chat. Absent for a reader at the end. Lives as long as the tab, reloads included. */
function load(): Map<string, ScrollPlace> {
  const stored = tabStore.getJson(key)
  return new Map(Object.entries(stored ?? {}).filter((entry): entry is [string, ScrollPlace] => isPlace(entry[1])))
}

const isPlace = (value: unknown): value is ScrollPlace =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'offset' in value &&
  typeof value.offset === 'number'

let places: Map<string, ScrollPlace> | null = null

export function placeIn(conversationId: string): ScrollPlace | null {
  places ??= load()
  return places.get(conversationId) ?? null
}

export function saveScrollPlace(conversationId: string, place: ScrollPlace | null): void {
  places ??= load()
  places.delete(conversationId)
  if (place) places.set(conversationId, place)
  for (const oldest of places.keys()) {
    if (places.size <= maxPlaces) break
    places.delete(oldest)
  }
  tabStore.setJson(key, Object.fromEntries(places))
}
