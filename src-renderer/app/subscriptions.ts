import type { Api } from '../api/connect.ts'
import { problemOf } from '../api/problem.ts'
import { followAlerts } from '../shared/alerts/browserNotifications.ts'
import { alertsStore, withAlerts } from '../stores/alerts.ts'
import { appStore, withApp, withLink } from '../stores/app.ts'
import { appsStore } from '../stores/apps.ts'
import { dataStore } from '../stores/data.ts'
import { toolsStore } from '../stores/tools.ts'
import { activeAccount, usageStore, withAccounts, withSummary } from '../stores/usage.ts'

export type StudioApi = Pick<Api, 'client' | 'subscribe' | 'link'>

/**
 * Feeds the stores of the window's frame from the core, over lost links too. A stream that the core itself refuses ends as a
 * lost link: what is shown then is as of then, and said so.
 */
export function goLive({ client, subscribe, link }: StudioApi): void {
  const readLink = () => appStore.setState(withLink(appStore.getState(), link.get()))
  link.subscribe(readLink)
  readLink()
  const refused = () => appStore.setState(withLink(appStore.getState(), 'lost'))
  subscribe(
    (signal) => client.app.watch(undefined, { signal }),
    (app) => appStore.setState(withApp(appStore.getState(), app)),
    refused,
  )
  subscribe(
    (signal) => client.apps.watch(undefined, { signal }),
    (tools) => appsStore.setState({ tools }),
    refused,
  )
  // The rest of the window is as good without: where tools are shown, it is said why they can't be.
  subscribe(
    (signal) => client.tools.watch(undefined, { signal }),
    (tools) => toolsStore.setState({ tools, problem: null }),
    (thrown) => toolsStore.setState({ problem: problemOf(thrown) }),
  )
  // What was damaged is said in every room; without an answer there is nothing to say.
  subscribe(
    (signal) => client.data.watch(undefined, { signal }),
    (data) => dataStore.setState({ data }),
    () => undefined,
  )
  subscribe(
    (signal) => client.erase.watch(undefined, { signal }),
    (erase) => dataStore.setState({ erase }),
    () => undefined,
  )
  // What is spent and left stands in the status bar of every room.
  subscribe(
    (signal) => client.usage.watch(undefined, { signal }),
    (accounts) => {
      usageStore.setState(withAccounts(usageStore.getState(), accounts))
      void readSummary(client)
    },
    (thrown) => usageStore.setState({ usageProblem: problemOf(thrown) }),
  )
  subscribe(
    (signal) => client.alerts.watch(undefined, { signal }),
    (alerts) => alertsStore.setState(withAlerts(alertsStore.getState(), alerts)),
    (thrown) => alertsStore.setState({ problem: problemOf(thrown) }),
  )
  followAlerts()
  setInterval(() => void readSummary(client), summaryEvery)
}

/** ms: what this machine asks meanwhile counts as of today. */
const summaryEvery = 30_000

async function readSummary(client: StudioApi['client']): Promise<void> {
  const account = activeAccount(usageStore.getState())
  if (!account) return
  try {
    const summary = await client.usage.summary({ accountId: account.id })
    usageStore.setState(withSummary(usageStore.getState(), summary))
  } catch {
    // The figures stay as they were; a lost link is said elsewhere.
  }
}
