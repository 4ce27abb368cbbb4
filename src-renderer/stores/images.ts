import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Drawing, Image, ImageRequest, ImagesChange } from '../../src-preload/contract/images.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'

/** The composer's contents, and the image that the prompt was taken from. */
export interface ImageDraft extends ImageRequest {
  from: { imageId: string; thumbId: string | null; mediaId: string } | null
}

export interface ImagesStore {
  /** `loading`: no snapshot yet. `failed`: the core refused the watch, see `problem`. */
  state: 'loading' | 'live' | 'failed'
  problem: Problem | null
  /** Newest first: all running drawings, and the newest ended drawings. */
  drawings: readonly Drawing[]
  /** The number of all images, matching or not. */
  total: number
  search: string
  favourites: boolean
  /** The matching images, newest first. Results of an earlier search stay until the new results arrive. */
  images: readonly Image[]
  found: 'loading' | 'ready' | 'failed'
  foundProblem: Problem | null
  /** A new image may match: the search must run again. */
  stale: boolean
  /** The image at the keyboard cursor, whose details are shown. */
  cursor: string | null
  /** The first image of a range selection. */
  anchor: string | null
  picked: ReadonlySet<string>
  /** Drawings whose problems are dismissed. */
  dismissed: ReadonlySet<string>
  /** A dismissed drawing whose problems the person opened again from the list. */
  recalled: string | null
  /** Images without a thumbnail. They are drawn at full size. */
  noThumb: ReadonlySet<string>
  /** Deletions, one entry per action. The last entry is undone first. */
  undo: readonly (readonly string[])[]
  /** Whether the undo note is visible. The keyboard shortcut works longer. */
  undoShown: boolean
  draft: ImageDraft
  sending: boolean
  refused: Problem | null
}

export const emptyDraft: ImageDraft = { prompt: '', n: 1, model: null, size: null, responseFormat: null, from: null }

export const firstImages: ImagesStore = {
  state: 'loading',
  problem: null,
  drawings: [],
  total: 0,
  search: '',
  favourites: false,
  images: [],
  found: 'loading',
  foundProblem: null,
  stale: false,
  cursor: null,
  anchor: null,
  picked: new Set(),
  dismissed: new Set(),
  recalled: null,
  noThumb: new Set(),
  undo: [],
  undoShown: false,
  draft: emptyDraft,
  sending: false,
  refused: null,
}

export const imagesStore = createStore<ImagesStore>(() => firstImages)
export const useImages = <T>(select: (store: ImagesStore) => T): T => useStore(imagesStore, select)

/** Upper limit of undoable actions. */
const maxActions = 50

/** Whether a search or the favourites filter hides images. */
export const isNarrowed = ({ search, favourites }: ImagesStore): boolean => search.trim() !== '' || favourites

/** Applies an event. Cost: one copy of the list per change, about 20 µs at 10,000 images. */
export function withChange(store: ImagesStore, change: ImagesChange): ImagesStore {
  switch (change.type) {
    case 'snapshot':
      return { ...store, state: 'live', problem: null, drawings: sorted(change.drawings), total: change.total }
    case 'drawing':
      return { ...store, drawings: placed(store.drawings, change.drawing) }
    case 'image':
      return withImage(store, change.image)
    case 'gone':
      return withoutImages(store, change.imageIds)
    case 'total':
      return { ...store, total: change.total }
  }
}

const newest = (a: { createdAt: string; id: string }, b: { createdAt: string; id: string }): number =>
  b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id)
const sorted = (drawings: readonly Drawing[]): Drawing[] => [...drawings].sort(newest)

function placed(drawings: readonly Drawing[], drawing: Drawing): readonly Drawing[] {
  const at = drawings.findIndex(({ id }) => id === drawing.id)
  return at < 0 ? sorted([drawing, ...drawings]) : drawings.with(at, drawing)
}

function withImage(store: ImagesStore, image: Image): ImagesStore {
  const at = store.images.findIndex(({ id }) => id === image.id)
  if (at >= 0) {
    // An image that is no longer a favourite stays visible under the favourites filter, so that nothing moves before a possible undo.
    return { ...store, images: store.images.with(at, image) }
  }
  if (isNarrowed(store)) return { ...store, stale: true }
  const before = store.images.findIndex((other) => newest(image, other) < 0)
  const images = store.images.toSpliced(before < 0 ? store.images.length : before, 0, image)
  return { ...store, images, total: Math.max(store.total, images.length) }
}

