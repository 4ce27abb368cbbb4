import type { RequestFilter } from '../../../src-preload/contract/requests.ts'
import type { ViewQuery } from '../../../src-preload/contract/usage.ts'
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

export const isSection = (word: string | null): word is Section => sections.some((section) => section === word)

export const goToSection = (section: Section): void =>
  navigate({ page: 'usage', id: section === 'overview' ? null : section })

/** Asks the service now; the books tell what came of it. */
export async function refresh(): Promise<void> {
  const account = await attempt((core) => core.usage.refresh())
  if (!account) return
  say('refreshed', i18n.t('usage:refreshed'))
  await ask()
}

/**
 * Shows this machine's requests of some days in the log, those of one model, tool or room alone where one is meant. What the log can't be
 * narrowed to is said: it does not know keys, and the rest is no one thing.
 */
export function openRequests(from: string, to: string, by: StackBy, id: string | null): void {
  const filter = { ...instantsOf(from, to), ...filterOf(by, id) }
  if (id !== null && by === 'key') say('wide', i18n.t('usage:wide.key'))
  else if (id === restId) say('wide', i18n.t('usage:wide.rest'))
  requestsStore.setState(withFilter(withSelected(requestsStore.getState(), null), filter))
  navigate({ page: 'proxy', id: 'requests' })
}

/** What the log calls a part of a bar; nothing where it has no name for it. */
export function filterOf(by: StackBy, id: string | null): Pick<RequestFilter, 'model' | 'who'> {
  if (id === null || id === restId || by === 'key') return {}
  if (by === 'model') return { model: id }
  return { who: by === 'tool' ? id : `studio:${id}` }
}

/** Shows one request of the log. */
export function openRequest(row: number): void {
  requestsStore.setState(withSelected(withFilter(requestsStore.getState(), {}), row))
  navigate({ page: 'proxy', id: 'requests' })
}

const query = (): ViewQuery | null => usageStore.getState().answer?.view.query ?? null

/** What is shown as a table, made by the core. */
export async function saveTable(format: 'csv' | 'json' | 'parquet'): Promise<void> {
  const asked = query()
  if (!asked) return
  await attempt(async (core) => {
    const made = await core.usage.export({ ...asked, format })
    await save(core, made)
    say('saved', i18n.t('usage:saved', { name: made.name }))
  })
}

/** What is said under the title of a picture of the chart: whose figures, of which days, from when. */
export function aboutChart(): string {
  const store = usageStore.getState()
  const { view } = store.answer ?? {}
  if (!view) return ''
  const { source } = fitChoice(store.choice, selectedAccount(store))
  return i18n.t('usage:chart.about', {
    source: i18n.t(`usage:chart.source.${source}`),
    ...{ from: view.query.from, to: view.query.to },
    asOf: view.asOf ? i18n.t('usage:asOf', { at: showInstant(view.asOf) }) : i18n.t('usage:neverFetched'),
  })
}

let shown: { data: ChartData; title: string } | null = null
/** The chart that the room shows, for whoever saves it. */
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

/** The room alone, in light colours and without the window around it, until the answer is called. */
export function printedText(): () => void {
  document.documentElement.dataset.printing = 'usage'
  return () => delete document.documentElement.dataset.printing
}

/** While it prints, the page is as on paper: who follows the printing sees to that, and the chart is drawn again, as lines. */
export const print = (): void => window.print()
