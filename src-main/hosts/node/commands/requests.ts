import { countText, grouped } from '../../../../src-preload/contract/amountText.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { type RequestFilter, type RequestRow, studioFeature } from '../../../../src-preload/contract/requests.ts'
import type { AgentSession, SessionTurn } from '../../../../src-preload/contract/sessions.ts'
import { and, locale, t } from '../../../../src-renderer/i18n/cli.ts'
import type { Parts } from '../dependencies.ts'
import { usageError } from '../failure.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, onOutputFailure, printJson, say, sayLines } from '../output.ts'
import { ownError } from '../ownWords.ts'
import { listenForEnd } from '../signals.ts'
import { columns } from '../table.ts'
import { localTime, readPeriod, zoneName } from '../times.ts'

export interface RequestsOptions {
  dataDir?: string
  follow: boolean
  /** Sessions instead of requests. */
  sessions: boolean
  /** Number of a session: only its requests. */
  session?: string
  /** Id or name of an app, `studio` for the studio itself, or `strangers` for refused callers without a valid key. */
  app?: string
  model?: string
  outcome?: NonNullable<RequestFilter['outcome']>
  text?: string
  since?: string
  until?: string
  /** IANA time zone of the table, and of times without a zone. */
  tz: string
  limit: number
  json: boolean
}

/**
 * `requests`: prints the request log, oldest first. With `follow` it also prints new and changed rows until a signal.
 * Works with and without a running studio.
 * @throws StudioError `no_such_item` when no app has the given id or name, or no session the given number
 */
export async function requests(options: RequestsOptions, parts: Parts): Promise<number> {
  const isAboutSessions = options.sessions || options.session !== undefined
  if (isAboutSessions) refuseOthers(options)
  const log = await parts.openRequestLog(findDataDir(options.dataDir))
  if (!isAboutSessions) return showRequests(log, options)
  try {
    if (options.session === undefined) showSessions(log, options)
    else showTurns(log, options, options.session)
  } finally {
    log.close()
  }
  return exitCodes.ok
}

async function showRequests(log: Log, options: RequestsOptions): Promise<number> {
  const show = options.json ? printJson : (row: RequestRow) => sayLines(linesOf([row], options.tz))
  // Listens before the first row is printed: a reader may send a signal as soon as it sees a row.
  const end = options.follow ? listenForEnd() : null
  try {
    const filter = filterOf(options, log.apps)
    // Rows above this id belong to `followLog`, so that no row is skipped or printed twice.
    const last = log.page({}, Number.MAX_SAFE_INTEGER, 1)[0]?.id ?? 0
    const rows = log.page(filter, last + 1, options.limit).reverse()
    if (options.json) for (const row of rows) printJson(row)
    else if (rows.length > 0) sayLines(linesOf(rows, options.tz, { hasHead: true }))
    const open = rows.flatMap(({ id, durationMs }) => (durationMs === null ? [id] : []))
    if (end) await followLog(log, filter, { after: last, open }, end.asked, show)
    else if (rows.length === 0 && !options.json) say(t('requests.none'))
  } finally {
    end?.release()
    log.close()
  }
  return exitCodes.ok
}

type Log = Awaited<ReturnType<Parts['openRequestLog']>>

async function followLog(
  log: Log,
  filter: RequestFilter,
  from: { after: number; open: number[] },
  asked: Promise<void>,
  show: (row: RequestRow) => void,
) {
  const over = new AbortController()
  // Stops following when no program reads the output any more.
  onOutputFailure(() => over.abort())
  void asked.then(() => over.abort())
  for await (const row of log.follow(filter, { signal: over.signal, ...from })) show(row)
}

/**
 * Resolves `--app` to the caller id of the log filter: the id of an app, `studio`, `studio:FEATURE` or `strangers`.
 * @throws StudioError `no_such_item` when no app has this id or name
 */
export function callerId(apps: readonly Pick<App, 'id' | 'name'>[], wanted: string): string {
  const app = apps.find(({ id, name }) => id === wanted || name === wanted)
  if (app) return app.id
  const [kind, feature] = wanted.split(':')
  if (wanted === 'strangers' || wanted === 'studio') return wanted
  if (kind === 'studio' && studioFeature.safeParse(feature).success) return wanted
  throw ownError('no_such_item', t('apps.unknown', { name: wanted }))
}

