import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, procedure, whole } from './problem.ts'
import { sc } from './requests.ts'
import { cacheChange } from './sessions.ts'
import { day, signedSc, source } from './usage.ts'

// Alerts: raised once per crossing of a threshold, shown until dismissed.

/** Thresholds. Amounts in SC; null is off. */
export const alertSettings = z.object({
  balanceBelow: sc.nullable(),
  /** Spend of one day (UTC). */
  spendAbove: sc.nullable(),
  /**
   * Budgets of apps: at `budgetAt` percent, when too little is left for a request, and when used up. A token limit below the app's usual
   * request. Refused requests of paused and expired apps.
   */
  budgets: z.boolean(),
  budgetAt: z.number().int().min(1).max(99),
  /** The balance of the key, its expiry, and responses that refuse it. */
  key: z.boolean(),
  ban: z.boolean(),
  /** An app lost the cache of the service three turns in a row. */
  cache: z.boolean(),
  /** Also show a system notification, when the host supports them. */
  notify: z.boolean(),
})
export type AlertSettings = z.infer<typeof alertSettings>

/** The account, with its name at the time of the alert. */
const account = z.object({ id: z.string(), name: z.string() })

/**
 * `low`, `empty`: the balance of the key. `revoked`: revoked or no longer listed. `refused`, `credits`, `forbidden`: the
 * service answered with 401, 402 or 403.
 */
export const keyTrouble = z.enum(['low', 'empty', 'revoked', 'refused', 'credits', 'forbidden'])
export type KeyTrouble = z.infer<typeof keyTrouble>

/** The crossed threshold, with the figures at the time of the crossing. */
export const alertFacts = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('balance'), account, balance: signedSc, below: sc, asOf: instant }),
  /** `source`: the source with the larger figure. */
  z.object({ kind: z.literal('spend'), account, day, spent: sc, above: sc, source }),
  z.object({
    kind: z.literal('budget'),
    tool: z.object({ id: z.string(), name: z.string() }),
    window: z.enum(['day', 'month', 'total']),
    spent: sc,
    budget: sc,
    usedUp: z.boolean(),
    /** What is left is too small: for the app's usual request, or for a request that was refused. Null: it is not, or `usedUp`. */
    short: z.enum(['usual', 'refused']).nullable().default(null),
    /** Cost of the app's usual request, SC. Null if unknown. */
    usual: sc.nullable().default(null),
    /** Whether a person is asked about further requests, which are otherwise refused. */
    asks: z.boolean().default(false),
  }),
  /** The limit of tokens a minute is below what the app's usual request uses, so that such requests are refused. */
  z.object({
    kind: z.literal('tokens'),
    tool: z.object({ id: z.string(), name: z.string() }),
    usual: whole,
    limit: whole,
  }),
  /** The app has made more requests, or spent more, within an hour than it usually should. */
  z.object({
    kind: z.literal('busy'),
    tool: z.object({ id: z.string(), name: z.string() }),
    requests: whole,
    spent: sc,
    /** The limits; null: none. */
    overRequests: whole.nullable(),
    overSpend: sc.nullable(),
  }),
  /** A paused or expired app sent a request, which was refused. */
  z.object({
    kind: z.literal('app'),
    tool: z.object({ id: z.string(), name: z.string() }),
    why: z.enum(['paused', 'expired']),
  }),
  z.object({
    kind: z.literal('key'),
    account,
    why: keyTrouble,
    /** Null when the key in use is unknown. `name` is a text of the service. */
    keyId: z.string().nullable(),
    name: z.string().nullable(),
    left: signedSc.nullable(),
    limit: sc.nullable(),
  }),
  /** An app lost the cache of the service in `turns` turns of one session in a row; the newest loss. `cost`: null if the prices are unknown. */
  z.object({
    kind: z.literal('cache'),
    tool: z.object({ id: z.string(), name: z.string() }),
    session: whole,
    turns: whole,
    change: cacheChange,
    tokens: whole,
    cost: sc.nullable(),
  }),
  /** `until` is a text of the service. */
  z.object({ kind: z.literal('ban'), account, until: z.string().nullable() }),
])
export type AlertFacts = z.infer<typeof alertFacts>

/** The page with the details. */
export const alertPlace = z.object({
  page: z.enum(['usage', 'keys', 'proxy', 'settings']),
  id: z.string().nullable(),
})
export type AlertPlace = z.infer<typeof alertPlace>

export const alert = z.object({
  id,
  at: instant,
  /** When the condition ended: the figure recovered, or its day, month or ban was over. Null until then. */
  endedAt: instant.nullable(),
  place: alertPlace,
  facts: alertFacts,
})
export type Alert = z.infer<typeof alert>

export const alerts = z.object({
  settings: alertSettings,
  /** Whether this host supports system notifications. */
  notifies: z.boolean(),
  /** Alerts that are not dismissed, newest first; ended ones for a week. */
  alerts: z.array(alert),
})
export type Alerts = z.infer<typeof alerts>

export const alertsProcedures = {
  watch: procedure.output(eventIterator(alerts)),
  /** Changes the given settings. A changed threshold can be crossed again. */
  update: procedure.input(alertSettings.partial()).output(alertSettings),
  /** Dismisses one alert, or all without `id`. A dismissed condition alerts again only after it has ended. */
  dismiss: procedure.input(z.object({ id: id.optional() })).output(z.object({ dismissed: whole })),
  /** Shows a test notification. `reason`: why it was not shown, in one sentence, or null. */
  testNotification: procedure.output(z.object({ shown: z.boolean(), reason: z.string().nullable() })),
}
