import type { SQLInputValue } from 'node:sqlite'
import type { PromptSectionKind } from '../../../../src-preload/contract/sessions.ts'
import type { HashedSection } from '../../ports/requests.ts'
import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, numberOrNull, numbers, type Row, readOrNull, text, textOrNull } from '../rows.ts'

/** A session: sums over its turns. Times in ms since 1970, durations in microseconds, money in billionths of an SC. */
export interface StoredSession {
  id: number
  who: string
  /** Hash of the id that the app sent. */
  conversation: string | null
  model: string | null
  began: number
  ended: number
  lastRequest: number
  turns: number
  toolCalls: number
  tokensIn: number
  tokensCached: number
  tokensOut: number
  cost: bigint
  estimated: number
  unpriced: number
  durationUs: number
  lostTurns: number
  lostTokens: number
  lostCost: bigint
}

/** One request of a session. `change`, `kind` and `lostAre` are numbers of codes.ts and of `sectionKinds`. */
export interface StoredTurn {
  request: number
  session: number
  /** The request that it was compared with. */
  previous: number | null
  /** Number of sections that are equal from the start. */
  kept: number
  change: number
  /** The first section that changed, and its place among those of its kind, from 1. */
  kind: number | null
  place: number | null
  name: string | null
  lostTokens: number
  lostAre: number
  /** Null: unknown. */
  lostCost: bigint | null
  tools: number
  messages: number
  toolCalls: number
  /** Sections from `kept` on. Those of a stored turn are parsed when they are read: most reads need other columns only. */
  readonly sections: readonly HashedSection[]
}

/** The index of a kind in the list is its number: append, never reorder. */
export const sectionKinds = ['tool', 'system', 'message', 'result'] as const satisfies readonly PromptSectionKind[]

const sessionColumns = `id, who, conversation, model, began, ended, last_request, turns, tool_calls, tokens_in, tokens_cached,
  tokens_out, CAST(cost AS TEXT) AS cost_text, estimated, unpriced, duration_us, lost_turns, lost_tokens,
  CAST(lost_cost AS TEXT) AS lost_text`
const turnColumns = `request, session, previous, kept, change, kind, place, name, lost_tokens, lost_are,
  CAST(lost_cost AS TEXT) AS lost_text, tools, messages, tool_calls, sections`

/** Every part that is not null must match. Times in ms since 1970. */
export interface SessionSearch {
  who: string | null
  model: string | null
  /** Only sessions that lost the cache in a turn. */
  hasLost: boolean
  since: number | null
  until: number | null
}

function conditions({ who, model, hasLost, since, until }: SessionSearch): { sql: string; values: SQLInputValue[] } {
  const parts: [sql: string, value: SQLInputValue | null][] = [
    ['who = ?', who],
    ['model = ?', model],
    ['lost_turns > ?', hasLost ? 0 : null],
    ['ended >= ?', since],
    ['began <= ?', until],
  ]
  const given = parts.flatMap(([sql, value]) => (value === null ? [] : [{ sql, value }]))
  const sql = given.length === 0 ? '' : `WHERE ${given.map((part) => part.sql).join(' AND ')}`
  return { sql, values: given.map(({ value }) => value) }
}

/** The read statements of `sessionTable`. */
export function sessionReader(handle: ReadHandle) {
  const one = handle.prepare(`SELECT ${sessionColumns} FROM sessions WHERE id = ?`)
  const named = handle.prepare(
    `SELECT ${sessionColumns} FROM sessions WHERE who = ? AND conversation = ? ORDER BY id DESC LIMIT 1`,
  )
  const turn = handle.prepare(`SELECT ${turnColumns} FROM turns WHERE request = ?`)
  const turns = handle.prepare(`SELECT ${turnColumns} FROM turns WHERE session = ? ORDER BY request DESC LIMIT ?`)
  const before = handle.prepare('SELECT count(*) AS n FROM turns WHERE session = ? AND request <= ?')
  return {
    /** The newest sessions that match. */
    newest(search: SessionSearch, limit: number, skip: number): StoredSession[] {
      const { sql, values } = conditions(search)
      const newest = handle.prepare(
        `SELECT ${sessionColumns} FROM sessions ${sql} ORDER BY last_request DESC LIMIT ? OFFSET ?`,
      )
      return newest.all(...values, limit, skip).map(readSession)
    },
    get: (id: number): StoredSession | null => readOrNull(one.get(id), readSession),
    named: (who: string, conversation: string): StoredSession | null =>
      readOrNull(named.get(who, conversation), readSession),
    turn: (request: number): StoredTurn | null => readOrNull(turn.get(request), readTurn),
    /** The newest turns of a session, newest first. */
    turns: (session: number, limit: number): StoredTurn[] => turns.all(session, limit).map(readTurn),
    /** Number of turns of a session up to a request. */
    countTo: (session: number, request: number): number => Number(before.get(session, request)?.n),
  }
}

