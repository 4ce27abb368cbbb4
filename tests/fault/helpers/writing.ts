import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '../../../src-preload/contract/chat.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import type { Fault, Reply, Studio } from './studio.ts'

export interface Answered {
  what: 'request' | 'settings' | 'key' | 'send' | 'account'
  /** HTTP status, or the problem's kind; `ok` for a completed call. */
  how: string
  ms: number
  retryAfter?: string | undefined
}

export interface Found {
  /** All requests during the fault. */
  answered: Answered[]
  /** The stream of an app that began before the fault and ended after it. */
  stream: Reply
  /** Number of requests whose reply was delivered, and their rows in the log. */
  logged: { delivered: number; rows: RequestRow[] }
  /**
   * A chat reply that ended by itself during the fault, and one that the person stopped then: as the page shows them, and as they are
   * stored.
   */
  during: { ended: Message | null; stopped: Message | null; stop: unknown; retry: unknown }
  after: { ended: StoredReply | null; stopped: StoredReply | null; retry: unknown; unfinished: number }
  pauseMs: number
  uncaught: string[]
  lines: string[]
}

export interface StoredReply {
  id: string
  status: string
  text: string
  finishedAt: string | null
  problem: string | null
}

/** Every chat reply as stored. */
export function storedReplies(dataDir: string): StoredReply[] {
  const handle = new DatabaseSync(join(dataDir, 'studio.sqlite'), { readOnly: true })
  try {
    const rows = handle
      .prepare("SELECT id, status, text, finished_at, problem FROM messages WHERE role = 'assistant'")
      .all()
    return rows.map((row) => ({
      id: String(row.id),
      status: String(row.status),
      text: String(row.text),
      finishedAt: row.finished_at === null ? null : String(row.finished_at),
      problem: row.problem === null ? null : String(row.problem),
    }))
  } finally {
    handle.close()
  }
}

interface Sent {
  conversationId: string
  turnId: string
  replyIds: string[]
}

const text = (content: string): object[] => [{ role: 'user', content }]
const oneRequest = { model: 'mirror', messages: text('One request') }

/** Waits until the condition is true. */
export async function until<T>(
  look: () => Promise<T | null | undefined | false>,
  what: string,
  withinMs = 30_000,
): Promise<T> {
  for (const from = performance.now(); performance.now() - from < withinMs; ) {
    const found = await look()
    if (found) return found
    await sleep(50)
  }
  throw new Error(`Not in time: ${what}`)
}

/** Every row of the request log: on a fast machine more than one page of results. */
async function allRows(studio: Studio): Promise<RequestRow[]> {
  const limit = 1000
  const rows: RequestRow[] = []
  for (let before = 2 ** 50; ; before = rows.at(-1)?.id ?? 0) {
    const { result } = await studio.call<{ rows: RequestRow[] }>('requests.page', { filter: {}, before, limit })
    rows.push(...(result?.rows ?? []))
    if ((result?.rows.length ?? 0) < limit) return rows
  }
}

async function send(studio: Studio, model: string): Promise<{ sent: Sent | undefined; how: string }> {
  const wish = { requestId: randomUUID(), conversationId: null, text: 'Good morning', models: [model] }
  const { result, problem } = await studio.call<Sent>('chat.send', wish)
  return { sent: result, how: problem?.kind ?? 'ok' }
}

/** A reply as a newly opened page sees it. */
async function shown(studio: Studio, conversationId: string, id: string): Promise<Message | null> {
  const { result } = await studio.command<Message[]>('messages', { input: conversationId })
  return result?.find((message) => message.id === id) ?? null
}

