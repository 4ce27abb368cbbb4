import type { App } from '../../../src-preload/contract/apps.ts'
import type {
  RequestDetail,
  RequestFilter,
  RequestSelection,
  RequestsEvent,
} from '../../../src-preload/contract/requests.ts'
import type { Client } from '../../api/connect.ts'
import { perFrame } from '../../api/frames.ts'
import { problemOf } from '../../api/problem.ts'
import { save, upload } from '../../api/transfer.ts'
import { subscribe, watchWithRetry } from '../../api/watch.ts'
import { showCount } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { createFeatureClient } from '../../shared/featureClient.ts'
import { navigate } from '../../shared/navigation.ts'
import { showToast } from '../../shared/toasts.ts'
import { appStore } from '../../stores/app.ts'
import { appsStore, withUse } from '../../stores/apps.ts'
import * as held from '../../stores/requestPages.ts'
import * as store from '../../stores/requests.ts'
import { requestsStore } from '../../stores/requests.ts'
import { chatFile } from './chatFile.ts'

/** ms between two reads of the counts below the log. */
const countEvery = 5_000
/** Additional rows to request when a page is read again, because changed rows may match the filter now. */
const pageSlack = 100
const maxAsked = 1_000

/** Shows a toast of this page. A toast with the same name replaces the earlier one. */
export const say = (name: string, text: string): void => showToast({ id: `proxy-${name}`, text })

/** `attempt` shows a failed call as a toast. */
const { client, setClient, attempt } = createFeatureClient(({ message }) => say('refused', message))

export { attempt }

/** Pauses or resumes one app, and shows a toast. */
export async function setPaused({ id, name }: Pick<App, 'id' | 'name'>, paused: boolean): Promise<void> {
  const changed = await attempt((core) => core.apps.pause({ id, paused }))
  if (changed) say('pause', i18n.t(paused ? 'proxy:apps.paused' : 'proxy:apps.resumed', { name }))
}

let watching: AbortController | null = null
let reading: Promise<void> | null = null
/** The visible range of list indexes. */
let seen = { first: 0, last: 0 }

/** Subscribes the page's stores to the core. Returns the function that unsubscribes. */
export function startProxyPage(given: Client): () => void {
  setClient(given)
  const stopUse = subscribe(
    given,
    (signal) => given.apps.watchUsage(undefined, { signal }),
    (use) => appsStore.setState((apps) => withUse(apps, use)),
  )
  const counting = setInterval(() => void count(), countEvery)
  const { filter, selected } = requestsStore.getState()
  filterBy(filter)
  if (selected !== null) inspectRow(selected)
  return () => {
    stopUse()
    watching?.abort()
    watching = null
    clearInterval(counting)
    closeDialog()
    setClient(null)
  }
}

/** Applies a filter and shows its newest rows. */
export function filterBy(filter: RequestFilter): void {
  requestsStore.setState(store.withFilter(requestsStore.getState(), filter))
  seen = { first: 0, last: 0 }
  watchLog()
}

function watchLog(): void {
  watching?.abort()
  const core = client()
  if (!core) return
  const ended = new AbortController()
  watching = ended
  reading = null
  const { filter } = requestsStore.getState()
  const refused = (thrown: unknown) =>
    requestsStore.setState(store.withFailure(requestsStore.getState(), problemOf(thrown)))
  void watchWithRetry(
    core,
    ended.signal,
    async (signal) => {
      const anew = new AbortController()
      const events = perFrame<RequestsEvent>((batch) => {
        if (signal.aborted) return
        requestsStore.setState(batch.reduce(store.withEvent, requestsStore.getState()))
        if (batch.some(({ type }) => type === 'erased')) anew.abort()
        if (batch.some(({ type }) => type === 'snapshot')) loadVisible(seen.first, seen.last)
        // The number of refused requests agrees with the rows that show them.
        if (batch.some((event) => event.type === 'rows' && event.rows.some(({ state }) => state === 'refused')))
          countSoon()
      })
      const input = { filter: store.watchedFilter(filter), newest: store.newestRows }
      try {
        const either = AbortSignal.any([signal, anew.signal])
        for await (const event of await core.requests.watch(input, { signal: either })) events.push(event)
      } catch (thrown) {
        if (!anew.signal.aborted) throw thrown
      } finally {
        if (signal.aborted) events.drop()
      }
    },
    refused,
  )
  void count()
}

let soon: ReturnType<typeof setTimeout> | null = null

/** Reads the counts once within half a second, however often it is called. */
function countSoon(): void {
  if (soon !== null) return
  soon = setTimeout(() => {
    soon = null
    void count()
  }, 500)
}

async function count(): Promise<void> {
  const { filter } = requestsStore.getState()
  try {
    const counts = await client()?.requests.counts({ filter })
    if (counts && requestsStore.getState().filter === filter) requestsStore.setState({ counts })
  } catch {
    // The old counts stay visible. The log shows when the core is unreachable.
  }
}

/** Saves the rows that match the filter as a CSV file. */
export async function saveLog(): Promise<void> {
  const { filter } = requestsStore.getState()
  await attempt(async (core) => {
    const made = await core.requests.export({ filter })
    await save(made)
    say('saved', i18n.t('proxy:log.saved', { name: made.name }))
  })
}

