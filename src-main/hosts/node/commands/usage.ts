import { countText, withMinus } from '../../../../src-preload/contract/amountText.ts'
import type { Account, TableFormat, UsageView, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { locale, t } from '../../../../src-renderer/i18n/cli.ts'
import { dayMs } from '../../../core/shared/days.ts'
import { bucketsOf, type ExportRow, rowsOf, totalsOf, type UsageCommands, usageFile } from '../../../core/stored.ts'
import type { Parts } from '../dependencies.ts'
import { usageError } from '../failure.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, harmless, say, sayLines, writeOutput } from '../output.ts'
import { ownError } from '../ownWords.ts'
import { columns } from '../table.ts'
import { dayText, readDays } from '../times.ts'
import { fileToWrite, writeFileAtomically } from '../userFile.ts'

export interface UsageOptions {
  dataDir?: string
  /** Name or id of the account. Default: the account used last. */
  account?: string
  since?: string
  until?: string
  by: 'day' | 'model' | 'app' | 'key' | 'feature'
  source: 'service' | 'here' | 'both'
  /** One row per interval and group. Without it, one sum per group over all days. */
  each?: 'day' | 'week' | 'month'
  /** Default: by the name of `output`, else a table. */
  format?: 'table' | TableFormat
  /** One document per line, as `format: 'json'`. */
  json: boolean
  /** Overwrite an existing file. */
  force: boolean
  /** A file, or `-` for standard output (default). */
  output?: string
}

/** Default number of days: as many as the service reports. */
const defaultDays = 30

/**
 * `usage`: prints requests, tokens and cost from the stored figures of the service and from the local request log.
 * Needs no network, no keychain and no core.
 */
export async function usage(options: UsageOptions, parts: Parts): Promise<number> {
  const output = options.output === '-' ? undefined : options.output
  const format = formatFor(options.output, options)
  const range = readDays(options)
  if (format === 'parquet' && output === undefined && process.stdout.isTTY) {
    throw usageError(t('figures.parquet'))
  }
  if (format === 'table' && output !== undefined) {
    throw usageError(t('figures.needsFormat'))
  }
  const file = output === undefined ? null : await fileToWrite(output, outputOption(options))
  const accounts = await parts.openUsage(findDataDir(options.dataDir))
  try {
    const account = accountOf(accounts, options.account)
    const views = account
      ? sourcesOf(options).map((source) => accounts.view(queryOf({ ...options, ...range }, account, source)))
      : []
    const rows = views.flatMap((view) => rowsIn(view, options))
    if (format === 'lines') await write(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')), file)
    else if (format !== 'table') await write(await usageFile(rows, format), file)
    else if (account === null) say(t('figures.noUsage'))
    else sayUsage(account, views, rows, options)
  } finally {
    accounts.close()
  }
  return exitCodes.ok
}

/** The account with this id or name, or the one used last. @throws StudioError `bad_input` when none or several match */
export function accountOf(accounts: UsageCommands, account: string | undefined): Account | null {
  const all = accounts.accounts()
  if (account === undefined) return all[0] ?? null
  const found = all.filter(({ id, name }) => id === account || name === account)
  if (found[0] && found.length === 1) return found[0]
  const words = all.map(({ id, name }) => `${name} (${id})`).join(', ')
  const key = found.length === 0 ? 'figures.unknownAccount' : 'figures.severalAccounts'
  throw ownError('bad_input', t(key, { name: account, accounts: words || t('figures.noAccounts') }))
}

/** The sources to query. `both` selects the sources that can group by `by`. */
function sourcesOf({ source, by }: UsageOptions): ('service' | 'here')[] {
  if (source !== 'both') return [source]
  if (by === 'app' || by === 'feature') return ['here']
  return by === 'key' ? ['service'] : ['service', 'here']
}

function queryOf({ since, until, by, each }: UsageOptions, { id }: Account, source: ViewQuery['source']): ViewQuery {
  const to = until ?? dayText(Date.now())
  const from = since ?? dayText(Date.parse(to) - (defaultDays - 1) * dayMs)
  if (from > to) throw usageError(t('usage.sinceAfterUntil', { since: from, until: to }))
  const grain = each ?? 'day'
  return { accountId: id, from, to, grain, by: by === 'day' ? 'model' : by, source, search: '' }
}

function rowsIn(view: UsageView, { by, each }: UsageOptions): ExportRow[] {
  if (by === 'day') return bucketsOf(view)
  return each === undefined ? totalsOf(view) : rowsOf(view)
}

/** For `fileToWrite`. */
export const outputOption = ({ force }: { force: boolean }) => ({
  ...{ option: '--output', orOutput: true, overwrite: force },
})

/**
 * The format of the output. JSON is one array in a file that is named `.json`, and one document per line everywhere else. Without
 * `--format`, the name of the file decides.
 */
export function formatFor<T extends string>(
  output: string | undefined,
  { format, json }: { format?: T | undefined; json: boolean },
): T | 'lines' | 'table' | TableFormat {
  const ending = /\.(csv|json|jsonl|parquet)$/i.exec(output ?? '')?.[1]?.toLowerCase()
  if (format !== undefined && format !== 'json') return format
  if (format === 'json' || json) return ending === 'json' ? 'json' : 'lines'
  if (ending === 'jsonl') return 'lines'
  return ending === 'csv' || ending === 'json' || ending === 'parquet' ? ending : 'table'
}

async function write(bytes: Uint8Array, file: string | null): Promise<void> {
  if (file !== null) return writeFileAtomically(file, [bytes])
  // Control characters in names could command a terminal. Files and pipes get the exact bytes.
  await writeOutput(process.stdout.isTTY ? harmless(Buffer.from(bytes).toString()) : bytes)
}

const numberNames = ['requests', 'tokensIn', 'tokensOut', 'cached', 'cost'] as const

function sayUsage(
  account: Account,
  views: readonly UsageView[],
  rows: readonly ExportRow[],
  { by, each }: UsageOptions,
): void {
  const [first] = views
  if (!first) return
  const { from, to } = first.query
  say(t('figures.range', { account: account.name, address: account.baseUrl, from, to }))
  if (views.some(({ query }) => query.source === 'service')) say(t('figures.asOf', { at: toMinute(account.asOf) }))
  say('')
  const dated = by === 'day' || each !== undefined
  const head = [
    ...(dated ? [t('figures.head.from')] : []),
    t('figures.head.source'),
    ...(by === 'day' ? [] : [t(`figures.head.${by}`)]),
  ]
  const shown = rows.filter((row) => !isZero(row))
  const lines = shown.map((row) => [
    ...(dated ? [row.from] : []),
    row.source,
    ...(by === 'day' ? [] : [row.name]),
    ...numbersOf(row),
  ])
  const sums = views.map(({ query, total }) => [
    ...(dated ? [t('figures.all')] : []),
    query.source,
    ...(by === 'day' ? [] : [t('figures.all')]),
    ...(['requests', 'tokensIn', 'tokensOut', 'tokensCached'] as const).map((name) =>
      marked(total[name], total.missing[name]),
    ),
    costText(total),
  ])
  const numbers = numberNames.map((name) => t(`figures.head.${name}`))
  const names = by === 'day' ? {} : { cuts: [head.length - 1] }
  sayLines(columns([[...head, ...numbers], ...lines, ...sums], { right: head.length, ...names }))
  for (const line of notesOf(views)) say('', line)
}

/** Whether a row has no requests, tokens or cost. A service may report tokens or cost without requests. */
const isZero = (row: ExportRow): boolean =>
  [row.requests, row.tokens_in, row.tokens_out, row.incomplete].every((count) => count === 0) &&
  !/[1-9]/.test(row.cost_sc ?? '')

function numbersOf(row: ExportRow): string[] {
  if (row.incomplete === null) return [t('figures.unknown'), '', '', '', '']
  const counts = [row.requests, row.tokens_in, row.tokens_out, row.tokens_cached].map((count) => marked(count, 0))
  return [...counts, row.cost_sc === null ? '-' : `${row.incomplete > 0 ? '≥' : ''}${withMinus(row.cost_sc)}`]
}

function costText({ cost, estimated, missing }: UsageView['total']): string {
  if (cost === null) return '-'
  return `${missing.cost > 0 ? '≥' : ''}${estimated > 0 ? '~' : ''}${withMinus(cost)}`
}

/** A count, with a mark when rows of the service lack it. */
const marked = (count: number | null, missing: number): string =>
  count === null ? '-' : `${missing > 0 ? '≥' : ''}${countText(count, locale())}`

function* notesOf(views: readonly UsageView[]): Generator<string> {
  for (const { query, buckets, total } of views) {
    if (query.source === 'service') yield* gapsOf(buckets, query.grain)
    if (total.estimated > 0) yield t('figures.estimated', { count: total.estimated })
    const { source } = query
    if (source === 'here' && total.unpriced > 0) {
      yield t('figures.unpriced', { count: total.unpriced })
    }
    for (const name of ['requests', 'tokensIn', 'tokensOut', 'cost'] as const) {
      const rows = source === 'service' ? total.missing[name] : 0
      if (rows > 0) yield t(`figures.missing.${name}`, { count: rows })
    }
  }
}

/** Notes about missing days. The service reports the last 30 days, so only earlier days are lost (specification, Limits). */
function* gapsOf(buckets: UsageView['buckets'], grain: UsageView['query']['grain']): Generator<string> {
  const firstReported = dayText(Date.now() - (defaultDays - 1) * dayMs)
  const open = buckets.filter(({ state }) => state === 'gap' || state === 'partial')
  const lost = open.filter(({ from }) => from < firstReported).length
  if (lost > 0) yield t(`figures.lost.${grain}`, { count: lost })
  if (open.length > lost) yield t(`figures.open.${grain}`, { count: open.length - lost })
}

export const toMinute = (instant: string | null): string =>
  instant === null ? t('never') : `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`
