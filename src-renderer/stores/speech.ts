import { create } from 'zustand'
import type { Problem } from '../../src-preload/contract/problem.ts'
import type { Speech, SpeechChange, SpeechDetail, SpeechPlan, SpeechWish } from '../../src-preload/contract/speech.ts'

/** How many speeches a page of the list has. */
export const pageSpeeches = 200

/** A speech on the stage. */
export interface OpenSpeech {
  id: string
  state: 'loading' | 'live' | 'gone' | 'failed'
  detail: SpeechDetail | null
  problem: Problem | null
}

export interface SpeechStore {
  state: 'loading' | 'live' | 'failed'
  problem: Problem | null
  /** Newest first, without a hole, as far as was read. */
  speeches: readonly Speech[]
  total: number
  search: string
  favourites: boolean
  /** What the search or the favourites found; null: all are shown, or it was not answered yet. */
  found: { speeches: readonly Speech[]; total: number } | null
  /** More are being read. */
  reading: boolean
  open: OpenSpeech | null
  /** Beside the open one; null: nothing is compared. */
  compared: OpenSpeech | null
  /** What is being written, and how it is to be spoken. */
  draft: SpeechWish
  /** What the draft would become, and for which draft that was told. */
  plan: { draft: SpeechWish; plan: SpeechPlan } | null
  /** The draft is being handed over. */
  asking: boolean
  /** Why the draft could not be spoken. */
  refusal: Problem | null
  note: { text: string; undo: () => void } | null
  /** Lists that stand in the window: none while it is narrow and the drawer is shut. */
  listsDrawn: number
}

export const noDraft: SpeechWish = { text: '', model: null, voice: null, format: 'mp3', speed: null, pcmRate: 24_000 }

export const firstSpeechStore: SpeechStore = {
  state: 'loading',
  problem: null,
  speeches: [],
  total: 0,
  search: '',
  favourites: false,
  found: null,
  reading: false,
  open: null,
  compared: null,
  draft: noDraft,
  plan: null,
  asking: false,
  refusal: null,
  note: null,
  listsDrawn: 0,
}

export const useSpeech = create<SpeechStore>(() => firstSpeechStore)

/** The list that is shown: all of it, or what was found. */
export const shownSpeeches = ({
  speeches,
  total,
  found,
}: SpeechStore): { speeches: readonly Speech[]; total: number } => found ?? { speeches, total }

export const isFiltered = ({ search, favourites }: SpeechStore): boolean => search.trim() !== '' || favourites

/** One change that the core tells. A snapshot takes the place of everything: what was read beyond it is read again when it is wanted. */
export function withSpeechChange(store: SpeechStore, change: SpeechChange): SpeechStore {
  if (change.type === 'snapshot') {
    return { ...store, state: 'live', problem: null, speeches: change.speeches, total: change.total }
  }
  if (change.type === 'gone') {
    const without = (list: readonly Speech[]) => list.filter(({ id }) => id !== change.id)
    const known = store.speeches.some(({ id }) => id === change.id)
    const inFound = store.found?.speeches.some(({ id }) => id === change.id) ?? false
    return {
      ...store,
      speeches: without(store.speeches),
      total: store.total - Number(known),
      found: store.found && { speeches: without(store.found.speeches), total: store.found.total - Number(inFound) },
      open: store.open?.id === change.id ? { ...store.open, state: 'gone' } : store.open,
      compared: store.compared?.id === change.id ? null : store.compared,
    }
  }
  const { speech } = change
  const replace = (list: readonly Speech[]) => list.map((one) => (one.id === speech.id ? speech : one))
  const known = store.speeches.some(({ id }) => id === speech.id)
  const read = (open: OpenSpeech | null): OpenSpeech | null =>
    open?.id === speech.id && open.detail ? { ...open, state: 'live', detail: { ...open.detail, ...speech } } : open
  return {
    ...store,
    speeches: known ? replace(store.speeches) : placed(store.speeches, speech, store.total),
    total: store.total + Number(!known),
    found: store.found && { ...store.found, speeches: replace(store.found.speeches) },
    open: read(store.open),
    compared: read(store.compared),
  }
}

/** Where its time puts it; one older than all that was read waits until it is read. */
function placed(list: readonly Speech[], speech: Speech, total: number): readonly Speech[] {
  const at = list.findIndex(({ createdAt }) => createdAt < speech.createdAt)
  if (at === -1 && list.length < total) return list
  return at === -1 ? [...list, speech] : list.toSpliced(at, 0, speech)
}

/** A page that was read after the last one. */
export function withOlderSpeeches(store: SpeechStore, page: readonly Speech[], total: number): Partial<SpeechStore> {
  const add = (list: readonly Speech[]) => {
    const known = new Set(list.map(({ id }) => id))
    return [...list, ...page.filter(({ id }) => !known.has(id))]
  }
  if (store.found) return { found: { speeches: add(store.found.speeches), total }, reading: false }
  return { speeches: add(store.speeches), total, reading: false }
}

/** s from the beginning at which each part that is whole begins; parts of unknown length end it. */
export function partStarts({ partList }: Pick<SpeechDetail, 'partList'>): number[] {
  const starts: number[] = []
  let at = 0
  for (const { seconds } of partList) {
    starts.push(at)
    if (seconds === null) break
    at += seconds
  }
  return starts
}

/** Puts a text into the Speech room's field, below what was being written there. For other rooms. */
export function offerSpeech(text: string): void {
  useSpeech.setState(({ draft }) => {
    const typed = draft.text.trim()
    return { draft: { ...draft, text: typed === '' || typed === text.trim() ? text : `${draft.text}\n\n${text}` } }
  })
}
