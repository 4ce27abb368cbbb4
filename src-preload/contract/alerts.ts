import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, procedure } from './problem.ts'
import { sc } from './requests.ts'
import { day, signedSc, source } from './usage.ts'

// What a person wants to hear of before it hurts: told once for each crossing, kept until it is dismissed.

/** When to tell. Amounts in SC; null is off. */
export const alertSettings = z.object({
  balanceBelow: sc.nullable(),
  /** Of one day (UTC). */
  spendAbove: sc.nullable(),
  /** Tools' budgets: at `budgetAt` per cent, and when one is used up. */
  budgets: z.boolean(),
  budgetAt: z.number().int().min(1).max(99),
  /** The key's own balance, its end, and answers that refuse it. */
  key: z.boolean(),
  ban: z.boolean(),
  /** Also as a notification of the system, where the host can. */
  notify: z.boolean(),
})
export type AlertSettings = z.infer<typeof alertSettings>

/** Whose account it is about, by the book's name at that time. */
const account = z.object({ id: z.string(), name: z.string() })

/** `low`, `empty`: of the key's own balance. `revoked`: it is, or is not listed any more. The others were met: 401, 402, 403. */
export const keyTrouble = z.enum(['low', 'empty', 'revoked', 'refused', 'credits', 'forbidden'])
export type KeyTrouble = z.infer<typeof keyTrouble>

/** What crossed which line, with the figures of that moment. */
export const alertFacts = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('balance'), account, balance: signedSc, below: sc, asOf: instant }),
  /** `source`: whose figure was the larger one. */
  z.object({ kind: z.literal('spend'), account, day, spent: sc, above: sc, source }),
  z.object({
    kind: z.literal('budget'),
    tool: z.object({ id: z.string(), name: z.string() }),
    window: z.enum(['day', 'month', 'total']),
    spent: sc,
    budget: sc,
    usedUp: z.boolean(),
  }),
  z.object({
    kind: z.literal('key'),
    account,
    why: keyTrouble,
    /** Null where nobody told which key is called with. `name` is the service's text. */
    keyId: z.string().nullable(),
    name: z.string().nullable(),
    left: signedSc.nullable(),
    limit: sc.nullable(),
  }),
  /** `until` as the service wrote it. */
  z.object({ kind: z.literal('ban'), account, until: z.string().nullable() }),
])
export type AlertFacts = z.infer<typeof alertFacts>

/** Where in the window it can be looked into. */
export const alertPlace = z.object({
  page: z.enum(['usage', 'keys', 'proxy', 'settings']),
  id: z.string().nullable(),
})
export type AlertPlace = z.infer<typeof alertPlace>

export const alert = z.object({
  id,
  at: instant,
  /** When it held no longer: the figure came back, or its day, month or ban was over. Null while it holds. */
  endedAt: instant.nullable(),
  place: alertPlace,
  facts: alertFacts,
})
export type Alert = z.infer<typeof alert>

export const alerts = z.object({
  settings: alertSettings,
  /** Whether this host has notifications of the system. */
  notifies: z.boolean(),
  /** Those that nobody dismissed, the newest first; of those that are over, the last week's. */
  alerts: z.array(alert),
})
export type Alerts = z.infer<typeof alerts>

export const alertsProcedures = {
  watch: procedure.output(eventIterator(alerts)),
  /** Changes what is given. A line that is drawn anew is crossed anew. */
  update: procedure.input(alertSettings.partial()).output(alertSettings),
  /** One, or all without `id`. What still holds is not told again before it has been over. */
  dismiss: procedure.input(z.object({ id: id.optional() })).output(z.object({ dismissed: z.number().int() })),
  /** Shows a notification of the system; false where this host has none. */
  tryNotification: procedure.output(z.object({ shown: z.boolean() })),
}
