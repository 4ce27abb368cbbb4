import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { subscribe } from '../../api/watch.ts'
import { i18n } from '../../i18n/index.ts'
import { callAll } from '../../shared/callAll.ts'
import { createFeatureClient } from '../../shared/featureClient.ts'
import { showToast } from '../../shared/toasts.ts'
import { type KeyRange, keyShown, keysStore, sortedKeys } from '../../stores/keys.ts'
import { routeStore } from '../../stores/route.ts'
import { selectedAccount, usageStore } from '../../stores/usage.ts'
import { dayOfInstant, shiftDay } from '../../stores/usageDays.ts'

const say = (text: string): void => showToast({ id: 'keys', text })
const { client, setClient, attempt } = createFeatureClient(({ message }) => say(message))
let stopWatching: (() => void) | null = null
let reading: AbortController | null = null
let asked = ''

const lengths: Record<KeyRange, number> = { '30': 30, '90': 90, year: 365 }

/** Subscribes to the keys of the selected account. Returns the function that unsubscribes. */
export function startKeys(given: Client): () => void {
  setClient(given)
  const follow = () => {
    watchAccount(selectedAccount(usageStore.getState())?.id ?? null)
    readDays()
  }
  const stops = [usageStore.subscribe(follow), routeStore.subscribe(readDays), keysStore.subscribe(readDays)]
  follow()
  return () => {
    callAll(stops)
    stopWatching?.()
    reading?.abort()
    stopWatching = null
    asked = ''
    setClient(null)
  }
}

function watchAccount(accountId: string | null): void {
  const core = client()
  if (stopWatching && keysStore.getState().accountId === accountId) return
  stopWatching?.()
  stopWatching = null
  if (keysStore.getState().accountId !== accountId)
    keysStore.setState({ accountId, keys: null, problem: null, daily: null })
  if (!core || accountId === null) return
  stopWatching = subscribe(
    core,
    (signal) => core.keys.watch({ accountId }, { signal }),
    (keys) => keysStore.setState({ keys: sortedKeys(keys), problem: null }),
    (thrown) => keysStore.setState({ problem: problemOf(thrown) }),
  )
}

/** Reads the days of the shown key again when the key, the range or the key's record changes. */
function readDays(): void {
  const { accountId, keys, range } = keysStore.getState()
  const key = keyShown(keys ?? [], routeStore.getState().route.id)
  const core = client()
  if (!core || !key || accountId === null) return
  const to = dayOfInstant(Date.now())
  const from = shiftDay(to, 1 - lengths[range])
  const question = JSON.stringify([accountId, key.id, from, to, key.asOf])
  if (question === asked) return
  asked = question
  reading?.abort()
  const mine = new AbortController()
  reading = mine
  core.keys.daily({ accountId, keyId: key.id, from, to }, { signal: mine.signal }).then(
    (days) => {
      if (!mine.signal.aborted) keysStore.setState({ daily: { keyId: key.id, days }, dailyProblem: null })
    },
    (thrown: unknown) => {
      if (!mine.signal.aborted) keysStore.setState({ dailyProblem: problemOf(thrown) })
    },
  )
}

export async function refreshKeys(): Promise<void> {
  const done = await attempt((core) => core.keys.refresh())
  if (done) say(i18n.t('keys:refreshed', { count: done.keys }))
}