/** Options that say nothing about sessions. @throws CommanderError for one that was given */
function refuseOthers({ sessions, session, ...options }: RequestsOptions): void {
  const own = session === undefined ? '--sessions' : '--session'
  const { follow, outcome, text, app, model, since, until } = options
  const others = {
    ...{ '--follow': follow || undefined, '--outcome': outcome, '--text': text },
    // A session has one app, and is shown from its newest turns on.
    ...(session !== undefined && { '--sessions': sessions || undefined, '--app': app, '--model': model }),
    ...(session !== undefined && { '--since': since, '--until': until }),
  }
  for (const [name, value] of Object.entries(others))
    if (value !== undefined) throw usageError(t('usage.together', { options: and([own, name]) }))
}

const sessionColumns = [
  ...(['session', 'last', 'app', 'model', 'turns', 'tools', 'in', 'cached', 'out', 'cost', 'took', 'lost'] as const),
]

/** `requests --sessions`: the sessions of the log, oldest first. */
function showSessions(log: Log, options: RequestsOptions): void {
  const { app, model, tz } = options
  const { since, until } = timesOf(options)
  const filter = {
    ...(app !== undefined && { app: callerId(log.apps(), app) }),
    ...(model !== undefined && { model }),
    ...(since !== null && { since }),
    ...(until !== null && { until }),
  }
  const newest = log.sessions()?.list(filter, options.limit).sessions ?? []
  const sessions = newest.toReversed()
  if (options.json) for (const session of sessions) printJson(session)
  else if (sessions.length === 0) say(t('requests.noSessions'))
  else {
    const zone = zoneName(tz)
    const head = sessionColumns.map((name) => t(`requests.sessionHead.${name}`, { zone }))
    const rows = sessions.map((session) => sessionCells(session, tz))
    sayLines(columns([head, ...rows], { cuts: [3, 2] }))
  }
}

/** `requests --session ID`: the newest requests of a session, oldest first, each with what it lost of the cache. */
function showTurns(log: Log, { limit, json, tz }: RequestsOptions, given: string): void {
  const id = /^\d{1,15}$/.test(given) ? Number(given) : null
  if (id === null) throw usageError(t('requests.sessionNumber'))
  const sessions = log.sessions()
  if (!sessions) throw ownError('no_such_item', t('requests.noSession'))
  const turns = sessions.get(id).turns.slice(-limit)
  if (json) for (const { row, ...turn } of turns) printJson({ ...row, ...turn })
  else
    sayLines(
      linesOf(
        turns.map(({ row }) => row),
        tz,
        { hasHead: true, lost: turns.map(lossText) },
      ),
    )
}

function sessionCells(session: AgentSession, tz: string): string[] {
  const { id, ended, who, model, turns, toolCalls, tokensIn, tokensCached, tokensOut, durationMs } = session
  const { cost, costIs, unpriced, lostTurns, lostTokens, lostCost } = session
  // Requests of unknown cost add nothing to the sum.
  const isLeast = unpriced > 0 ? '>' : ''
  return [
    String(id),
    localTime(Date.parse(ended), tz),
    callerName({ who }),
    model ?? '-',
    ...[turns, toolCalls, tokensIn, tokensCached, tokensOut].map(figure),
    unpriced === turns ? '-' : `${isLeast}${costIs === 'estimated' ? '~' : ''}${cost}`,
    seconds(durationMs),
    lostTurns === 0 ? '-' : lostText({ turns: lostTurns, tokens: lostTokens, cost: lostCost }),
  ]
}

const lostText = ({ turns, tokens: count, cost }: { turns: number; tokens: number; cost: string }): string =>
  t(cost === '0' ? 'requests.lostTurns' : 'requests.lostTurnsCost', { turns, count, cost: `~${cost}` })

/** Why a request lost the cache, and how much of it: `lost 4,200 tokens, ~0.0021 SC: tool added, plan`. Empty when it lost nothing. */
function lossText({ loss: { tokens, cost, change, section } }: SessionTurn): string {
  if (tokens === 0) return ''
  const why = t(`requests.change.${change}`)
  const lost =
    cost === null
      ? t('requests.lost', { count: tokens, change: why })
      : t('requests.lostCost', { count: tokens, cost: `~${cost}`, change: why })
  return section?.name ? `${lost}, ${section.name}` : lost
}

