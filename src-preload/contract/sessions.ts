import * as z from 'zod'
import { instant, procedure, whole } from './problem.ts'
import { certainty, requestRow, sc, who } from './requests.ts'

// Requests of one conversation of a program, and why each of them cost what it cost.

/**
 * Why a request lost the cache of the service, or did not. `first`: there was no request before it. `none`: nothing before its new messages
 * changed. `pause`: nothing changed, but the last request was long ago. `service`: nothing changed, and the service had cached before.
 * `unread`: the request could not be compared. The others name the first section that changed.
 */
export const cacheChange = z.enum([
  'first',
  'none',
  'model',
  'tool_order',
  'tool_added',
  'tool_removed',
  'tool_changed',
  'tool_time',
  'tool_number',
  'system',
  'system_time',
  'system_number',
  'history',
  'history_shortened',
  'message_time',
  'message_number',
  'pause',
  'service',
  'unread',
])
export type CacheChange = z.infer<typeof cacheChange>

/** A section of a prompt. Tokens are its share of the prompt by size. Null when the service reported none. */
export const sectionKind = z.enum(['tool', 'system', 'message', 'result'])
export type PromptSectionKind = z.infer<typeof sectionKind>

/** What was lost: the tokens that the service would have had in its cache, and what that cost more, SC. */
export const cacheLoss = z.object({
  change: cacheChange,
  /** The first section that changed. `place` counts within its kind, from 1. Null when none did. */
  section: z.object({ kind: sectionKind, place: whole, name: z.string().nullable() }).nullable(),
  /** 0 when too little was lost to matter. */
  tokens: whole,
  /** `measured`: from the cached tokens that the service reported. `estimated`: it reported none. */
  tokensAre: certainty,
  /** Null when the prices are unknown. */
  cost: sc.nullable(),
})
export type CacheLoss = z.infer<typeof cacheLoss>

export const session = z.object({
  id: whole,
  who,
  /** Of the newest request. */
  model: z.string().nullable(),
  began: instant,
  ended: instant,
  turns: whole,
  /** Results of tools that its requests brought. */
  toolCalls: whole,
  tokensIn: whole,
  tokensCached: whole,
  tokensOut: whole,
  /** Sum of the known costs. */
  cost: sc,
  costIs: certainty,
  /** Requests of unknown cost. They add nothing to `cost`. */
  unpriced: whole,
  /** Sum of the durations of its requests, ms. */
  durationMs: z.number(),
  /** Requests that lost their cache, with the tokens and the known cost of that. */
  lostTurns: whole,
  lostTokens: whole,
  lostCost: sc,
})
export type AgentSession = z.infer<typeof session>

export const sessionTurn = z.object({
  row: requestRow,
  loss: cacheLoss,
  tools: whole,
  messages: whole,
  toolCalls: whole,
})
export type SessionTurn = z.infer<typeof sessionTurn>

export const promptSection = z.object({
  kind: sectionKind,
  place: whole,
  name: z.string().nullable(),
  tokens: whole.nullable(),
  /** `same`: at the start of the request before too. `first`: the first that changed. `behind`: after it. `new`: the end of a prompt that grew. */
  state: z.enum(['same', 'first', 'behind', 'new']),
})
export type PromptSection = z.infer<typeof promptSection>

/** Every part that is given must match. */
export const sessionFilter = z.object({
  /** Id of an app. */
  app: z.string().max(80).optional(),
  /** Of the newest request. */
  model: z.string().max(300).optional(),
  /** Only sessions that lost the cache in a turn. */
  lost: z.literal(true).optional(),
  /** Only sessions with a request at this time or later, and up to this time. */
  since: instant.optional(),
  until: instant.optional(),
})
export type SessionFilter = z.infer<typeof sessionFilter>

/** The newest turns of a session that are shown. */
export const maxTurns = 500

export const sessionsProcedures = {
  /** The sessions by the time of their last request, newest first. `more`: there are older ones. */
  list: procedure
    .input(
      z.object({
        filter: sessionFilter.default({}),
        skip: whole.default(0),
        limit: z.number().int().min(1).max(200),
      }),
    )
    .output(z.object({ sessions: z.array(session), more: z.boolean() })),
  /** One session with its newest turns, at most `maxTurns`, oldest first. */
  get: procedure.input(z.object({ id: whole })).output(z.object({ session, turns: z.array(sessionTurn) })),
  /** Why a request cost what it cost. Null for a request of no session. */
  prompt: procedure
    .input(z.object({ request: whole }))
    .output(
      z
        .object({ session: whole, turn: whole, turns: whole, loss: cacheLoss, sections: z.array(promptSection) })
        .nullable(),
    ),
}