/** Uses every feature of a studio that writes, before, during and after a fault of this many ms. */
export async function driveThrough(studio: Studio, dataDir: string, fault: Fault, lastsMs: number): Promise<Found> {
  const delivered: Reply[] = []
  const answered: Answered[] = []
  const ask = async (): Promise<void> => {
    const reply = await studio.ask(oneRequest)
    if (reply.status === 200) delivered.push(reply)
    const retryAfter = reply.headers['retry-after']
    answered.push({ what: 'request', how: String(reply.status), ms: reply.firstMs, retryAfter })
  }
  const call = async (what: Answered['what'], path: string, input: unknown): Promise<void> => {
    const from = performance.now()
    const { problem } = await studio.call(path, input)
    answered.push({ what, how: problem?.kind ?? 'ok', ms: performance.now() - from })
  }
  // One reply ends during the fault, and one would continue after it.
  const short = (await send(studio, 'writer-small')).sent
  const long = (await send(studio, 'writer-large')).sent
  if (!short || !long) throw new Error('Nothing was sent.')
  const [shortId = '', longId = ''] = [short.replyIds[0], long.replyIds[0]]
  const lasting = studio.ask({
    model: 'writer-small',
    stream: true,
    messages: text('A stream'),
    sandbox: { tokens_per_second: 100, tokens: Math.round((lastsMs + 3000) / 10) },
  })
  await ask()
  await until(async () => (await shown(studio, short.conversationId, shortId))?.text, 'the short reply has begun')
  await until(async () => (await shown(studio, long.conversationId, longId))?.text, 'the long reply has begun')
  answered.length = 0
  await studio.command('measure')
  await fault.begin()
  const over = performance.now() + lastsMs
  const use = (async () => {
    for (let n = 0; performance.now() < over; n += 1) {
      await Promise.all([
        ask(),
        call('settings', 'app.updateSettings', { bodyDays: 7 + (n % 2) }),
        call('key', 'apps.add', { name: `key ${n}` }),
        n % 2 === 0 ? call('account', 'keys.refresh', undefined) : Promise.resolve(),
        n % 2 === 0
          ? send(studio, 'mirror').then(({ how }) => answered.push({ what: 'send', how, ms: 0 }))
          : Promise.resolve(),
      ])
      await sleep(100)
    }
  })()
  const stop = await studio.call('chat.stop', { replyId: longId })
  const stopped = await shown(studio, long.conversationId, longId)
  const ended = await until(
    async () => {
      const message = await shown(studio, short.conversationId, shortId)
      return message?.finishedAt ? message : null
    },
    'the short reply has ended',
    Math.max(lastsMs, 5000) + 10_000,
  )
  const retry = await studio.call('chat.retry', { requestId: randomUUID(), replyId: longId, models: ['mirror'] })
  await use
  const { pauseMs } = await studio.facts()
  await fault.end()
  const stream = await lasting
  if (stream.status === 200) delivered.push(stream)
  await ask()
  const rows = await until(async () => {
    const rows = new Map((await allRows(studio)).map((row) => [row.requestId, row]))
    const logged = delivered.flatMap(({ headers }) => rows.get(String(headers['x-request-id'])) ?? [])
    return logged.length === delivered.length && logged.every(({ state }) => state === 'done') ? logged : null
  }, 'what was delivered is in the log')
  // What failed during the fault.
  const again = await studio.call('chat.retry', { requestId: randomUUID(), replyId: shortId, models: ['mirror'] })
  const unfinished = (): number => storedReplies(dataDir).filter(({ finishedAt }) => finishedAt === null).length
  await until(async () => unfinished() === 0, 'every reply has ended')
  const stored = storedReplies(dataDir)
  const { uncaught, lines } = await studio.facts()
  return {
    answered,
    stream,
    logged: { delivered: delivered.length, rows },
    during: { ended, stopped, stop: stop.result ?? stop.problem, retry: retry.result ?? retry.problem },
    after: {
      ended: stored.find(({ id }) => id === shortId) ?? null,
      stopped: stored.find(({ id }) => id === longId) ?? null,
      retry: again.result ?? again.problem,
      unfinished: unfinished(),
    },
    pauseMs,
    uncaught,
    lines,
  }
}

/** How soon an app or a person must have an answer, and the longest pause of the event loop, ms. */
export interface Bounds {
  answeredMs: number
  pauseMs: number
}

/** How a call may end while the database accepts no write. */
const refusals = ['ok', 'database_locked', 'disk_full', 'not_writable']

