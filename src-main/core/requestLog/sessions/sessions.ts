import { hash } from 'node:crypto'
import type { CacheRow, HashedSection } from '../../ports/requests.ts'
import { Listeners } from '../../shared/events.ts'
import { cacheChanges, certainties, codeOf, outcomes } from '../../store/requestLog/codes.ts'
import { mostCost, type StoredRequest } from '../../store/requestLog/requests.ts'
import type { SessionTable, StoredSession, StoredTurn } from '../../store/requestLog/sessions.ts'
import { sectionKinds } from '../../store/requestLog/sessions.ts'
import { comparePrompts, sharedSize, sizeOf } from './compare.ts'
import { type ComparedTurn, type Loss, lossOf, type TurnPrice } from './loss.ts'

/** Sessions that are remembered for comparison, over all apps. The one that was used longest ago goes first. */
const maxOpen = 200
/** Sections that are remembered for comparison, over all sessions: about 40 MB. */
const maxOpenSections = 200_000
/** Conversations in one session at the same time: an agent, its sub-agents, and its requests for titles. */
const maxLines = 6
/** Earlier lengths of a history by which a request is recognised that repeats or edits its end. */
const maxChains = 8
/** A request belongs to an earlier conversation when it shares this part of its size, or of its own. */
const sharedPart = 0.5
/** Conversations that a request is compared with because they began with the same history. Few ever do, and each comparison reads both. */
const maxCompared = 8
/** A shorter history proves nothing, because an agent asks for a title with the same first message. */
const minHistory = 2
/** Turns that are read to restore the sections of a session after a start. */
const maxRestored = 500

/** A request whose prompt was read. */
export interface TurnStart {
  request: number
  who: string
  model: string | null
  /** The id of the conversation that the app sent, or null. */
  conversation: string | null
  /** Null when the request can't be compared, because it is too large or its sections came too late. */
  sections: readonly HashedSection[] | null
}

/** One conversation of a session: what the next request is compared with. */
interface Line {
  session: OpenSession
  request: number
  model: string | null
  sections: readonly HashedSection[]
  size: number
  tokensIn: number | null
  /** When the last request ended, ms since 1970. */
  endedAt: number
  /** Whether the service has used its cache for this conversation. */
  wasCached: boolean
  lostInRow: number
  chains: string[]
}

interface OpenSession {
  /** Null until the first turn is stored. A request without an id of its conversation is stored when a second one continues it. */
  stored: StoredSession | null
  who: string
  conversation: string | null
  lines: Line[]
  /** Ended turns that wait for the session to be stored. */
  first: EndedTurn[]
  /** False once it was forgotten. Its requests that still run change nothing that is remembered. */
  isOpen: boolean
}

interface EndedTurn {
  turn: StoredTurn
  end: StoredRequest
  model: string | null
}

/** A request of a session in progress. */
export interface RunningTurn extends TurnStart, ComparedTurn {
  session: OpenSession
  line: Line | null
}

/**
 * Groups requests into sessions, compares each prompt with the one before, and counts what a lost cache cost. Memory is bounded; what is
 * no longer in memory is read from the log when its app sends the id of the conversation again.
 */
export class Sessions {
  /** Emits after each turn that could be compared. */
  readonly rows = new Listeners<[CacheRow]>()
  readonly #table: SessionTable
  readonly #open = new Map<string, OpenSession>()
  /** Conversations by the hash of their history, for apps that send no id. */
  readonly #chains = new Map<string, Line>()
  #sections = 0
  #unnamed = 0
  #lastId: number
  #unsaved = new Map<StoredSession, StoredTurn[]>()

  constructor(table: SessionTable) {
    this.#table = table
    this.#lastId = table.lastId()
  }

  /** Finds the session of a request, and compares its prompt with the one before. */
  begin(start: TurnStart): RunningTurn {
    const chains = start.conversation === null && start.sections ? chainsOf(start.who, start.sections) : []
    const known = start.conversation === null ? this.#byHistory(chains, start) : null
    const session = known?.session ?? this.#session(start)
    const line = known ?? lineOf(session, start)
    const found = line && start.sections ? comparePrompts(line, { model: start.model, sections: start.sections }) : null
    return {
      ...start,
      session,
      line,
      before: line && {
        request: line.request,
        size: line.size,
        tokensIn: line.tokensIn,
        endedAt: line.endedAt,
        wasCached: line.wasCached,
      },
      found,
    }
  }

