import type { Account, UsageView, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { StudioError } from '../../../core/errors.ts'
import { type ExportFormat, exportRows } from '../../../core/features/usage/export.ts'
import { bucketsOf, type ExportRow, rowsOf, totalsOf } from '../../../core/features/usage/exportRows.ts'
import type { Parts, UsageCommands } from '../dependencies.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, harmless, say, writeOutput } from '../output.ts'
import { columns } from '../table.ts'
import { fileToWrite, writeFileWhole } from '../userFile.ts'

export interface UsageOptions {
  dataDir?: string
  /** Name or id of the account; the one used last where none is named. */
  account?: string
  since?: string
  until?: string
  by: 'day' | 'model' | 'app' | 'key' | 'feature'
  source: 'service' | 'here' | 'both'
  /** A row for each day, week or month, and of each model (or tool ...) in it; without it, sums over all days. */
  each?: 'day' | 'week' | 'month'
  format: 'table' | ExportFormat
  /** A file, or `-` for standard output (usual). */
  output?: string
}

const dayMs = 86_400_000
/** As many days as the service itself tells of. */
const usualDays = 30

/** What was used and what it cost, from the service's books and from this machine's log. Needs no network, no keychain and no core. */
export async function usage(options: UsageOptions, parts: Parts): Promise<number> {
  const { format } = options
  const output = options.output === '-' ? undefined : options.output
  if (format === 'parquet' && output === undefined && process.stdout.isTTY) {
    throw new StudioError('bad_input', 'Parquet is no text: send it into a file, such as --output usage.parquet')
  }
  if (format === 'table' && output !== undefined) {
    throw new StudioError('bad_input', 'Say how the file is written: --format csv, json or parquet.')
  }
  const file = output === undefined ? null : await fileToWrite(output, outputOption)
  const accounts = await parts.openUsage(findDataDir(options.dataDir))
  try {
    const account = accountOf(accounts, options.account)
    const views = account ? sourcesOf(options).map((source) => accounts.view(queryOf(options, account, source))) : []
    const rows = views.flatMap((view) => rowsIn(view, options))
    if (format !== 'table') await write(exportRows(rows, format), file)
    else if (account === null) say('No account was ever connected, so there are no books yet.')
    else sayUsage(account, views, rows, options)
  } finally {
    accounts.close()
  }
  return exitCodes.ok
}

/** @throws StudioError `bad_input` for an account that is not there */
export function accountOf(accounts: UsageCommands, account: string | undefined): Account | null {
  const all = accounts.accounts()
  if (account === undefined) return all[0] ?? null
  const found = all.filter(({ id, name }) => id === account || name === account)
  if (found[0] && found.length === 1) return found[0]
  const words = all.map(({ id, name }) => `${name} (${id})`).join(', ')
  throw new StudioError('bad_input', `No account alone is called so. There are: ${words || 'none yet'}.`)
}

/** Where both are asked for, those that know what is asked. */
function sourcesOf({ source, by }: UsageOptions): ('service' | 'here')[] {
  if (source !== 'both') return [source]
  if (by === 'app' || by === 'feature') return ['here']
  return by === 'key' ? ['service'] : ['service', 'here']
}

function queryOf({ since, until, by, each }: UsageOptions, { id }: Account, source: ViewQuery['source']): ViewQuery {
  const to = until ?? dayOf(Date.now())
  const from = since ?? dayOf(Date.parse(to) - (usualDays - 1) * dayMs)
  if (from > to) throw new StudioError('bad_input', `--since ${from} is later than --until ${to}.`)
  const grain = each ?? 'day'
  return { accountId: id, from, to, grain, by: by === 'day' ? 'model' : by, source, search: '' }
}

function rowsIn(view: UsageView, { by, each }: UsageOptions): ExportRow[] {
  if (by === 'day') return bucketsOf(view)
  return each === undefined ? totalsOf(view) : rowsOf(view)
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Of `--output`: a file that is there is written over, as by other programs with such an option. */
export const outputOption = { option: '--output', otherwise: 'or - for standard output', overwrite: true }

async function write(bytes: Uint8Array, file: string | null): Promise<void> {
  if (file !== null) return writeFileWhole(file, [bytes])
  // A terminal would do what a name commands; a file or another program gets each byte as it is.
  await writeOutput(process.stdout.isTTY ? harmless(Buffer.from(bytes).toString()) : bytes)
}

function sayUsage(
  account: Account,
  views: readonly UsageView[],
  rows: readonly ExportRow[],
  { by, each }: UsageOptions,
): void {
  const [first] = views
  if (!first) return
  say(`${account.name} (${account.baseUrl}), ${first.query.from} to ${first.query.to}`)
  if (views.some(({ query }) => query.source === 'service')) say(`The service's side as of ${toMinute(account.asOf)}.`)
  say('')
  const dated = by === 'day' || each !== undefined
  const head = [...(dated ? ['FROM'] : []), 'SIDE', ...(by === 'day' ? [] : [by.toUpperCase()])]
  const shown = rows.filter((row) => !isNothing(row))
  const lines = shown.map((row) => [
    ...(dated ? [row.from] : []),
    row.source,
    ...(by === 'day' ? [] : [row.name]),
    ...numbersOf(row),
  ])
  const sums = views.map(({ query, total }) => [
    ...(dated ? ['all'] : []),
    query.source,
    ...(by === 'day' ? [] : ['all']),
    ...[String(total.requests), String(total.tokensIn), String(total.tokensOut)],
    ...[total.tokensCached === null ? '-' : String(total.tokensCached), costWords(total)],
  ])
  const numbers = ['REQUESTS', 'TOKENS IN', 'OUT', 'CACHED', 'SC']
  const names = by === 'day' ? {} : { cuts: head.length - 1 }
  say(...columns([[...head, ...numbers], ...lines, ...sums], { right: head.length, ...names }))
  for (const line of notesOf(views)) say('', line)
}

/** A service may tell tokens or a cost without a request: those are in the sums. */
const isNothing = (row: ExportRow): boolean =>
  [row.requests, row.tokens_in, row.tokens_out].every((count) => count === 0) && !/[1-9]/.test(row.cost_sc ?? '')

function numbersOf(row: ExportRow): string[] {
  if (row.requests === null) return ['not known', '', '', '', '']
  const counts = [row.requests, row.tokens_in, row.tokens_out, row.tokens_cached].map((count) => count ?? '-')
  return [...counts.map(String), row.cost_sc ?? '-']
}

function costWords({ cost, estimated }: UsageView['total']): string {
  if (cost === null) return '-'
  return estimated > 0 ? `~${cost}` : cost
}

function* notesOf(views: readonly UsageView[]): Generator<string> {
  for (const { query, buckets, total } of views) {
    if (query.source === 'service') yield* gapsOf(buckets, query.grain)
    if (total.estimated > 0) yield `~ ${total.estimated} requests of this machine cost an estimate.`
    if (total.unpriced > 0) yield `What ${total.unpriced} requests cost, nobody knows; they are in no sum.`
  }
}

/** Of the last 30 days the service still tells (specification, Limits): they are not lost. */
function* gapsOf(buckets: UsageView['buckets'], grain: string): Generator<string> {
  const counted = (count: number): string => `${count} ${count === 1 ? grain : `${grain}s`}`
  const firstTold = dayOf(Date.now() - (usualDays - 1) * dayMs)
  const open = buckets.filter(({ state }) => state === 'gap' || state === 'partial')
  const lost = open.filter(({ from }) => from < firstTold).length
  if (lost > 0) {
    yield `Of ${counted(lost)} the service was not asked in time: what it cost is not known, which is not nothing.`
  }
  if (open.length > lost) {
    yield `Of ${counted(open.length - lost)} the service was not asked since it ended; it still tells of it when it is.`
  }
}

export const toMinute = (instant: string | null): string =>
  instant === null ? 'never' : `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`
