import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { maxModelRules, modelRule } from './modelMap.ts'
import { instant, procedure } from './problem.ts'
import { answerOutcome, appQuestion, questionAnswer } from './questions.ts'
import { colour, endpoint, sc } from './requests.ts'

const most = z.number().int().min(1).max(1_000_000_000).nullable()

/** Longest path of a folder, characters. */
export const maxFolderPath = 4096
/** Most folders of `toolInputs`. */
export const maxToolInputs = 20

/** Settings of an app. A null limit is no limit. */
export const appSettings = z.object({
  name: z.string().trim().min(1).max(80),
  colour,
  /** When the app key expires. */
  expiresAt: instant.nullable(),
  /** Rules that map the model names that the app asks for to models of the service. The first match applies; without one the name stays. */
  modelMap: z.array(modelRule).max(maxModelRules),
  /** Exact ids of the allowed models of the service, after mapping; null: all. */
  models: z.array(z.string().min(1).max(300)).min(1).max(500).nullable(),
  /** Allowed endpoints; null: all. */
  endpoints: z.array(endpoint).min(1).nullable(),
  requestsPerMinute: most,
  tokensPerMinute: most,
  /** Concurrent requests. */
  concurrent: most,
  /** Budgets in SC per day and month (UTC), and in total since the app was added or its spend was reset. */
  budgetDay: sc.nullable(),
  budgetMonth: sc.nullable(),
  budgetTotal: sc.nullable(),
  /** Whether bodies are stored in the request log. */
  logBodies: z.boolean(),
  /** False: errors of the service are returned to the app without a retry. */
  retries: z.boolean(),
  /** True: requests over a limit are refused with 429 instead of queued. */
  failFast: z.boolean(),
  /** True: in chat completions, a `stop` text is sent as a list, and `max_tokens` is added beside `max_completion_tokens`. */
  adaptRequests: z.boolean(),
  /** What happens to a request that would exceed a budget: refused, or it waits for the answer of a person. */
  atBudget: z.enum(['refuse', 'ask']),
  /** True: a person is asked before the app uses a model of the service for the first time. */
  askNewModel: z.boolean(),
  /** A person is asked about each request that may cost more than this, SC. */
  askAbove: sc.nullable(),
  /** An alert is raised when the app makes more requests, or spends more SC, within an hour. */
  busyRequests: most,
  busySpend: sc.nullable(),
  /** Whether the app may use speech, images, transcription and documents as tools, at `/mcp`. */
  tools: z.boolean(),
  /** Absolute path of the folder for the files that its tools make; null: they are stored in the galleries only. */
  toolOutput: z.string().max(maxFolderPath).nullable(),
  /** Absolute paths of the folders whose files its tools may read. */
  toolInputs: z.array(z.string().max(maxFolderPath)).max(maxToolInputs),
})
export type AppSettings = z.infer<typeof appSettings>

/** `busyRequests` of a new app that is a coding agent. */
export const busyAgentRequests = 300

/** An app that may use the local API. Its app key is shown once, when the app is added, and stored as a hash. */
export const app = appSettings.extend({
  id: z.string(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  pausedAt: instant.nullable(),
  revokedAt: instant.nullable(),
  /** When the key before the last rotation expires or expired; null: never rotated. */
  previousKeyUntil: instant.nullable(),
})
export type App = z.infer<typeof app>

const budgetWindow = z.enum(['day', 'month', 'total'])

/** Current activity and spend of an app. Spend is an estimate unless all of it was measured. */
export const appUse = z.object({
  id: z.string(),
  /** Number of running requests, queued ones included. `waiting`: the queued ones alone. */
  active: z.number().int(),
  waiting: z.number().int(),
  spentDay: sc,
  spentMonth: sc,
  spentTotal: sc,
  /** Reserved for running requests, in addition to the spend, SC. */
  reserved: sc,
  /** The budget whose rest is too small for the app's last request, which was refused for it. Null when that request would fit now. */
  short: budgetWindow.nullable(),
  /**
   * What answers of a person allow, if the app asks at its budgets: amounts by which the budgets of this day and month are higher, SC, and the
   * budgets about which nobody is asked until midnight UTC.
   */
  allowed: z.object({ day: sc, month: sc, open: z.array(budgetWindow) }),
  estimated: z.boolean(),
  /** Number of today's requests with unknown cost. They count as zero in the spend. */
  unpricedToday: z.number().int(),
  requestsToday: z.number().int(),
  tokensToday: z.number().int(),
  /** When a request with the app's key last arrived. `lastUsedAt` of the app is stored, and can be a minute older. */
  lastUsedAt: instant.nullable(),
  /** Requests in each of the last 60 minutes, oldest first. */
  perMinute: z.array(z.number().int()),
})
export type AppUse = z.infer<typeof appUse>

/** How long a replaced app key still works, hours. */
const graceHours = z.literal([0, 1, 24])
export type GraceHours = z.infer<typeof graceHours>

const id = z.object({ id: z.string() })

export const appsProcedures = {
  /** All apps, newest first, again after each change, also by the command line. */
  watch: procedure.output(eventIterator(z.array(app))),
  /** Activity and spend of every app that is not revoked, at most twice per second. */
  watchUsage: procedure.output(eventIterator(z.array(appUse))),
  /** `key` is returned only here. Settings that are not given have no limit. */
  add: procedure.input(appSettings.partial().required({ name: true })).output(z.object({ app, key: z.string() })),
  /** Applies from the next request on. An earlier expiry also cancels running requests. */
  update: procedure.input(id.extend({ changes: appSettings.partial() })).output(app),
  pause: procedure.input(id.extend({ paused: z.boolean() })).output(app),
  pauseAll: procedure.input(z.object({ paused: z.boolean() })).output(z.object({ changed: z.number().int() })),
  /** Resets the total spend to zero. The request log stays. */
  resetSpend: procedure.input(id).output(app),
  /** Replaces the app key. `key` is returned only here. The replaced key works for `graceHours`; 0 also cuts its running requests. */
  rotate: procedure.input(id.extend({ graceHours })).output(z.object({ app, key: z.string() })),
  revoke: procedure.input(id).output(app),
  /** The open questions, oldest first, again after each change. At most one for each app. */
  watchQuestions: procedure.output(eventIterator(z.array(appQuestion))),
  /** The first answer to a question holds. */
  answer: procedure.input(questionAnswer).output(answerOutcome),
}
