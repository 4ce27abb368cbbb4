import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Speech, SpeechRequest } from '../../../src-preload/contract/speech.ts'
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
import { offerRecording } from '../../stores/transcription.ts'
import { listenTo } from './listening.ts'

/** Time from the last change to the request for the plan or the search results, ms. */
const askAfter = 250
const draftKey = 'speech.draft'

/** Shows a toast of this page. A toast with the same name replaces the earlier one. */
export const say = (name: string, text: string): void => showToast({ id: `speech-${name}`, text })

/** `attempt` shows a failed call as a toast. */
const { client, setClient, attempt } = createFeatureClient(({ message }) => say('refused', message))

export { client as speechClient }

let planning: ReturnType<typeof setTimeout> | undefined
let finding: ReturnType<typeof setTimeout> | undefined

/** Subscribes the feature's store to the core, for the lifetime of the window. Returns the function that unsubscribes. */
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

export function setDraft(change: Partial<SpeechRequest>): void {
  intentChanged(placeOf({ fromId: null }))
  useSpeech.setState(({ draft }) => ({ draft: { ...draft, ...change }, refusal: null }))
}

/** Stores the draft, and requests its plan shortly after the last key press. */
function noteDraft(draft: SpeechRequest): void {
  localStore.setJson(draftKey, draft)
  clearTimeout(planning)
  if (draft.text.trim() === '') useSpeech.setState({ plan: null })
  else planning = setTimeout(() => void askPlan(draft), askAfter)
}

async function askPlan(draft: SpeechRequest): Promise<void> {
  try {
    const plan = await client()?.speech.plan(draft)
    if (plan && useSpeech.getState().draft === draft) useSpeech.setState({ plan: { draft, plan } })
  } catch {
    // Shows no error here: the byte count stays visible, and speaking the draft reports the problem.
  }
}

function keptDraft(): SpeechRequest | null {
  const kept = localStore.getJson(draftKey)
  if (typeof kept !== 'object' || kept === null || !('text' in kept) || typeof kept.text !== 'string') return null
  return { ...noDraft, ...kept, text: kept.text }
}

// Generation.

/** Speaks the draft and plays the sound while it arrives. */
export async function speakDraft(): Promise<void> {
  const { draft, asking } = useSpeech.getState()
  if (asking || draft.text.trim() === '') return
  if (await make({ ...draft, fromId: null })) {
    useSpeech.setState(({ draft: now }) => (now.text === draft.text ? { draft: { ...now, text: '' } } : {}))
  }
}

/** Adds the draft to the outbox. */
export async function speakLater(): Promise<void> {
  const { draft } = useSpeech.getState()
  const wish = { ...draft, fromId: null }
  const added = await attempt((core) =>
    askOnce(placeOf(wish), wish, (requestId) => core.outbox.add({ requestId, request: { what: 'speech', ...wish } })),
  )
  if (added) useSpeech.setState(({ draft: now }) => (now.text === draft.text ? { draft: { ...now, text: '' } } : {}))
}

/** Speaks the same text with other settings, and shows both side by side. */
export async function makeAgain(id: string, change: Partial<SpeechRequest>): Promise<void> {
  const of = await attempt((core) => core.speech.get({ id }))
  if (!of) return
  const { text, model, voice, format, speed, pcmRate } = of
  if (await make({ text, model, voice, format, speed, pcmRate, ...change, fromId: id })) void compareWith(id)
}

/** Shared by "speak now" and "speak later", because after a lost answer it is unknown which of the two requests the core received. */
const placeOf = ({ fromId }: { fromId: string | null }) => ({ scope: 'speech', name: fromId ?? 'draft' })

async function make(wish: SpeechRequest & { fromId: string | null }): Promise<boolean> {
  const core = client()
  if (!core) return false
  useSpeech.setState({ asking: true, refusal: null })
  try {
    const speech = await askOnce(placeOf(wish), wish, (requestId) => core.speech.generate({ requestId, ...wish }))
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

// The stage.

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

/** Reads the shown speeches again. */
export function refresh(): void {
  const { open, compared } = useSpeech.getState()
  if (open) void read(open.id, 'open')
  if (compared) void read(compared.id, 'compared')
}

let again: ReturnType<typeof setTimeout> | undefined
/** Reads the details again soon, a few times per second during generation, because only the details contain the parts. */
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

/** Runs the search again soon, because a new, restored or changed speech may match now. */
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

/** Reads the next page of the shown list. */
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

// Actions on a stored speech.

export const setFavourite = ({ id, favourite }: Speech) =>
  attempt((core) => core.speech.setFavourite({ id, favourite: !favourite }))

export async function saveSpeech(id: string, as: 'made' | 'wav'): Promise<void> {
  await attempt(async (core) => save(await core.speech.save({ id, as })))
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
  if (where && !where.shown) say('where', i18n.t('speech:filePath', { path: where.path }))
}

/** Copies the text and settings of a speech to the draft. */
export async function takeText(id: string): Promise<void> {
  const detail = await attempt((core) => core.speech.get({ id }))
  if (!detail) return
  const { text, model, voice, format, speed, pcmRate } = detail
  setDraft({ text, model, voice, format, speed, pcmRate })
  navigate({ page: 'speech', id: null })
}

/** Sets the playback rate of stored samples, Hz. */
export const setRate = (id: string, pcmRate: number) => attempt((core) => core.speech.setPcmRate({ id, pcmRate }))

/** Opens the next or previous speech of the list. From a new text, the newest. */
export function openBeside(places: 1 | -1): void {
  const store = useSpeech.getState()
  const { speeches } = shownSpeeches(store)
  const at = speeches.findIndex(({ id }) => id === store.open?.id)
  const next = speeches[at === -1 ? 0 : at + places]
  if (next) navigate({ page: 'speech', id: next.id })
  if (at + places >= speeches.length - 1) void readOlder()
}

/** Copies the sound into a new recording and opens it. The Transcribe page transcribes it when automatic transcription is on. */
export async function sendToTranscribe(id: string): Promise<void> {
  const recording = await attempt((core) => core.transcription.addSpeech({ speechId: id }))
  if (!recording) return
  navigate({ page: 'transcribe', id: recording.id })
  offerRecording(recording.id)
}

/** Deletes a speech, with undo. */
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
  // Shows the note inside the list, because the page outside of a drawer is inert.
  if (useSpeech.getState().listsDrawn > 0) useSpeech.setState({ note: { text, undo } })
  else {
    const action = { label: i18n.t('speech:undo'), onClick: undo }
    showToast({ id: 'speech-undo', text, action })
  }
}
