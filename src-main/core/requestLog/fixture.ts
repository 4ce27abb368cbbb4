import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type FixtureCounts,
  maxFixtureRequests,
  type RequestDetail,
  type RequestSelection,
} from '../../../src-preload/contract/requests.ts'
import type { Download } from '../../../src-preload/contract/transfers.ts'
import { StudioError } from '../errors.ts'
import type { ArrivalTimes } from '../ports/requests.ts'
import type { SqliteRequestLog } from './requestLog.ts'
import { sentPath } from './rows.ts'
import type { LogDownloads } from './saveRows.ts'
import type { SecretMask } from './secrets.ts'

// A fixture is described in docs/replay-format.md. The sandbox reads it by code of its own.

const format = 'inference-studio.replay'
const version = 1

/** Headers of a reply that a program may depend on. All others are of one connection, or of one moment. */
const keptHeaders: ReadonlySet<string> = new Set(['content-type', 'retry-after', 'x-should-retry'])

/** Largest fixture, UTF-16 units. It is one text in memory, here and in the sandbox. */
const maxFixture = 64 * 1024 * 1024

interface Exchange {
  request: { method: 'POST'; path: string; body: unknown }
  reply: { status: number; headers: Record<string, string>; pieces: [ms: number, text: string][] }
}

type Source = Pick<SqliteRequestLog, 'get' | 'page' | 'replyTimes' | 'secrets'>

/**
 * The selected requests and their replies as the text of a fixture, oldest first, without secrets by the rules of today. Requests without a complete
 * JSON body and a complete reply in text are counted and left out.
 * @throws StudioError `no_such_item`; `bad_input` when no request is left, or all are too large together
 */
export async function fixtureOf(log: Source, selection: RequestSelection): Promise<FixtureCounts & { text: string }> {
  const counts: FixtureCounts = { requests: 0, incomplete: 0, unsuitable: 0 }
  const texts: string[] = []
  let length = 0
  for (const id of await idsOf(log, selection)) {
    const exchange = exchangeOf(log.get(id), log.replyTimes(id) ?? [], log.secrets)
    if (typeof exchange === 'string') counts[exchange] += 1
    else {
      counts.requests += 1
      const text = JSON.stringify(exchange, null, 1)
      length += text.length
      if (length > maxFixture) {
        throw new StudioError('bad_input', 'These requests are larger than 64 MB together. Select fewer.')
      }
      texts.push(text)
    }
    // Masking and parsing one exchange takes up to 20 ms.
    await nextTurn()
  }
  if (texts.length === 0) {
    throw new StudioError(
      'bad_input',
      'None of these requests has a complete JSON body and a complete reply in text. Turn on “Log bodies” for the app, and send the requests again.',
    )
  }
  const head = JSON.stringify({ format, version, createdAt: new Date().toISOString() }).slice(0, -1)
  return { ...counts, text: `${head},"exchanges":[\n${texts.join(',\n')}\n]}\n` }
}

/** Writes a fixture to a file that a page can download. @throws as `fixtureOf`, `busy`, and the errors of the file system */
export async function saveFixture(
  log: Source,
  selection: RequestSelection,
  transfers: LogDownloads,
): Promise<FixtureCounts & { file: Download }> {
  const { text, ...counts } = await fixtureOf(log, selection)
  const path = join(transfers.folder, randomUUID())
  try {
    await writeFile(path, text, { mode: 0o600 })
    const name = `replay-${new Date().toISOString().slice(0, 10)}.json`
    const bytes = Buffer.byteLength(text)
    return { ...counts, file: transfers.downloads.offer({ path, name, mime: 'application/json', bytes }) }
  } catch (thrown) {
    await rm(path, { force: true })
    throw thrown
  }
}

/** Ids in the order of time. With a filter, the newest rows with bodies. */
async function idsOf(log: Source, selection: RequestSelection): Promise<number[]> {
  if ('ids' in selection) return [...new Set(selection.ids)].sort((a, b) => a - b)
  const ids: number[] = []
  for (let before = Number.MAX_SAFE_INTEGER; ids.length < maxFixtureRequests; ) {
    const rows = await log.page(selection.filter, before, 1000)
    ids.push(...rows.filter(({ hasBodies }) => hasBodies).map(({ id }) => id))
    before = rows.at(-1)?.id ?? 0
    if (rows.length < 1000) break
  }
  return ids.slice(0, maxFixtureRequests).reverse()
}

function exchangeOf(
  detail: RequestDetail,
  times: ArrivalTimes,
  secrets: SecretMask,
): Exchange | 'incomplete' | 'unsuitable' {
  const { row, requestBody, replyBody, replyHeaders } = detail
  const path = sentPath(row)
  if (row.method !== 'POST' || !path.startsWith('/v1/') || row.status === null) return 'unsuitable'
  if (!requestBody || !replyBody || requestBody.capped || replyBody.capped || row.state !== 'done') return 'incomplete'
  if (requestBody.text === null || replyBody.text === null) return 'unsuitable'
  let body: unknown
  try {
    body = JSON.parse(secrets.body(requestBody.text, false))
  } catch {
    return 'unsuitable'
  }
  const text = secrets.body(replyBody.text, false)
  const kept = (replyHeaders ?? []).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  const headers = Object.fromEntries(kept.filter(([name]) => keptHeaders.has(name)))
  headers['content-type'] ??= typeOf(text)
  const firstMs = Math.max(0, Math.round((row.firstByteMs ?? 0) - row.queuedMs - row.backoffMs))
  return {
    request: { method: 'POST', path, body },
    reply: { status: row.status, headers, pieces: piecesOf(text, times, firstMs) },
  }
}

/** Requests of the studio are logged without headers. */
const typeOf = (text: string): string =>
  /^(?:data|event|id|retry|):/.test(text)
    ? 'text/event-stream; charset=utf-8'
    : /^\s*[{[]/.test(text)
      ? 'application/json; charset=utf-8'
      : 'text/plain; charset=utf-8'

/**
 * Divides a text as it arrived. Where marks have changed its length, the parts are in proportion. No character is divided.
 * @param firstMs when the first part arrived, ms after the request was sent
 */
function piecesOf(text: string, times: ArrivalTimes, firstMs: number): [ms: number, text: string][] {
  const bytes = Buffer.from(text)
  const arrived = times.reduce((sum, [, size]) => sum + size, 0)
  if (times.length < 2 || arrived === 0) return [[firstMs, text]]
  const pieces: [number, string][] = []
  let from = 0
  let reached = 0
  for (const [ms, size] of times) {
    reached += size
    let to = Math.round((reached / arrived) * bytes.length)
    while (to < bytes.length && ((bytes[to] ?? 0) & 0xc0) === 0x80) to += 1
    if (to > from) pieces.push([firstMs + ms, bytes.toString('utf8', from, to)])
    from = Math.max(from, to)
  }
  return pieces
}
