import { create } from 'zustand'
import type { Problem } from '../../src-preload/contract/problem.ts'
import type {
  Speech,
  SpeechChange,
  SpeechDetail,
  SpeechPlan,
  SpeechRequest,
} from '../../src-preload/contract/speech.ts'

/** Page size of the list. */
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
  /** The loaded part of the list, newest first, without gaps. */
  speeches: readonly Speech[]
  total: number
  search: string
  favourites: boolean
  /** Results of the search or of the favourites filter. Null: no filter, or no result yet. */
  found: { speeches: readonly Speech[]; total: number } | null
  /** Whether the next page of the list is being loaded. */
  reading: boolean
  open: OpenSpeech | null
  /** The speech beside the open one. Null: no comparison. */
  compared: OpenSpeech | null
  /** The text being written, and its voice settings. */
  draft: SpeechRequest
  /** The core's plan for a draft, with the draft that it was calculated for. */
  plan: { draft: SpeechRequest; plan: SpeechPlan } | null
  /** Whether the draft is being sent. */
  asking: boolean
  /** Why the core did not accept the draft. */
  refusal: Problem | null
  note: { text: string; undo: () => void } | null
  /** The number of mounted lists: zero when the window is narrow and the drawer is closed. */
  listsDrawn: number
}

export const noDraft: SpeechRequest = {
  text: '',
  model: null,
  voice: null,
  format: 'mp3',
  speed: null,
  pcmRate: 24_000,
}

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

/** The visible list: all speeches, or the results. */
export const shownSpeeches = ({
  speeches,
  total,
  found,
}: SpeechStore): { speeches: readonly Speech[]; total: number } => found ?? { speeches, total }

export const isFiltered = ({ search, favourites }: SpeechStore): boolean => search.trim() !== '' || favourites

/** Applies an event. A snapshot replaces all speeches. Older pages are loaded again when needed. */
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

/** Inserts by time. Skips a speech that is older than all loaded speeches, until its page is loaded. */
function placed(list: readonly Speech[], speech: Speech, total: number): readonly Speech[] {
  const at = list.findIndex(({ createdAt }) => createdAt < speech.createdAt)
  if (at === -1 && list.length < total) return list
  return at === -1 ? [...list, speech] : list.toSpliced(at, 0, speech)
}

/** Appends a page. */
export function withOlderSpeeches(store: SpeechStore, page: readonly Speech[], total: number): Partial<SpeechStore> {
  const add = (list: readonly Speech[]) => {
    const known = new Set(list.map(({ id }) => id))
    return [...list, ...page.filter(({ id }) => !known.has(id))]
  }
  if (store.found) return { found: { speeches: add(store.found.speeches), total }, reading: false }
  return { speeches: add(store.speeches), total, reading: false }
}

/** Start of each complete part, s from the beginning. Ends at the first part of unknown length. */
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

/** Appends a text to the draft of the Speech page. For other features. */
export function offerSpeech(text: string): void {
  useSpeech.setState(({ draft }) => {
    const typed = draft.text.trim()
    return { draft: { ...draft, text: typed === '' || typed === text.trim() ? text : `${draft.text}\n\n${text}` } }
  })
}