/** @throws CommanderError when `--since` is later than `--until` */
function timesOf({ since, until, tz }: Pick<RequestsOptions, 'since' | 'until' | 'tz'>) {
  const from = since === undefined ? null : readPeriod('--since', since, tz).from
  // The filter includes its upper bound.
  const end = until === undefined ? null : readPeriod('--until', until, tz)
  const to = end && Math.max(end.from, end.to - 1)
  if (from !== null && to !== null && from > to) throw usageError(t('usage.sinceIsLater'))
  const instant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
  return { since: instant(from), until: instant(to) }
}

function filterOf({ app, model, outcome, text, ...times }: RequestsOptions, apps: () => App[]): RequestFilter {
  const { since, until } = timesOf(times)
  return {
    ...(app !== undefined && { who: callerId(apps(), app) }),
    ...(model !== undefined && { model }),
    ...(outcome !== undefined && { outcome }),
    ...(text !== undefined && { text }),
    ...(since !== null && { since }),
    ...(until !== null && { until }),
  }
}

/** Column widths of rows that follow, when no table gave the widths: those of usual rows. */
const usualWidths = [19, 14, 13, 20, 11, 8, 8, 15]

const columnNames = [...(['time', 'app', 'endpoint', 'model', 'status', 'first', 'took', 'tokens', 'cost'] as const)]

/** Rows as lines of the table, oldest first, with times of the zone. `lost`: what each lost of the cache. */
function linesOf(
  rows: readonly RequestRow[],
  tz: string,
  { hasHead = false, lost = [] }: { hasHead?: boolean; lost?: readonly string[] } = {},
): string[] {
  const zone = zoneName(tz)
  const head = [...columnNames.map((name) => t(`requests.head.${name}`, { zone })), '']
  const cells = rows.map((row, at) => cellsOf(row, tz, lost[at]))
  const lines = columns([head, ...cells], { cuts: [9, 3, 1, 2], atLeast: usualWidths })
  return hasHead ? lines : lines.slice(1)
}

function cellsOf(row: RequestRow, tz: string, lost?: string): string[] {
  const notes = [
    ...(lost ? [lost] : []),
    ...(row.state === 'refused' && row.problem ? [row.problem.message] : []),
    ...(row.ignored.length > 0 ? [t('requests.ignored', { names: row.ignored.join(', ') })] : []),
  ]
  return [
    localTime(Date.parse(row.at), tz),
    callerName(row),
    row.endpoint === 'other' ? row.path : (row.dialect ?? row.endpoint),
    modelOf(row),
    statusOf(row),
    seconds(row.firstByteMs),
    seconds(row.durationMs),
    row.tokensIn === null && row.tokensOut === null ? '-' : `${figure(row.tokensIn)} > ${figure(row.tokensOut)}`,
    row.cost === null ? '-' : `${row.costIs === 'estimated' ? '~' : ''}${row.cost}`,
    notes.join('  '),
  ]
}

/** The model that the app asked for, if another one was sent, and the model that was sent. */
const modelOf = ({ model, askedModel }: RequestRow): string =>
  askedModel === null ? (model ?? '-') : `${askedModel} > ${model ?? '-'}`

function callerName({ who }: Pick<RequestRow, 'who'>): string {
  if (who.kind === 'app') return who.name
  return who.kind === 'studio' ? `(${who.feature})` : who.from
}

function statusOf({ state, status, retriedAfter, times }: RequestRow): string {
  const words = state === 'done' ? String(status ?? '') : state
  const after = retriedAfter.length > 0 ? `${retriedAfter.at(-1) || 'lost'}>${words}` : words
  return times > 1 ? `${after} x${times}` : after
}

const figure = (count: number | null): string => (count === null ? '?' : countText(count, locale()))

const seconds = (ms: number | null): string =>
  ms === null ? '-' : `${grouped((ms / 1000).toFixed(ms < 10_000 ? 2 : 1), locale())} s`
