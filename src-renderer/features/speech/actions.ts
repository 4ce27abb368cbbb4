import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Speech, SpeechWish } from '../../../src-preload/contract/speech.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { save } from '../../api/transfer.ts'
import { subscribe } from '../../api/watch.ts'
import { i18n } from '../../i18n/index.ts'
import { createFeatureClient } from '../../shared/featureClient.ts'
import { navigate } from '../../shared/navigation.ts'
import { askOnce, intentChanged } from '../../shared/requestIds.ts'
import { localStore } from '../../shared/storage.ts'
import { showToast } from '../../shared/toasts.ts'
import {
  isFiltered,
  noDraft,
  type OpenSpeech,
  pageSpeeches,
  shownSpeeches,
  useSpeech,
  withOlderSpeeches,
  withSpeechChange,
} from '../../stores/speech.ts'
import { listenTo } from './listening.ts'

/** ms after the last change until the core is asked what would become of a text, or for what a search finds. */
const askAfter = 250
const draftKey = 'speech.draft'

/** Shows a toast of this page. A toast with the same name replaces the earlier one. */
export const say = (name: string, text: string): void => showToast({ id: `speech-${name}`, text })

/** A toast shows a failed call of `attempt`. */
const { client, setClient, attempt } = createFeatureClient(({ message }) => say('refused', message))

export { client as speechClient }

let planning: ReturnType<typeof setTimeout> | undefined
let finding: ReturnType<typeof setTimeout> | undefined

/** The window lives: the store follows the core until the answer is called. */
export function startSpeech(given: Client): () => void {
  setClient(given)
  const draft = keptDraft()
  if (useSpeech.getState().draft === noDraft && draft) useSpeech.setState({ draft })
  const stop = useSpeech.subscribe((now, before) => {
    if (now.draft !== before.draft) noteDraft(now.draft)
  })
  noteDraft(useSpeech.getState().draft)
  const stopWatching = subscribe(
    given,
    (signal) => given.speech.watch(undefined, { signal }),
    (change) => {
      useSpeech.setState((store) => withSpeechChange(store, change))
      if (change.type === 'snapshot') {
        refind()
        refresh()
      } else if (change.type === 'speech') {
        refreshSoon(change.speech.id)
        findSoon(change.speech.id)
      }
    },
    (thrown) => useSpeech.setState({ state: 'failed', problem: problemOf(thrown) }),
  )
  return () => {
    stopWatching()
    stop()
    clearTimeout(planning)
    clearTimeout(finding)
    setClient(null)
  }
}

// The draft.

export function setDraft(change: Partial<SpeechWish>): void {
  intentChanged(placeOf({ fromId: null }))
  useSpeech.setState(({ draft }) => ({ draft: { ...draft, ...change }, refusal: null }))
}

/** Kept over a reload, and what would become of it is asked a moment after the last key. */
function noteDraft(draft: SpeechWish): void {
  localStore.setJson(draftKey, draft)
  clearTimeout(planning)
  if (draft.text.trim() === '') useSpeech.setState({ plan: null })
  else planning = setTimeout(() => void askPlan(draft), askAfter)
}

async function askPlan(draft: SpeechWish): Promise<void> {
  try {
    const plan = await client()?.speech.plan(draft)
    if (plan && useSpeech.getState().draft === draft) useSpeech.setState({ plan: { draft, plan } })
  } catch {
    // The count of bytes stands, and asking to speak says what is wrong.
  }
}

function keptDraft(): SpeechWish | null {
  const kept = localStore.getJson(draftKey)
  if (typeof kept !== 'object' || kept === null || !('text' in kept) || typeof kept.text !== 'string') return null
  return { ...noDraft, ...kept, text: kept.text }
}

// Making.

/** Speaks the draft. What comes is heard as it comes. */
export async function speakDraft(): Promise<void> {
  const { draft, asking } = useSpeech.getState()
  if (asking || draft.text.trim() === '') return
  if (await make({ ...draft, fromId: null })) {
    useSpeech.setState(({ draft: now }) => (now.text === draft.text ? { draft: { ...now, text: '' } } : {}))
  }
}