  /** Takes the end of a request. A request that failed counts as a turn, but the service has cached nothing of it. */
  ended(turn: RunningTurn, end: StoredRequest, price: TurnPrice): void {
    const loss = lossOf(turn, end, price)
    const session = this.#current(turn)
    const { sections } = turn
    const isGood = end.outcome === codeOf(outcomes, 'ok')
    const before = session === turn.session ? turn.line : lineOf(session, turn)
    const line =
      isGood && sections && session.isOpen ? this.#moveOn({ ...turn, session, line: before }, sections, end) : before
    this.#add(session, { turn: turnOf(turn, end, loss), end, model: turn.model })
    if (!line || !isGood || loss.change === 'first' || loss.change === 'unread') return
    line.wasCached ||= (end.tokensCached ?? 0) > 0
    if (loss.change !== 'pause') line.lostInRow = loss.tokens > 0 ? line.lostInRow + 1 : 0
    if (!session.stored || this.rows.size === 0) return
    const { change, tokens, cost } = loss
    this.rows.notify({ who: turn.who, session: session.stored.id, inRow: line.lostInRow, change, tokens, cost })
  }

  /** Whether there is something to write. */
  get unsaved(): boolean {
    return this.#unsaved.size > 0
  }

  /** Writes ended turns. The caller has opened the transaction, and calls `saved` after its commit. */
  save(table: SessionTable): void {
    for (const [session, turns] of this.#unsaved) {
      table.put(session)
      for (const turn of turns) table.addTurn(turn)
    }
  }

  saved(): void {
    this.#unsaved = new Map()
  }

  /** Forgets what requests are compared with, because rows were deleted. */
  forget(): void {
    for (const [key, session] of this.#open) this.#close(key, session)
  }

  /** The session that a request ends in. One that was forgotten meanwhile is opened again, so that one object has its sums. */
  #current(turn: RunningTurn): OpenSession {
    return turn.session.isOpen || turn.conversation === null ? turn.session : this.#session(turn)
  }

