import type { Api } from '../api/connect.ts'
import { problemOf } from '../api/problem.ts'
import { subscribe } from '../api/watch.ts'
import { followAlerts } from '../shared/alerts/browserNotifications.ts'
import { followQuestions } from '../shared/questions/notices.ts'
import { alertsStore, withAlerts } from '../stores/alerts.ts'
import { appStore, withApp, withLink } from '../stores/app.ts'
import { appsStore } from '../stores/apps.ts'
import { dataStore } from '../stores/data.ts'
import { questionsStore } from '../stores/questions.ts'
import { toolsStore } from '../stores/tools.ts'
import { activeAccount, usageStore, withAccounts, withSummary } from '../stores/usage.ts'

export type StudioApi = Pick<Api, 'client' | 'link'>

/** Interval for reading today's figures again, ms. Local requests change them. */
const summaryEveryMs = 30_000

/**
 * Fills the stores that every page needs, for the lifetime of the window. When the core refuses a stream that the frame needs, the window
 * shows a lost connection, because its data is out of date.
 */
export function startSubscriptions({ client, link }: StudioApi): void {
  const refused = new Set<'app' | 'apps'>()
  const showLink = () =>
    appStore.setState(withLink(appStore.getState(), refused.size > 0 && link.get() === 'open' ? 'lost' : link.get()))
  const setRefused = (stream: 'app' | 'apps', isRefused: boolean) => {
    if (refused.has(stream) === isRefused) return
    if (isRefused) refused.add(stream)
    else refused.delete(stream)
    showLink()
  }
  const follow = <T>(
    open: (input: undefined, options: { signal: AbortSignal }) => Promise<AsyncIterable<T>>,
    onEvent: (event: T) => void,
    onRefused?: (thrown: unknown) => void,
  ): (() => void) => subscribe(client, (signal) => open(undefined, { signal }), onEvent, onRefused)
  link.subscribe(showLink)
  showLink()
  follow(
    client.app.watch,
    (app) => {
      appStore.setState(withApp(appStore.getState(), app))
      setRefused('app', false)
    },
    () => setRefused('app', true),
  )
  follow(
    client.apps.watch,
    (apps) => {
      appsStore.setState({ apps })
      setRefused('apps', false)
    },
    () => setRefused('apps', true),
  )
  // A refusal needs no message: a request without an answer is refused.
  follow(client.apps.watchQuestions, (questions) => questionsStore.setState({ questions }))
  follow(
    client.tools.watch,
    (tools) => toolsStore.setState({ tools, problem: null }),
    (thrown) => toolsStore.setState({ problem: problemOf(thrown) }),
  )
  // A refusal of the next two streams needs no message: their views stay empty.
  follow(client.data.watch, (data) => dataStore.setState({ data }))
  follow(client.retention.watch, (erase) => dataStore.setState({ erase }))
  follow(client.archive.watchSync, (sync) => dataStore.setState({ sync }))
  follow(
    client.usage.watch,
    (accounts) => {
      usageStore.setState(withAccounts(usageStore.getState(), accounts))
      void readSummary(client)
    },
    (thrown) => usageStore.setState({ usageProblem: problemOf(thrown) }),
  )
  // The status bar shows a lost connection itself.
  follow(client.usage.watchSpend, (spend) => usageStore.setState({ spend }))
  follow(
    client.alerts.watch,
    (alerts) => alertsStore.setState(withAlerts(alertsStore.getState(), alerts)),
    (thrown) => alertsStore.setState({ problem: problemOf(thrown) }),
  )
  followAlerts()
  followQuestions()
  setInterval(() => void readSummary(client), summaryEveryMs)
}

async function readSummary(client: StudioApi['client']): Promise<void> {
  const account = activeAccount(usageStore.getState())
  if (!account) return
  try {
    const summary = await client.usage.summary({ accountId: account.id })
    usageStore.setState(withSummary(usageStore.getState(), summary))
  } catch {
    // The last figures stay visible. The status bar shows a lost connection.
  }
}
