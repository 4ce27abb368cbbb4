import * as z from 'zod'
import { unpackView } from '../../../src-preload/contract/columns.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { subscribe } from '../../api/watch.ts'
import { localStore } from '../../shared/storage.ts'
import { appsStore, withUse } from '../../stores/apps.ts'
import { limitsStore } from '../../stores/limits.ts'
import {
  firstChoice,
  grains,
  measures,
  queryBefore,
  queryOf,
  ranges,
  selectedAccount,
  stacks,
  type UsageChoice,
  usageStore,
  withChoice,
} from '../../stores/usage.ts'
import { client, setClient } from './client.ts'

/** Time without a key press before figures are read, ms. */
const typingPause = 150
/** Interval between two reads, ms, so that local requests and a new day appear. */
const againEvery = 30_000
const maxConversations = 8
const maxHistory = 100

let asked = ''
let asking: AbortController | null = null
let soon: ReturnType<typeof setTimeout> | undefined

/** Starts the page, which reads its figures again when the choice or the core's data changes. Returns the function that stops this. */
export function startUsage(given: Client): () => void {
  setClient(given)
  recallChoice()
  const stop = usageStore.subscribe((now, before) => {
    if (now.choice !== before.choice) localStore.setJson(choiceKey, now.choice)
    if (questionOf() === asked) return
    clearTimeout(soon)
    if (now.search === before.search) void ask()
    else soon = setTimeout(() => void ask(), typingPause)
  })
  const stopUse = subscribe(
    given,
    (signal) => given.apps.watchUsage(undefined, { signal }),
    (use) => appsStore.setState((apps) => withUse(apps, use)),
  )
  const again = setInterval(() => void ask(), againEvery)
  void ask()
  return () => {
    stop()
    stopUse()
    clearInterval(again)
    clearTimeout(soon)
    asking?.abort()
    asked = ''
    setClient(null)
  }
}

/** All inputs of a query as one string, to detect a change. */
function questionOf(): string {
  const store = usageStore.getState()
  const account = selectedAccount(store)
  return JSON.stringify([
    queryOf(store, Date.now()),
    store.choice.before,
    account?.asOf,
    account?.offers,
    account?.firstDay,
  ])
}

/** Reads the chosen figures and cancels an earlier read. The old figures stay visible until then. */
export async function ask(): Promise<void> {
  const core = client()
  const store = usageStore.getState()
  const query = queryOf(store, Date.now())
  asked = questionOf()
  if (!core || !query) return
  asking?.abort()
  const mine = new AbortController()
  asking = mine
  const options = { signal: mine.signal }
  const { accountId, from, to } = query
  usageStore.setState(({ answer }) => ({ state: answer === null ? 'loading' : 'ready' }))
  try {
    const [view, before, comparisons, top] = await Promise.all([
      core.usage.view(query, options),
      store.choice.before ? core.usage.view(queryBefore(query), options) : null,
      core.usage.compare({ accountId, from, to }, options),
      core.usage.topConversations({ accountId, from, to, limit: maxConversations }, options),
    ])
    if (!mine.signal.aborted) {
      usageStore.setState({
        state: 'ready',
        problem: null,
        answer: { view: unpackView(view), before: before && unpackView(before), comparisons, top },
      })
    }
  } catch (thrown) {
    if (!mine.signal.aborted) usageStore.setState({ state: 'failed', problem: problemOf(thrown) })
  }
}

export const choose = (change: Partial<UsageChoice>): void =>
  usageStore.setState(withChoice(usageStore.getState(), change))

const choiceKey = 'usage.choice'
const storedChoice = z.object({
  range: z.enum(ranges),
  from: z.string(),
  to: z.string(),
  grain: z.enum(grains),
  by: z.enum(stacks),
  source: z.enum(['service', 'here']),
  measure: z.enum(measures),
  before: z.boolean(),
  table: z.boolean(),
})

/** Restores the choice after a reload. */
function recallChoice(): void {
  if (usageStore.getState().choice !== firstChoice) return
  const kept = storedChoice.safeParse(localStore.getJson(choiceKey))
  if (kept.success) usageStore.setState({ choice: kept.data })
}

/** Subscribes to the limits, which the core reads only during a subscription. Returns the function that unsubscribes. */
export function startLimits(core: Client): () => void {
  const ended = new AbortController()
  const stop = subscribe(
    core,
    (signal) => core.limits.watch(undefined, { signal }),
    (limits) => {
      limitsStore.setState({ limits, problem: null })
      void readHistory(core, ended.signal)
    },
    (thrown) => limitsStore.setState({ problem: problemOf(thrown) }),
  )
  return () => {
    stop()
    ended.abort()
  }
}

async function readHistory(core: Client, signal: AbortSignal): Promise<void> {
  try {
    limitsStore.setState({ history: await core.limits.history({ limit: maxHistory }, { signal }) })
  } catch (thrown) {
    if (!signal.aborted) limitsStore.setState({ problem: problemOf(thrown) })
  }
}