/** Writes sessions. The caller has opened the transaction. */
export function sessionTable({ handle }: Pick<Database, 'handle'>) {
  const last = handle.prepare('SELECT coalesce(max(id), 0) AS id FROM sessions')
  const put = handle.prepare(
    `INSERT OR REPLACE INTO sessions (id, who, conversation, model, began, ended, last_request, turns, tool_calls, tokens_in,
      tokens_cached, tokens_out, cost, estimated, unpriced, duration_us, lost_turns, lost_tokens, lost_cost)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const add = handle.prepare(
    `INSERT OR REPLACE INTO turns (request, session, previous, kept, change, kind, place, name, lost_tokens, lost_are, lost_cost,
      tools, messages, tool_calls, sections) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    ...sessionReader(handle),
    lastId: (): number => number(last.get() ?? {}, 'id'),
    put: (s: StoredSession): void =>
      void put.run(
        ...[s.id, s.who, s.conversation, s.model, s.began, s.ended, s.lastRequest, s.turns, s.toolCalls, s.tokensIn],
        ...[s.tokensCached, s.tokensOut, s.cost, s.estimated, s.unpriced, s.durationUs, s.lostTurns, s.lostTokens],
        s.lostCost,
      ),
    addTurn: (t: StoredTurn): void =>
      void add.run(
        ...[t.request, t.session, t.previous, t.kept, t.change, t.kind, t.place, t.name, t.lostTokens, t.lostAre],
        ...[t.lostCost, t.tools, t.messages, t.toolCalls, writeSections(t.sections)],
      ),
  }
}
export type SessionTable = ReturnType<typeof sessionTable>

/** Lists instead of objects, because a long conversation has thousands of sections. */
const writeSections = (sections: readonly HashedSection[]): string =>
  JSON.stringify(
    sections.map(({ kind, size, hash, undated, unnumbered, name }) => [
      sectionKinds.indexOf(kind),
      size,
      hash,
      undated === hash ? 0 : undated,
      unnumbered === hash ? 0 : unnumbered,
      ...(name === null ? [] : [name]),
    ]),
  )

/** What can't be read is left out: only the comparison with the next request needs it. */
function readSections(stored: string): HashedSection[] {
  let list: unknown
  try {
    list = JSON.parse(stored)
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
  }
  return Array.isArray(list) ? list.flatMap(readSection) : []
}

function readSection(item: unknown): HashedSection[] {
  if (!Array.isArray(item)) return []
  const [code, size, hash, undated, unnumbered, name = null] = item as unknown[]
  const kind = sectionKinds[Number(code)]
  if (kind === undefined || typeof size !== 'number' || typeof hash !== 'string') return []
  const own = (value: unknown): string => (typeof value === 'string' ? value : hash)
  return [
    {
      kind,
      size,
      hash,
      undated: own(undated),
      unnumbered: own(unnumbered),
      name: typeof name === 'string' ? name : null,
    },
  ]
}

function readSession(row: Row): StoredSession {
  return {
    ...numbers(row, 'id', 'began', 'ended', 'turns', 'estimated', 'unpriced'),
    who: text(row, 'who'),
    conversation: textOrNull(row, 'conversation'),
    model: textOrNull(row, 'model'),
    lastRequest: number(row, 'last_request'),
    toolCalls: number(row, 'tool_calls'),
    tokensIn: number(row, 'tokens_in'),
    tokensCached: number(row, 'tokens_cached'),
    tokensOut: number(row, 'tokens_out'),
    cost: BigInt(text(row, 'cost_text')),
    durationUs: number(row, 'duration_us'),
    lostTurns: number(row, 'lost_turns'),
    lostTokens: number(row, 'lost_tokens'),
    lostCost: BigInt(text(row, 'lost_text')),
  }
}

function readTurn(row: Row): StoredTurn {
  const lost = textOrNull(row, 'lost_text')
  const stored = text(row, 'sections')
  return {
    ...numbers(row, 'request', 'session', 'kept', 'change', 'tools', 'messages'),
    previous: numberOrNull(row, 'previous'),
    kind: numberOrNull(row, 'kind'),
    place: numberOrNull(row, 'place'),
    name: textOrNull(row, 'name'),
    lostTokens: number(row, 'lost_tokens'),
    lostAre: number(row, 'lost_are'),
    lostCost: lost === null ? null : BigInt(lost),
    toolCalls: number(row, 'tool_calls'),
    get sections() {
      return readSections(stored)
    },
  }
}
