import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Drawing, Image, ImagesChange, ImageWish } from '../../src-preload/contract/images.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'

/** What is written in the composer, and the picture that its prompt was taken from. */
export interface ImageDraft extends ImageWish {
  from: { imageId: string; thumbId: string | null; mediaId: string } | null
}

export interface ImagesStore {
  /** `loading`: no snapshot yet. `failed`: the core refused the watch, see `problem`. */
  state: 'loading' | 'live' | 'failed'
  problem: Problem | null
  /** Newest first: those under way and the newest others. */
  drawings: readonly Drawing[]
  /** Of all pictures, found or not. */
  total: number
  search: string
  favourites: boolean
  /** The pictures that match, newest first; those of an earlier search stay until the next ones are there. */
  images: readonly Image[]
  found: 'loading' | 'ready' | 'failed'
  foundProblem: Problem | null
  /** Something came that may or may not match: the search is to be asked again. */
  stale: boolean
  /** Where the arrow keys are, and whose details are shown. */
  cursor: string | null
  /** Where a range of selected pictures begins. */
  anchor: string | null
  picked: ReadonlySet<string>
  /** Drawings whose troubles need no more room on the stage. */
  dismissed: ReadonlySet<string>
  /** One whose troubles were asked for again, from the list. */
  recalled: string | null
  /** Pictures that no small one could be made of: they are drawn whole. */
  noThumb: ReadonlySet<string>
  /** What was deleted here, deed by deed; the last one can be brought back first. */
  undo: readonly (readonly string[])[]
  /** Whether the way back is offered in sight. The keys know it for longer. */
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

/** So many deeds can be taken back, one after another. */
const maxActions = 50

const isNarrowed = ({ search, favourites }: ImagesStore): boolean => search.trim() !== '' || favourites

/** Cost: a copy of the list for each change, some 20 µs at 10,000 pictures. */
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
    // It keeps its place where the favourites are shown and it is none any more: nothing moves under a hand that may take it back.
    return { ...store, images: store.images.with(at, image) }
  }
  const isNew = image.createdAt > (store.images[0]?.createdAt ?? '')
  if (isNarrowed(store)) return { ...store, stale: true, total: store.total + Number(isNew) }
  const before = store.images.findIndex((other) => newest(image, other) < 0)
  const images = store.images.toSpliced(before < 0 ? store.images.length : before, 0, image)
  return { ...store, images, total: Math.max(store.total + 1, images.length) }
}

export function withoutImages(store: ImagesStore, ids: readonly string[]): ImagesStore {
  const gone = new Set(ids)
  const images = store.images.filter(({ id }) => !gone.has(id))
  if (images.length === store.images.length) return store
  const total = Math.max(images.length, store.total - (store.images.length - images.length))
  const picked = new Set([...store.picked].filter((id) => !gone.has(id)))
  return { ...store, images, total, picked, ...cursorAfter(store, images) }
}

/** The picture that stands where the cursor's was takes it. */
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
  const keep = (id: string | null): string | null => (id !== null && known.has(id) ? id : null)
  return {
    ...store,
    images,
    found: 'ready',
    foundProblem: null,
    total: isNarrowed(store) ? Math.max(store.total, images.length) : images.length,
    cursor: keep(store.cursor),
    anchor: keep(store.anchor),
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

/** What was deleted, as something that can be brought back. */
export const withAction = (store: ImagesStore, ids: readonly string[]): ImagesStore => ({
  ...store,
  undo: [...store.undo, ids].slice(-maxActions),
  undoShown: true,
})

/** Goes to a picture and selects nothing beside it. */
export const withCursor = (id: string | null): Partial<ImagesStore> => ({ cursor: id, anchor: id, picked: new Set() })

/** In or out of the selection. */
export function withToggled(store: ImagesStore, id: string): Partial<ImagesStore> {
  const picked = new Set(store.picked)
  if (!picked.delete(id)) picked.add(id)
  return { picked, cursor: id, anchor: id }
}

/** From where the range began to this one; `add` keeps what was selected before. */
export function withRange(store: ImagesStore, id: string, add = false): Partial<ImagesStore> {
  const place = (wanted: string | null): number => store.images.findIndex((image) => image.id === wanted)
  const to = place(id)
  const from = place(store.anchor) < 0 ? to : place(store.anchor)
  const range = store.images.slice(Math.min(from, to), Math.max(from, to) + 1).map((image) => image.id)
  return { picked: new Set([...(add ? store.picked : []), ...range]), cursor: id, anchor: store.anchor ?? id }
}

/** What a deed is done to: the selection in the gallery's order, else the picture at the cursor. */
export function targets({ images, picked, cursor }: ImagesStore): Image[] {
  if (picked.size > 0) return images.filter(({ id }) => picked.has(id))
  return images.filter(({ id }) => id === cursor)
}

export const isMaking = ({ state }: Drawing): boolean => state === 'making'
export const savedCount = ({ slots }: Drawing): number => slots.filter(({ state }) => state === 'kept').length

/** It ended, and not with all that was asked for. */
export const isTroubled = (drawing: Drawing): boolean =>
  !isMaking(drawing) &&
  (drawing.state !== 'done' || drawing.slots.some(({ state }) => state === 'refused' || state === 'failed'))

/** How many ended drawings stand on the stage at most, with what went wrong. */
const maxTroubled = 3

/**
 * What stands above the gallery: all that is being drawn, the latest that did not come whole, and the one that was asked for again. What went
 * wrong before a drawing that came whole is over: it would stand between a person and the new pictures.
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
