import type { RequestFilter } from '../../../src-preload/contract/requests.ts'
import type { TableFormat, ViewQuery } from '../../../src-preload/contract/usage.ts'
import { save } from '../../api/transfer.ts'
import { showInstant } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import type { ChartData } from '../../shared/chart/data.ts'
import { savePng, saveSvg } from '../../shared/chart/saveChart.ts'
import { navigate } from '../../shared/navigation.ts'
import { requestsStore, withFilter, withSelected } from '../../stores/requests.ts'
import { fitChoice, type Section, type StackBy, sections, selectedAccount, usageStore } from '../../stores/usage.ts'
import { instantsOf } from '../../stores/usageDays.ts'
import { attempt, say } from './client.ts'
import { restId } from './figures.ts'
import { ask } from './subscriptions.ts'

/** The section of a route. A link to one session is `session-ID`. */
export const sectionOf = (word: string | null): Section =>
  sessionIn(word) === null ? (sections.find((section) => section === word) ?? 'overview') : 'sessions'

/** The session that a route opens, or null. */
export function sessionIn(word: string | null): number | null {
  const id = /^session-(\d{1,15})$/.exec(word ?? '')?.[1]
  return id === undefined ? null : Number(id)
}

export const goToSection = (section: Section): void =>
  navigate({ page: 'usage', id: section === 'overview' ? null : section })

/** Makes the core read the service's figures now. The result arrives through the subscription. */
export async function refresh(): Promise<void> {
  const account = await attempt((core) => core.usage.refresh())
  if (!account) return
  say('refreshed', i18n.t('usage:refreshed'))
  await ask()
}

/**
 * Shows this computer's requests of some days in the log, optionally only those of one model, app or feature. Shows a toast for groups that
 * the log cannot filter by: API keys, and "other", which is not one item.
 */
export function openRequests(from: string, to: string, by: StackBy, id: string | null): void {
  const filter = { ...instantsOf(from, to), ...filterOf(by, id) }
  if (id !== null && by === 'key') say('wide', i18n.t('usage:wide.key'))
  else if (id === restId) say('wide', i18n.t('usage:wide.rest'))
  requestsStore.setState(withFilter(withSelected(requestsStore.getState(), null), filter))
  navigate({ page: 'proxy', id: 'requests' })
}

/** The log filter of a series. Empty when the log cannot filter by it. */
export function filterOf(by: StackBy, id: string | null): Pick<RequestFilter, 'model' | 'who'> {
  if (id === null || id === restId || by === 'key') return {}
  if (by === 'model') return { model: id }
  return { who: by === 'app' ? id : `studio:${id}` }
}

/** Shows one request of the log. */
export function openRequest(row: number): void {
  requestsStore.setState(withSelected(withFilter(requestsStore.getState(), {}), row))
  navigate({ page: 'proxy', id: 'requests' })
}

const query = (): ViewQuery | null => usageStore.getState().answer?.view.query ?? null

/** Exports the shown table. The core creates the file. */
export async function saveTable(format: TableFormat): Promise<void> {
  const asked = query()
  if (!asked) return
  await attempt(async (core) => {
    const made = await core.usage.export({ ...asked, format })
    await save(made)
    say('saved', i18n.t('usage:saved', { name: made.name }))
  })
}

/** The subtitle of a saved chart: account, days and date. */
export function aboutChart(): string {
  const store = usageStore.getState()
  const { view } = store.answer ?? {}
  if (!view) return ''
  const { source } = fitChoice(store.choice, selectedAccount(store))
  return i18n.t('usage:chart.about', {
    source: i18n.t(`usage:chart.source.${source}`),
    from: view.query.from,
    to: view.query.to,
    asOf: view.asOf ? i18n.t('usage:updatedAt', { at: showInstant(view.asOf) }) : i18n.t('usage:neverFetched'),
  })
}

let shown: { data: ChartData; title: string } | null = null
/** Stores the visible chart, so that it can be saved as a file. */
export const setShown = (next: typeof shown): void => {
  shown = next
}

export async function saveChart(as: 'png' | 'svg'): Promise<void> {
  const asked = query()
  const chart = shown
  if (!chart || !asked) return
  const name = i18n.t('usage:fileName', { from: asked.from, to: asked.to })
  await attempt(async () => {
    await (as === 'png' ? savePng : saveSvg)(chart.data, chart.title, aboutChart(), name)
    say('saved', i18n.t('usage:saved', { name: `${name}.${as}` }))
  })
}

/** Prints the page only, in light colours and without the frame. Returns the function that ends print mode. */
export function printedText(): () => void {
  document.documentElement.dataset.printing = 'usage'
  return () => delete document.documentElement.dataset.printing
}

/** Prints the page. `followPrinting` switches to print mode, which draws the chart as lines. */
export const print = (): void => window.print()