/** Kept, and asked for when the service is back. */
export async function speakLater(): Promise<void> {
  const { draft } = useSpeech.getState()
  const wish = { ...draft, fromId: null }
  const added = await attempt((core) =>
    askOnce(placeOf(wish), wish, (requestId) => core.waiting.add({ requestId, wish: { what: 'speech', ...wish } })),
  )
  if (added) useSpeech.setState(({ draft: now }) => (now.text === draft.text ? { draft: { ...now, text: '' } } : {}))
}

/** The same text again, with other settings, beside the first. */
export async function makeAgain(id: string, change: Partial<SpeechWish>): Promise<void> {
  const of = await attempt((core) => core.speech.get({ id }))
  if (!of) return
  const { text, model, voice, format, speed, pcmRate } = of
  if (await make({ text, model, voice, format, speed, pcmRate, ...change, fromId: id })) void compareWith(id)
}

/** Spoken now or later, the draft is one place: which of the two was meant is not known of a request whose answer was lost. */
const placeOf = ({ fromId }: { fromId: string | null }) => ({ scope: 'speech', name: fromId ?? 'draft' })

async function make(wish: SpeechWish & { fromId: string | null }): Promise<boolean> {
  const core = client()
  if (!core) return false
  useSpeech.setState({ asking: true, refusal: null })
  try {
    const speech = await askOnce(placeOf(wish), wish, (requestId) => core.speech.make({ requestId, ...wish }))
    useSpeech.setState((store) => withSpeechChange(store, { type: 'speech', speech }))
    listenTo(core, speech.id)
    openSpeech(speech.id)
    navigate({ page: 'speech', id: speech.id })
    return true
  } catch (thrown) {
    const refusal: Problem = problemOf(thrown)
    useSpeech.setState({ refusal })
    return false
  } finally {
    useSpeech.setState({ asking: false })
  }
}

export const cancel = (id: string) => attempt((core) => core.speech.cancel({ id }))

export async function resume(id: string): Promise<void> {
  const { detail } = useSpeech.getState().open ?? {}
  const from = detail?.id === id ? (detail.partList.find(({ state }) => state !== 'done')?.part ?? 1) : 1
  const core = client()
  if (core && (await attempt(() => core.speech.resume({ id })))) listenTo(core, id, from)
}

// What stands on the stage.

export function openSpeech(id: string | null): void {
  const { open } = useSpeech.getState()
  if (open?.id === id) return
  const fresh: OpenSpeech | null = id === null ? null : { id, state: 'loading', detail: null, problem: null }
  useSpeech.setState({ open: fresh, compared: null })
  if (id !== null) void read(id, 'open')
}

export async function compareWith(id: string | null): Promise<void> {
  useSpeech.setState({ compared: id === null ? null : { id, state: 'loading', detail: null, problem: null } })
  if (id !== null) await read(id, 'compared')
}

async function read(id: string, place: 'open' | 'compared'): Promise<void> {
  const core = client()
  if (!core) return
  const notify = (reported: OpenSpeech): void =>
    useSpeech.setState((store) => (store[place]?.id === id ? { [place]: reported } : {}))
  try {
    notify({ id, state: 'live', detail: await core.speech.get({ id }), problem: null })
  } catch (thrown) {
    const problem = problemOf(thrown)
    notify({ id, state: problem.kind === 'no_such_item' ? 'gone' : 'failed', detail: null, problem })
  }
}

/** What is shown is asked for again, as far as something is. */
export function refresh(): void {
  const { open, compared } = useSpeech.getState()
  if (open) void read(open.id, 'open')
  if (compared) void read(compared.id, 'compared')
}

let again: ReturnType<typeof setTimeout> | undefined
/** Parts stand in the details alone: they are asked for a few times a second while something is being made. */
function refreshSoon(id: string): void {
  const { open, compared } = useSpeech.getState()
  if ((open?.id !== id && compared?.id !== id) || again !== undefined) return
  again = setTimeout(() => {
    again = undefined
    refresh()
  }, 200)
}

// The list.

export function setSearch(change: { search?: string; favourites?: boolean }): void {
  useSpeech.setState(change)
  clearTimeout(finding)
  if (!isFiltered(useSpeech.getState())) useSpeech.setState({ found: null })
  else finding = setTimeout(refind, change.search === undefined ? 0 : askAfter)
}

/** One that the search does not show may belong there: it came, came back, or was marked. */
function findSoon(id: string): void {
  const { found } = useSpeech.getState()
  if (!found || found.speeches.some((one) => one.id === id)) return
  clearTimeout(finding)
  finding = setTimeout(refind, askAfter)
}

