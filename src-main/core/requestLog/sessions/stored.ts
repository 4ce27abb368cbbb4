import type {
  AgentSession,
  CacheLoss,
  PromptSection,
  PromptSectionKind,
  SessionFilter,
  SessionTurn,
} from '../../../../src-preload/contract/sessions.ts'
import { maxTurns } from '../../../../src-preload/contract/sessions.ts'
import { StudioError } from '../../errors.ts'
import type { HashedSection } from '../../ports/requests.ts'
import { fromNano } from '../../shared/money.ts'
import type { Callers } from '../../store/requestLog/callers.ts'
import { cacheChanges, certainties } from '../../store/requestLog/codes.ts'
import type { RequestLogReadOnly } from '../../store/requestLog/open.ts'
import { type StoredSession, type StoredTurn, sectionKinds } from '../../store/requestLog/sessions.ts'
import type { AppNames } from '../appNames.ts'
import { timeOf } from '../filters.ts'
import { showRow, whoOf } from '../rows.ts'
import { sizeOf } from './compare.ts'
import { sectionsOf } from './sessions.ts'

interface Parts {
  store: Pick<RequestLogReadOnly, 'requests' | 'sessions'>
  callers: Callers
  names: AppNames
  /** Writes pending rows, so that what is read is current. */
  flush(): void
}

/** Why a request cost what it cost, with its place in its session. */
export interface ExplainedPrompt {
  session: number
  turn: number
  turns: number
  loss: CacheLoss
  sections: PromptSection[]
}

/** Reads the sessions of the log as the contract defines them. */
export class StoredSessions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The sessions that match, by the time of their last request, newest first. */
  list(filter: SessionFilter, limit: number, skip = 0): { sessions: AgentSession[]; more: boolean } {
    const { store, flush } = this.#parts
    flush()
    const { app, model, lost, since, until } = filter
    const search = {
      who: app === undefined ? null : `tool:${app}`,
      model: model ?? null,
      hasLost: lost === true,
      since: timeOf(since),
      until: timeOf(until),
    }
    const found = store.sessions.newest(search, limit + 1, skip)
    return { sessions: found.slice(0, limit).map(this.#show), more: found.length > limit }
  }

  /** A session with its newest turns, oldest first. @throws StudioError `no_such_item` */
  get(id: number): { session: AgentSession; turns: SessionTurn[] } {
    const { store, callers, names, flush } = this.#parts
    flush()
    const session = store.sessions.get(id)
    if (!session) throw new StudioError('no_such_item', 'This session is not in the log.')
    const turns = store.sessions.turns(id, maxTurns).flatMap((turn) => {
      const row = store.requests.get(turn.request)
      const { tools, messages, toolCalls } = turn
      return row ? { row: showRow(row, callers, names), loss: lossOf(turn), tools, messages, toolCalls } : []
    })
    return { session: this.#show(session), turns: turns.reverse() }
  }

  /** Why a request cost what it cost, or null for a request of no session. */
  prompt(request: number): ExplainedPrompt | null {
    const { store, flush } = this.#parts
    flush()
    const turn = store.sessions.turn(request)
    const session = turn && store.sessions.get(turn.session)
    if (!turn || !session) return null
    const sections = sectionsOf(store.sessions, turn) ?? []
    const before = turn.previous === null ? null : store.sessions.turn(turn.previous)
    const grew = cacheChanges[turn.change] === 'none' || turn.kind === null
    return {
      session: session.id,
      turn: store.sessions.countTo(session.id, request),
      turns: session.turns,
      loss: lossOf(turn),
      sections: shownSections(sections, store.requests.get(request)?.tokensIn ?? null, (index) => {
        if (before === null) return 'new'
        if (index < turn.kept) return 'same'
        if (grew) return 'new'
        return index === turn.kept ? 'first' : 'behind'
      }),
    }
  }

  readonly #show = (session: StoredSession): AgentSession => {
    const { id, turns, toolCalls, tokensIn, tokensCached, tokensOut, unpriced, lostTurns, lostTokens, model } = session
    const counts = { id, turns, toolCalls, tokensIn, tokensCached, tokensOut, unpriced, lostTurns, lostTokens, model }
    return {
      ...counts,
      who: whoOf(session.who, null, this.#parts.names),
      began: new Date(session.began).toISOString(),
      ended: new Date(session.ended).toISOString(),
      cost: fromNano(session.cost),
      costIs: session.estimated > 0 ? 'estimated' : 'measured',
      durationMs: session.durationUs / 1000,
      lostCost: fromNano(session.lostCost),
    }
  }
}

const lossOf = (turn: StoredTurn): CacheLoss => ({
  change: cacheChanges[turn.change] ?? 'unread',
  section: sectionOf(turn),
  tokens: turn.lostTokens,
  tokensAre: certainties[turn.lostAre] ?? 'unknown',
  cost: turn.lostCost === null ? null : fromNano(turn.lostCost),
})

function sectionOf({ kind: code, place, name }: StoredTurn): CacheLoss['section'] {
  const kind = code === null ? undefined : sectionKinds[code]
  return kind === undefined || place === null ? null : { kind, place, name }
}

function shownSections(
  sections: readonly HashedSection[],
  tokensIn: number | null,
  stateOf: (index: number) => PromptSection['state'],
): PromptSection[] {
  const perSize = tokensIn === null ? null : tokensIn / Math.max(1, sizeOf(sections))
  const places = new Map<PromptSectionKind, number>()
  return sections.map(({ kind, name, size }, index) => {
    const place = (places.get(kind) ?? 0) + 1
    places.set(kind, place)
    return { kind, name, place, tokens: perSize === null ? null : Math.round(size * perSize), state: stateOf(index) }
  })
}
