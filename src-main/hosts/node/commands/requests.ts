import type { RequestFilter, RequestRow } from '../../../../src-preload/contract/requests.ts'
import type { Parts } from '../dependencies.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, onOutputFailure, printJson, say } from '../output.ts'
import { listenForEnd } from '../signals.ts'
import { inColumns } from '../table.ts'

export interface RequestsOptions {
  dataDir?: string
  follow: boolean
  /** Id or name of a tool's key, `studio` or `strangers`. */
  app?: string
  model?: string
  outcome?: NonNullable<RequestFilter['outcome']>
  text?: string
  since?: string
  limit: number
  json: boolean
}

/** The log of requests, oldest first; with `follow` it goes on until a signal ends it. Works beside a running core and without one. */
export async function requests(options: RequestsOptions, parts: Parts): Promise<number> {
  const log = await parts.openRequestLog(findDataDir(options.dataDir))
  const show = options.json ? printJson : sayRow
  // Before the first row is shown: who sees it may end this at once, and that end is a clean one too.
  const end = options.follow ? listenForEnd() : null
  try {
    const filter = filterOf(options, log.idOf)
    // What comes from here on is for the following: no row is left out between, and none is told twice.
    const last = log.page({}, Number.MAX_SAFE_INTEGER, 1)[0]?.id ?? 0
    const rows = log.page(filter, last + 1, options.limit).reverse()
    if (!options.json && rows.length > 0) say(head)
    for (const row of rows) show(row)
    const open = rows.flatMap(({ id, durationMs }) => (durationMs === null ? [id] : []))
    if (end) await followLog(log, filter, { after: last, open }, end.asked, show)
    else if (rows.length === 0 && !options.json) say('No requests.')
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
  // Nobody is shown what comes from then on.
  onOutputFailure(() => over.abort())
  void asked.then(() => over.abort())
  for await (const row of log.follow(filter, { signal: over.signal, ...from })) show(row)
}

function filterOf(
  { app: tool, model, outcome, text, since }: RequestsOptions,
  idOf: (name: string) => string,
): RequestFilter {
  return {
    ...(tool !== undefined && { who: idOf(tool) }),
    ...(model !== undefined && { model }),
    ...(outcome !== undefined && { outcome }),
    ...(text !== undefined && { text }),
    ...(since !== undefined && { since }),
  }
}

const widths = [8, 14, 13, 20, 11, 8, 8, 15] as const

const columns = (cells: readonly string[]): string =>
  cells.map((cell, at) => (widths[at] === undefined ? cell : inColumns(cell, widths[at]))).join(' ')

const head = columns(['TIME', 'WHO', 'WHAT', 'MODEL', 'STATUS', 'FIRST', 'TOOK', 'TOKENS', 'SC'])

/** One line, times in UTC. */
function sayRow(row: RequestRow): void {
  const cells = [
    row.at.slice(11, 19),
    whoOf(row),
    row.endpoint === 'other' ? row.path : row.endpoint,
    row.model ?? '-',
    statusOf(row),
    seconds(row.firstByteMs),
    seconds(row.durationMs),
    row.tokensIn === null && row.tokensOut === null ? '-' : `${row.tokensIn ?? '?'} > ${row.tokensOut ?? '?'}`,
    row.cost === null ? '-' : `${row.costIs === 'estimated' ? '~' : ''}${row.cost}`,
  ]
  say(columns(cells).trimEnd() + (row.state === 'refused' && row.problem ? `  ${row.problem.message}` : ''))
}

function whoOf({ who }: RequestRow): string {
  if (who.kind === 'app') return who.name
  return who.kind === 'studio' ? `(${who.feature})` : who.from
}

function statusOf({ state, status, retriedAfter, times }: RequestRow): string {
  const words = state === 'done' ? String(status ?? '') : state
  const after = retriedAfter.length > 0 ? `${retriedAfter.at(-1) || 'lost'}>${words}` : words
  return times > 1 ? `${after} x${times}` : after
}

const seconds = (ms: number | null): string => (ms === null ? '-' : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`)