function refind(): void {
  const store = useSpeech.getState()
  if (!isFiltered(store)) return
  const { search, favourites } = store
  void attempt((core) => core.speech.find({ search, favourites, before: null, limit: pageSpeeches })).then((found) => {
    const now = useSpeech.getState()
    if (found && now.search === search && now.favourites === favourites) useSpeech.setState({ found })
  })
}

/** The next page of what the list shows. */
export async function readOlder(): Promise<void> {
  const store = useSpeech.getState()
  const { speeches, total } = shownSpeeches(store)
  const before = speeches.at(-1)?.id
  if (store.reading || before === undefined || speeches.length >= total) return
  useSpeech.setState({ reading: true })
  const { search, favourites } = store
  const page = await attempt((core) => core.speech.find({ search, favourites, before, limit: pageSpeeches }))
  useSpeech.setState((now) =>
    page && now.search === search && now.favourites === favourites
      ? withOlderSpeeches(now, page.speeches, page.total)
      : { reading: false },
  )
}

// What can be done with one that is kept.

export const setFavourite = ({ id, favourite }: Speech) =>
  attempt((core) => core.speech.favourite({ id, favourite: !favourite }))

export async function saveSpeech(id: string, as: 'made' | 'wav'): Promise<void> {
  await attempt(async (core) => save(core, await core.speech.save({ id, as })))
}

export async function copyText(id: string): Promise<void> {
  const detail = await attempt((core) => core.speech.get({ id }))
  if (!detail) return
  await navigator.clipboard.writeText(detail.text).then(
    () => say('copied', i18n.t('speech:textCopied')),
    () => say('copied', i18n.t('speech:copyFailed')),
  )
}

export async function reveal({ mediaId }: Speech): Promise<void> {
  if (mediaId === null) return
  const where = await attempt((core) => core.media.reveal({ mediaId }))
  if (where && !where.shown) say('where', i18n.t('speech:liesAt', { path: where.path }))
}

/** Its text and settings stand in the field again. */
export async function takeText(id: string): Promise<void> {
  const detail = await attempt((core) => core.speech.get({ id }))
  if (!detail) return
  const { text, model, voice, format, speed, pcmRate } = detail
  setDraft({ text, model, voice, format, speed, pcmRate })
  navigate({ page: 'speech', id: null })
}

/** Samples that were made are heard with another rate. */
export const setRate = (id: string, pcmRate: number) => attempt((core) => core.speech.setRate({ id, pcmRate }))

/** Opens the one that stands so many places below in the list; from a new text the newest. */
export function openBeside(places: 1 | -1): void {
  const store = useSpeech.getState()
  const { speeches } = shownSpeeches(store)
  const at = speeches.findIndex(({ id }) => id === store.open?.id)
  const next = speeches[at === -1 ? 0 : at + places]
  if (next) navigate({ page: 'speech', id: next.id })
  if (at + places >= speeches.length - 1) void readOlder()
}

/** Keeps the sound as a recording of the Transcribe room, and goes there. */
export async function sendToTranscribe(id: string): Promise<void> {
  const recording = await attempt((core) => core.transcribe.addSpeech({ speechId: id }))
  if (recording) navigate({ page: 'transcribe', id: recording.id })
}

/** Takes it out of the list; the way back is offered. */
export async function removeSpeech(id: string): Promise<void> {
  if (!(await attempt((core) => core.speech.remove({ ids: [id] })))) return
  const wasOpen = useSpeech.getState().open?.id === id
  useSpeech.setState((store) => withSpeechChange(store, { type: 'gone', id }))
  if (wasOpen) navigate({ page: 'speech', id: null })
  const undo = (): void => {
    useSpeech.setState({ note: null })
    void attempt((core) => core.speech.restore({ ids: [id] })).then((done) => {
      if (done && wasOpen) navigate({ page: 'speech', id })
    })
  }
  const text = i18n.t('speech:removed')
  // What lies outside of a drawer can't be reached: there the note stands in the list.
  if (useSpeech.getState().listsDrawn > 0) useSpeech.setState({ note: { text, undo } })
  else {
    const action = { label: i18n.t('speech:undo'), onClick: undo }
    showToast({ id: 'speech-undo', text, action })
  }
}
