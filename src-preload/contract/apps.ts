import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { instant, procedure } from './problem.ts'
import { colour, endpoint, sc } from './requests.ts'

const most = z.number().int().min(1).max(1_000_000_000).nullable()

/** What a person decides about a tool's key. A limit that is null is no limit. */
export const appSettings = z.object({
  name: z.string().trim().min(1).max(80),
  colour,
  /** From then on the key is refused. */
  expiresAt: instant.nullable(),
  /** Exact ids of the models it may name; null: any. */
  models: z.array(z.string().min(1).max(300)).min(1).max(500).nullable(),
  /** Null: all of them. */
  endpoints: z.array(endpoint).min(1).nullable(),
  requestsPerMinute: most,
  tokensPerMinute: most,
  /** Requests at once. */
  concurrent: most,
  /** SC in a day and in a month (UTC), and in all since the key was made or its spend was last reset. */
  budgetDay: sc.nullable(),
  budgetMonth: sc.nullable(),
  budgetTotal: sc.nullable(),
  /** Whether requests and replies may be kept for the log. */
  logBodies: z.boolean(),
  /** False: an answer of the service passes as it is, and the tool decides about asking again. */
  retries: z.boolean(),
  /** True: refused at once (429) where it would have to wait its turn. */
  failFast: z.boolean(),
})
export type AppSettings = z.infer<typeof appSettings>

/** A key of ours that lets one tool use the local `/v1`. The secret itself is shown once, when it is made, and kept as a hash. */
export const app = appSettings.extend({
  id: z.string(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  pausedAt: instant.nullable(),
  revokedAt: instant.nullable(),
})
export type App = z.infer<typeof app>

/** What a tool does and has spent. Spend is an estimate unless every part of it was measured. */
export const appUse = z.object({
  id: z.string(),
  /** Requests under way, and those of them that wait in the queue. */
  active: z.number().int(),
  waiting: z.number().int(),
  spentDay: sc,
  spentMonth: sc,
  spentTotal: sc,
  /** Held for requests under way, on top of what is spent. */
  reserved: sc,
  estimated: z.boolean(),
  /** Requests whose cost nobody can tell, today. They count as nothing in the spend. */
  unpricedToday: z.number().int(),
  requestsToday: z.number().int(),
  tokensToday: z.number().int(),
  /** Requests in each of the last 60 minutes, oldest first. */
  perMinute: z.array(z.number().int()),
})
export type AppUse = z.infer<typeof appUse>

const id = z.object({ id: z.string() })

export const appsProcedures = {
  /** All tool keys, newest first, and again after each change, also one made by the command line beside us. */
  watch: procedure.output(eventIterator(z.array(app))),
  /** What each key that is not revoked does and has spent, at most twice a second. */
  watchUse: procedure.output(eventIterator(z.array(appUse))),
  /** `key` is answered here and never again. What is not given has no limit. */
  add: procedure.input(appSettings.partial().required({ name: true })).output(z.object({ app, key: z.string() })),
  /** Holds from the next request on; a pause or an expiry also ends what is under way. */
  update: procedure.input(id.extend({ changes: appSettings.partial() })).output(app),
  pause: procedure.input(id.extend({ paused: z.boolean() })).output(app),
  pauseAll: procedure.input(z.object({ paused: z.boolean() })).output(z.object({ changed: z.number().int() })),
  /** Spend in all starts at nothing again; the log stays. */
  resetSpend: procedure.input(id).output(app),
  revoke: procedure.input(id).output(app),
}