/** Selects a request for a replay or a fixture, or deselects it. */
export function toggleMark(id: number): void {
  requestsStore.setState(store.withMark(requestsStore.getState(), id))
}

export function clearMarks(): void {
  requestsStore.setState({ marked: new Set() })
}

export const showDialog = (dialog: store.RequestsStore['dialog']): void => requestsStore.setState({ dialog })
export const closeDialog = (): void => showDialog(null)

/** The selected requests, or else those that match the filter. */
export function selectionOf({ marked, filter }: Pick<store.RequestsStore, 'marked' | 'filter'>): RequestSelection {
  return marked.size > 0 ? { ids: [...marked] } : { filter }
}

/** Saves the selected requests as a fixture, or else those that match the filter. */
export async function saveFixture(): Promise<void> {
  const selection = selectionOf(requestsStore.getState())
  await attempt(async (core) => {
    const { file, requests, incomplete, unsuitable } = await core.requests.saveFixture(selection)
    await save(file)
    const left = incomplete + unsuitable
    const told = { name: file.name, count: requests, figure: showCount(requests), left: showCount(left) }
    say('saved', i18n.t(left > 0 ? 'proxy:again.fixture.savedLess' : 'proxy:again.fixture.saved', told))
  })
}

/** Opens the messages of a logged request and its reply as a chat. */
export async function openAsChat(detail: RequestDetail): Promise<void> {
  const at = new Date(detail.row.at).toLocaleString(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
  const made = chatFile(detail, i18n.t('proxy:again.chat.title', { at }))
  if (!made) {
    say('chat', i18n.t('proxy:again.chat.failed'))
    return
  }
  await attempt(async (core) => {
    const uploadId = await upload(core, made.file)
    const { conversationId } = await core.archive.import({ uploadId })
    say('chat', i18n.t(made.hasTools ? 'proxy:again.chat.withoutTools' : 'proxy:again.chat.opened'))
    closeOver()
    navigate({ page: 'chat', id: conversationId })
  })
}

/** Loads missing rows of the visible range, page by page, also after a far jump of the scroll bar. */
export function loadVisible(first: number, last: number): void {
  seen = { first, last }
  const signal = watching?.signal
  if (reading || !signal) return
  const mine = readUntilSeen(signal).finally(() => {
    if (reading === mine) reading = null
  })
  reading = mine
}

async function readUntilSeen(signal: AbortSignal): Promise<void> {
  try {
    for (let core = client(); core && !signal.aborted; core = client()) {
      const now = requestsStore.getState()
      if (now.state !== 'live') return
      const gap = held.missingPage(now.held, seen.first, seen.last)
      if (gap) {
        const limit = Math.min(gap.count + pageSlack, maxAsked)
        const { rows } = await core.requests.page({ filter: now.filter, before: gap.before, limit }, { signal })
        applyBounded((state) => store.withPageAgain(state, gap.before, rows))
      } else if (now.older !== 'end' && seen.last + store.newestRows / 2 > now.held.count) {
        // Uses the largest pages after a jump of the scroll bar.
        const limit = seen.last - now.held.count > store.pageRows ? maxAsked : store.pageRows
        const before = held.oldestKnown(now.held)
        const { rows } = await core.requests.page({ filter: now.filter, before, limit }, { signal })
        applyBounded((state) => store.withOlderRows(state, rows, limit))
      } else return
    }
  } catch (thrown) {
    if (!signal.aborted) say('log', problemOf(thrown).message)
  }
}

function applyBounded(change: (state: store.RequestsStore) => store.RequestsStore): void {
  const next = change(requestsStore.getState())
  requestsStore.setState({ ...next, held: held.bounded(next.held, seen.first, seen.last) })
}

export function leaveNewest(): void {
  requestsStore.setState(store.withoutFollowing(requestsStore.getState()))
}

export function followNewest(): void {
  const next = store.withFollowing(requestsStore.getState())
  if (next) requestsStore.setState(next)
  else filterBy(requestsStore.getState().filter)
}

/** Shows a request in the inspector. */
export async function inspect(id: number): Promise<void> {
  requestsStore.setState(store.withSelected(requestsStore.getState(), id))
  await askDetail(id)
}

/** Shows a request in the inspector, and the inspector if it is hidden. */
export function inspectRow(id: number): void {
  void inspect(id)
  appStore.setState({ inspectorShown: true })
}

/** Reads the details again. The old details stay visible until the answer. */
export async function askDetail(id: number): Promise<void> {
  const core = client()
  if (!core) return
  const reported = (inspected: store.Inspected) =>
    requestsStore.setState(store.withInspected(requestsStore.getState(), inspected))
  try {
    reported({ id, state: 'ready', detail: await core.requests.get({ id }), problem: null })
  } catch (thrown) {
    reported({ id, state: 'failed', detail: null, problem: problemOf(thrown) })
  }
}

/** Closes the details and the inspector, which would be empty. */
export function closeDetail(): void {
  requestsStore.setState(store.withSelected(requestsStore.getState(), null))
  appStore.setState({ inspectorShown: false })
}

/** Closes the inspector when it covers the stage. */
export function closeOver(): void {
  if (document.querySelector('dialog[open]')) appStore.setState({ inspectorShown: false })
}
