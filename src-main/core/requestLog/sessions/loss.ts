import type { CacheChange } from '../../../../src-preload/contract/sessions.ts'
import type { HashedSection } from '../../ports/requests.ts'
import type { Nano } from '../../shared/money.ts'
import { type certainties, codeOf, outcomes } from '../../store/requestLog/codes.ts'
import { mostCost, type StoredRequest } from '../../store/requestLog/requests.ts'
import { type PromptChange, sizeOf } from './compare.ts'

/** Caches of services begin at about this many tokens, so less is no loss. */
const minLost = 1024
/** Services drop what was not read for about this long, ms. */
const cacheMs = 5 * 60_000

/** The request before in the same conversation, as far as the next one is compared with it. */
export interface TurnBefore {
  request: number
  size: number
  tokensIn: number | null
  /** ms since 1970. */
  endedAt: number
  /** Whether the service has used its cache for this conversation. */
  wasCached: boolean
}

/** A request that was compared with the one before. */
export interface ComparedTurn {
  model: string | null
  /** Null when the prompt was not read. */
  sections: readonly HashedSection[] | null
  before: TurnBefore | null
  found: PromptChange | null
}

/** The cost of a chat request with these tokens; null when the prices are unknown. */
export type TurnPrice = (model: string | null, tokens: { in: number; cached: number; out: number }) => Nano | null

/** What a request lost of the cache. */
export interface Loss {
  change: CacheChange
  section: HashedSection | null
  /** 0 when too little was lost to matter. */
  tokens: number
  are: (typeof certainties)[number]
  /** Null when the prices are unknown. */
  cost: Nano | null
}

const nothingLost = (change: CacheChange, section: HashedSection | null = null): Loss => ({
  change,
  section,
  tokens: 0,
  are: 'unknown',
  cost: 0n,
})

/**
 * What a request lost of the cache. With an unchanged start the service would have had the whole prompt before in its cache. The service
 * reports how much it used. Without that report, everything behind the first change counts as lost.
 */
export function lossOf(turn: ComparedTurn, end: StoredRequest, price: TurnPrice): Loss {
  const { found, before, sections } = turn
  if (!sections) return nothingLost('unread')
  if (!found || !before) return nothingLost('first')
  const { change, section } = found
  const { tokensIn, tokensCached } = end
  if (tokensIn === null || end.outcome !== codeOf(outcomes, 'ok')) return nothingLost(change, section)
  const tokens = lostTokens(found, before, sections, { in: tokensIn, cached: tokensCached })
  // A service that has cached nothing of an unchanged conversation has no cache.
  if (tokens === 0 || (change === 'none' && !before.wasCached)) return nothingLost(change, section)
  const why = change !== 'none' ? change : end.at - before.endedAt > cacheMs ? 'pause' : 'service'
  const cost = costOfLoss(turn.model, tokens, end, price)
  return { change: why, section, tokens, are: tokensCached === null ? 'estimated' : 'measured', cost }
}

/** 0 when too little was lost to matter: less than services cache, or than a tenth of what they could. */
function lostTokens(
  { change, kept }: PromptChange,
  before: TurnBefore,
  sections: readonly HashedSection[],
  tokens: { in: number; cached: number | null },
): number {
  const perSize = tokens.in / Math.max(1, sizeOf(sections))
  // Another model counts tokens in another way.
  const tokensBefore = change === 'model' ? null : before.tokensIn
  const ready = Math.min(tokens.in, tokensBefore ?? before.size * perSize)
  const keptTokens = change === 'model' ? 0 : sizeOf(sections.slice(0, kept)) * perSize
  const lost = Math.round(ready - (tokens.cached ?? (change === 'none' ? ready : keptTokens)))
  return lost < Math.max(minLost, ready / 10) ? 0 : lost
}

/** The difference to the price that the request would have had with its cache. */
function costOfLoss(model: string | null, lost: number, end: StoredRequest, price: TurnPrice): Nano | null {
  const tokens = { in: end.tokensIn ?? 0, cached: end.tokensCached ?? 0, out: end.tokensOut ?? 0 }
  const paid = price(model, tokens)
  const ideal = price(model, { ...tokens, cached: Math.min(tokens.in, tokens.cached + lost) })
  if (paid === null || ideal === null || paid - ideal > mostCost) return null
  return paid > ideal ? paid - ideal : 0n
}