/** Returns what is wrong, one sentence each. Empty when nothing was lost and no caller waited too long. */
export function wrongs(
  { answered, stream, logged, during, after, pauseMs, uncaught }: Found,
  bounds: Bounds,
): string[] {
  const isGood = ({ what, how, retryAfter }: Answered): boolean =>
    what === 'request' ? how === '200' || (how === '503' && Number(retryAfter) > 0) : refusals.includes(how)
  const sameText = (shown: Message | null, stored: StoredReply | null): boolean =>
    shown !== null && stored?.status === shown.status && stored.text === shown.text
  const checks: [isSo: boolean, words: string][] = [
    [uncaught.length === 0, `Nobody caught ${uncaught.join(' | ')}`],
    [stream.status === 200 && stream.whole && /data: \[DONE\]\s*$/.test(stream.text), 'The stream was cut.'],
    [logged.rows.length === logged.delivered, 'A delivered reply is not in the log.'],
    [JSON.stringify(during.stop) === '{"stopped":true}', `Stop answered ${JSON.stringify(during.stop)}`],
    [during.stopped?.status === 'stopped', `After Stop the reply was ${during.stopped?.status}.`],
    [sameText(during.stopped, after.stopped), 'The stopped reply is stored differently from what was shown.'],
    [during.ended?.status === 'complete', `The reply that ended during the fault was ${during.ended?.status}.`],
    [
      sameText(during.ended, after.ended),
      'The reply that ended during the fault is stored differently from what was shown.',
    ],
    [JSON.stringify(after.retry).includes('replyIds'), `Retry answered ${JSON.stringify(after.retry)}`],
    [after.unfinished === 0, `${after.unfinished} replies never ended.`],
    [answered.length > 4, 'Too little was asked for.'],
    [pauseMs < bounds.pauseMs, `The event loop stood for ${Math.round(pauseMs)} ms.`],
  ]
  // The usage of the account is fetched from the service, with pauses between its keys, so its duration is not tested.
  const late = answered.filter(({ what, how, ms }) => ms > bounds.answeredMs && !(what === 'account' && how === 'ok'))
  return [
    ...checks.filter(([isSo]) => !isSo).map(([, words]) => words),
    ...late.map(({ what, ms }) => `A ${what} was answered after ${Math.round(ms)} ms.`),
    ...answered.filter((one) => !isGood(one)).map(({ what, how }) => `A ${what} was answered with ${how}.`),
  ]
}

/**
 * Uses up all file descriptors of a studio, first before it has loaded all of its modules, then during a stream. Returns what is wrong,
 * like `wrongs`.
 */
export async function driveWithoutFiles(studio: Studio, lastsMs: number): Promise<string[]> {
  const ask = async (): Promise<number> => (await studio.ask(oneRequest)).status
  const first = await ask()
  const { result: used } = await studio.command<{ files: number; hasTokenizer: boolean }>('useUpFiles')
  await until(async () => {
    const { lines, uncaught } = await studio.facts()
    // On a busy machine the tokenizer may have been loaded before the first reply arrived.
    return (
      used?.hasTokenizer === true ||
      uncaught.length > 0 ||
      lines.some((line) => line.includes('The tokenizer could not be loaded'))
    )
  }, 'the tokenizer is not loaded')
  await studio.command('freeFiles')
  const lasting = studio.ask({
    model: 'writer-small',
    stream: true,
    messages: text('A stream'),
    sandbox: { tokens_per_second: 100, tokens: Math.round((lastsMs + 2000) / 10) },
  })
  await until(async () => (await ask()) === 200, 'a request beside the stream is answered')
  await studio.command('useUpFiles')
  const over = performance.now() + lastsMs
  while (performance.now() < over) {
    await Promise.all([ask(), ask(), studio.call('apps.add', { name: 'key' })])
    await sleep(50)
  }
  await studio.command('freeFiles')
  const stream = await lasting
  await until(async () => (await ask()) === 200, 'a request is answered again')
  const { uncaught } = await studio.facts()
  const checks: [isSo: boolean, words: string][] = [
    [first === 200, `The first request was answered with ${first}.`],
    [(used?.files ?? 0) > 100, 'No file descriptors were used up.'],
    [stream.status === 200 && stream.whole, 'The stream was cut.'],
    [studio.isAlive, 'The process ended.'],
    [uncaught.length === 0, `Nobody caught ${uncaught.join(' | ')}`],
  ]
  return checks.filter(([isSo]) => !isSo).map(([, words]) => words)
}