  /** The conversation whose history a request goes on with. One that repeats its beginning is another conversation. */
  #byHistory(chains: readonly string[], { sections }: TurnStart): Line | null {
    let left = maxCompared
    for (let at = chains.length - 1; at >= 0 && left > 0; at -= 1) {
      const chain = chains[at] ?? ''
      const line = this.#chains.get(chain)
      if (!line) continue
      left -= 1
      if (!isSameTalk(line, sections ?? [])) continue
      if (at === chains.length - 1 && chain !== line.chains.at(-1)) continue
      this.#touch(line.session)
      return line
    }
    return null
  }

  #session({ who, conversation }: TurnStart): OpenSession {
    if (conversation === null) {
      const session: OpenSession = { stored: null, who, conversation, lines: [], first: [], isOpen: true }
      this.#unnamed += 1
      this.#open.set(`${this.#unnamed}`, session)
      this.#bound()
      return session
    }
    const hashed = hash('sha256', conversation, 'base64url').slice(0, 22)
    const key = `${who} ${hashed}`
    const known = this.#open.get(key)
    if (known) {
      this.#open.delete(key)
      this.#open.set(key, known)
      return known
    }
    const unsaved = [...this.#unsaved.keys()].find((one) => one.who === who && one.conversation === hashed)
    const stored = unsaved ?? this.#table.named(who, hashed)
    const session: OpenSession = { stored, who, conversation: hashed, lines: [], first: [], isOpen: true }
    if (stored) this.#restore(session, stored)
    this.#open.set(key, session)
    this.#bound()
    return session
  }

  /** The newest request of a stored session, with its sections. */
  #restore(session: OpenSession, stored: StoredSession): void {
    const newest = this.#table.turn(stored.lastRequest)
    const sections = newest && sectionsOf(this.#table, newest)
    if (!newest || !sections) return
    session.lines.push({
      session,
      request: newest.request,
      model: stored.model,
      sections,
      size: sizeOf(sections),
      tokensIn: null,
      endedAt: stored.ended,
      wasCached: stored.tokensCached > 0,
      lostInRow: 0,
      chains: [],
    })
    this.#sections += sections.length
  }

  #touch(session: OpenSession): void {
    for (const [key, one] of this.#open) {
      if (one !== session) continue
      this.#open.delete(key)
      this.#open.set(key, session)
      return
    }
  }

  /** The request is what the next one is compared with. */
  #moveOn(turn: RunningTurn, sections: readonly HashedSection[], end: StoredRequest): Line {
    const { session } = turn
    const line: Line = turn.line ?? {
      session,
      request: 0,
      model: null,
      sections: [],
      size: 0,
      tokensIn: null,
      endedAt: 0,
      wasCached: false,
      lostInRow: 0,
      chains: [],
    }
    // A request that began earlier and ended later does not move a conversation back.
    if (turn.request < line.request) return line
    // One that was dropped for newer ones is not counted.
    this.#sections += sections.length - (session.lines.includes(line) ? line.sections.length : 0)
    line.request = turn.request
    line.model = turn.model
    line.sections = sections
    line.size = sizeOf(sections)
    line.tokensIn = end.tokensIn
    line.endedAt = endOf(end)
    session.lines = [line, ...session.lines.filter((one) => one !== line)]
    if (session.lines.length > maxLines) this.#drop(session.lines.pop())
    if (turn.conversation === null) this.#note(line, turn)
    this.#bound()
    return line
  }

  #note(line: Line, { who, sections }: RunningTurn): void {
    const [last] = chainsOf(who, sections ?? []).slice(-1)
    if (last === undefined) return
    line.chains = [...line.chains.filter((one) => one !== last), last]
    this.#chains.set(last, line)
    for (const old of line.chains.splice(0, line.chains.length - maxChains)) this.#chains.delete(old)
  }

  #drop(line: Line | undefined): void {
    if (!line) return
    this.#sections -= line.sections.length
    for (const chain of line.chains) if (this.#chains.get(chain) === line) this.#chains.delete(chain)
  }

  #bound(): void {
    for (const [key, session] of this.#open) {
      if (this.#open.size <= maxOpen && this.#sections <= maxOpenSections) return
      this.#close(key, session)
    }
  }

  #close(key: string, session: OpenSession): void {
    this.#open.delete(key)
    session.isOpen = false
    for (const line of session.lines) this.#drop(line)
  }

  #add(session: OpenSession, ended: EndedTurn): void {
    session.first.push(ended)
    if (session.stored === null) {
      if (session.conversation === null && session.first.length < 2) return
      this.#lastId += 1
      session.stored = emptySession(this.#lastId, session, ended)
    }
    const turns = this.#unsaved.get(session.stored) ?? []
    for (const { turn, end, model } of session.first) {
      turns.push({ ...turn, session: session.stored.id })
      addTo(session.stored, turn, end, model)
    }
    session.first = []
    this.#unsaved.set(session.stored, turns)
  }
}

/** The sections of a turn: those from `kept` on are its own, those before are in the turn that it was compared with. Null when one is missing. */
export function sectionsOf(table: Pick<SessionTable, 'turn'>, turn: StoredTurn): HashedSection[] | null {
  const parts: (readonly HashedSection[])[] = []
  let at: StoredTurn | null = turn
  let needed = Number.POSITIVE_INFINITY
  for (let steps = 0; steps < maxRestored && at; steps += 1) {
    if (needed > at.kept) parts.push(at.sections.slice(0, needed - at.kept))
    needed = Math.min(needed, at.kept)
    if (needed === 0) return parts.reverse().flat()
    at = at.previous === null ? null : table.turn(at.previous)
  }
  return null
}

const emptySession = (id: number, { who, conversation }: OpenSession, { end }: EndedTurn): StoredSession => ({
  id,
  who,
  conversation,
  model: null,
  began: end.at,
  ended: end.at,
  lastRequest: end.id,
  turns: 0,
  toolCalls: 0,
  tokensIn: 0,
  tokensCached: 0,
  tokensOut: 0,
  cost: 0n,
  estimated: 0,
  unpriced: 0,
  durationUs: 0,
  lostTurns: 0,
  lostTokens: 0,
  lostCost: 0n,
})

const endOf = ({ at, durationUs }: StoredRequest): number => at + Math.round((durationUs ?? 0) / 1000)