export function withoutImages(store: ImagesStore, ids: readonly string[]): ImagesStore {
  const gone = new Set(ids)
  const images = store.images.filter(({ id }) => !gone.has(id))
  if (images.length === store.images.length) return store
  const total = Math.max(images.length, store.total - (store.images.length - images.length))
  const picked = new Set([...store.picked].filter((id) => !gone.has(id)))
  return { ...store, images, total, picked, ...cursorAfter(store, images) }
}

/** When the image at the cursor is gone, moves the cursor to the image at the same position. */
function cursorAfter(store: ImagesStore, images: readonly Image[]): Pick<ImagesStore, 'cursor' | 'anchor'> {
  const { cursor, anchor } = store
  if (cursor === null || images.some(({ id }) => id === cursor)) return { cursor, anchor }
  const at = store.images.findIndex(({ id }) => id === cursor)
  const left = new Set(images.map(({ id }) => id))
  const next = store.images.slice(at).find(({ id }) => left.has(id)) ?? images.at(-1)
  return { cursor: next?.id ?? null, anchor: next?.id ?? null }
}

export function withFound(store: ImagesStore, images: readonly Image[]): ImagesStore {
  const known = new Set(images.map(({ id }) => id))
  const ifKnown = (id: string | null): string | null => (id !== null && known.has(id) ? id : null)
  return {
    ...store,
    images,
    found: 'ready',
    foundProblem: null,
    total: isNarrowed(store) ? Math.max(store.total, images.length) : images.length,
    cursor: ifKnown(store.cursor),
    anchor: ifKnown(store.anchor),
    picked: new Set([...store.picked].filter((id) => known.has(id))),
  }
}

export const withoutDrawing = (store: ImagesStore, id: string): ImagesStore => ({
  ...store,
  drawings: store.drawings.filter((drawing) => drawing.id !== id),
})

export const withDismissed = (store: ImagesStore, id: string): ImagesStore => ({
  ...store,
  dismissed: new Set([...store.dismissed, id].slice(-500)),
  recalled: store.recalled === id ? null : store.recalled,
})

/** Adds a deletion to the undo list. */
export const withAction = (store: ImagesStore, ids: readonly string[]): ImagesStore => ({
  ...store,
  undo: [...store.undo, ids].slice(-maxActions),
  undoShown: true,
})

/** Moves the cursor and clears the selection. */
export const withCursor = (id: string | null): Partial<ImagesStore> => ({ cursor: id, anchor: id, picked: new Set() })

/** Toggles the selection of an image. */
export function withToggled(store: ImagesStore, id: string): Partial<ImagesStore> {
  const picked = new Set(store.picked)
  if (!picked.delete(id)) picked.add(id)
  return { picked, cursor: id, anchor: id }
}

/** Selects the range up to this image. `add` extends the earlier selection. */
export function withRange(store: ImagesStore, id: string, add = false): Partial<ImagesStore> {
  const place = (wanted: string | null): number => store.images.findIndex((image) => image.id === wanted)
  const to = place(id)
  const from = place(store.anchor) < 0 ? to : place(store.anchor)
  const range = store.images.slice(Math.min(from, to), Math.max(from, to) + 1).map((image) => image.id)
  return { picked: new Set([...(add ? store.picked : []), ...range]), cursor: id, anchor: store.anchor ?? id }
}

/** The images that an action applies to: the selection in gallery order, otherwise the image at the cursor. */
export function targets({ images, picked, cursor }: ImagesStore): Image[] {
  if (picked.size > 0) return images.filter(({ id }) => picked.has(id))
  return images.filter(({ id }) => id === cursor)
}

export const isMaking = ({ state }: Drawing): boolean => state === 'making'
export const savedCount = ({ slots }: Drawing): number => slots.filter(({ state }) => state === 'kept').length

/** Whether the drawing ended without all requested images. */
export const isTroubled = (drawing: Drawing): boolean =>
  !isMaking(drawing) &&
  (drawing.state !== 'done' || drawing.slots.some(({ state }) => state === 'refused' || state === 'failed'))

/** Upper limit of ended drawings on the stage. */
const maxTroubled = 3

/**
 * The drawings above the gallery: all running drawings, the latest incomplete drawings, and the recalled drawing. Problems older than the
 * latest complete drawing are omitted, because they would push the new images out of sight.
 */
export function onStage({ drawings, dismissed, recalled }: ImagesStore): Drawing[] {
  let troubled = 0
  return drawings.filter((drawing) => {
    if (isMaking(drawing) || drawing.id === recalled) return true
    if (!isTroubled(drawing)) troubled = maxTroubled
    if (dismissed.has(drawing.id)) return false
    troubled += 1
    return troubled <= maxTroubled
  })
}