function addTo(session: StoredSession, turn: StoredTurn, end: StoredRequest, model: string | null): void {
  session.turns += 1
  session.began = Math.min(session.began, end.at)
  session.ended = Math.max(session.ended, endOf(end))
  if (end.id >= session.lastRequest) {
    session.lastRequest = end.id
    session.model = model
  }
  session.toolCalls += turn.toolCalls
  session.tokensIn += end.tokensIn ?? 0
  session.tokensCached += end.tokensCached ?? 0
  session.tokensOut += end.tokensOut ?? 0
  if (end.cost === null) session.unpriced += 1
  else {
    session.cost = atMost(session.cost + end.cost)
    if (end.costIs === codeOf(certainties, 'estimated')) session.estimated += 1
  }
  session.durationUs += end.durationUs ?? 0
  if (turn.lostTokens === 0) return
  session.lostTurns += 1
  session.lostTokens += turn.lostTokens
  session.lostCost = atMost(session.lostCost + (turn.lostCost ?? 0n))
}

/** The columns have 64 bits. */
const atMost = (sum: bigint): bigint => (sum > mostCost ? mostCost : sum)

function turnOf(turn: RunningTurn, end: StoredRequest, loss: Loss): StoredTurn {
  const sections = turn.sections ?? []
  const kept = turn.found?.kept ?? 0
  const { section } = loss
  return {
    request: end.id,
    session: 0,
    previous: turn.found ? (turn.before?.request ?? null) : null,
    kept,
    change: codeOf(cacheChanges, loss.change),
    kind: section && sectionKinds.indexOf(section.kind),
    place: section && placeOf(turn, section),
    name: section?.name ?? null,
    lostTokens: loss.tokens,
    lostAre: codeOf(certainties, loss.are),
    lostCost: loss.cost,
    tools: countOf(sections, 'tool'),
    messages: sections.length - countOf(sections, 'tool'),
    toolCalls: countOf(sections.slice(kept), 'result'),
    sections: sections.slice(kept),
  }
}

const countOf = (sections: readonly HashedSection[], kind: HashedSection['kind']): number =>
  sections.reduce((sum, one) => sum + (one.kind === kind ? 1 : 0), 0)

/** The place of the first changed section among those of its kind, from 1. Sections before it are the same in both requests. */
const placeOf = ({ sections, found }: RunningTurn, { kind }: HashedSection): number =>
  countOf((sections ?? []).slice(0, found?.kept ?? 0), kind) + 1

/** The conversation of a session that a request continues: the one with which it shares most. */
function lineOf({ lines }: OpenSession, { sections }: TurnStart): Line | null {
  if (!sections) return null
  let best: Line | null = null
  let most = 0
  for (const line of lines) {
    const shared = sharedBetween(line, sections)
    if (shared <= most || !isSameTalk(line, sections, shared)) continue
    best = line
    most = shared
  }
  return best
}

const sharedBetween = (line: Line, sections: readonly HashedSection[]): number =>
  sharedSize(sections, new Set(line.sections.map(({ unnumbered }) => unnumbered)))

/** Whether a request shares enough with a conversation, or goes on with its history. The system prompt alone may be most of a request. */
const isSameTalk = (line: Line, sections: readonly HashedSection[], shared = sharedBetween(line, sections)): boolean =>
  shared >= Math.min(line.size, sizeOf(sections)) * sharedPart || goesOn(historyOf(line.sections), historyOf(sections))

const goesOn = (before: readonly HashedSection[], now: readonly HashedSection[]): boolean =>
  before.length >= minHistory &&
  before.length < now.length &&
  before.every(({ hash: own }, at) => own === now[at]?.hash)

/** The messages of a prompt without the system's. */
const historyOf = (sections: readonly HashedSection[]): HashedSection[] =>
  sections.filter(({ kind }) => kind === 'message' || kind === 'result')

/** The hashes of the history of a request after each of its messages. Tools and system messages are not part of it. */
function chainsOf(who: string, sections: readonly HashedSection[]): string[] {
  const chains: string[] = []
  let chain = who
  for (const { hash: own } of historyOf(sections)) {
    chain = hash('sha256', `${chain} ${own}`, 'base64url').slice(0, 22)
    chains.push(chain)
  }
  return chains
}
