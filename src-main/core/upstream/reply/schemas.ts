import * as z from 'zod'

// Any field may be absent or null. A field of a wrong type reads as null, unless a reply is useless without it (specification, Resources
// and their fields). Unknown fields are preserved.

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null)
const text = maybe(z.string())
const number = maybe(z.number())
/** A whole number, also as text. Any other value reads as null, which is unknown and not zero. */
const count = maybe(
  z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\s*[+-]?\d{1,16}(?:\.0+)?\s*$/)
        .transform(Number),
    ])
    .refine(Number.isSafeInteger),
)
/** A counter of the rate limits in any size, also as text. */
const limit = maybe(
  z.union([
    z.number(),
    z
      .string()
      .regex(/^\s*[+-]?\d{1,16}(?:\.\d+)?\s*$/)
      .transform(Number),
  ]),
)
const flag = maybe(z.boolean())
/** SC as decimal text, exactly as the service wrote it. */
const money = maybe(z.union([z.string(), z.number().transform(String)]))
/** A date or time in any form, because the specification leaves the form open. Its presence alone may be the information. */
const stamp = maybe(z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]))
/** A list without the entries that are no objects. */
const entries = <T extends z.ZodType>(entry: T) =>
  z.array(z.unknown()).transform((all) => all.flatMap((one) => entry.safeParse(one).data ?? []))
const listOf = <T extends z.ZodType>(entry: T) => maybe(entries(entry))

const modelEntry = z.looseObject({ id: z.string().min(1), object: text, created: number, owned_by: text })
export const modelList = z.looseObject({
  object: text,
  /** Drops entries without an id, because no request can name them. */
  data: entries(modelEntry),
})

export const keyRecord = z.looseObject({
  id: text,
  user_id: text,
  key_prefix: text,
  name: text,
  rate_limit_rpm: limit,
  rate_limit_tpm: limit,
  max_concurrent: limit,
  balance_enabled: flag,
  balance_sc: money,
  balance_limit_sc: money,
  created_at: stamp,
  last_used_at: stamp,
  revoked_at: stamp,
})
export type KeyRecord = z.infer<typeof keyRecord>
export const keyList = z.looseObject({ api_keys: listOf(keyRecord) })
export type KeyList = z.infer<typeof keyList>

export const keyTotals = z.looseObject({
  total_requests: count,
  total_tokens_in: count,
  total_tokens_out: count,
  total_cost_sc: money,
})
export type KeyTotals = z.infer<typeof keyTotals>

/** `date` is unchanged: a date here, a date and time in the account's rows. */
export const keyDaily = z.looseObject({ usage: listOf(z.looseObject({ date: text, ...keyTotals.shape })) })
export type KeyDaily = z.infer<typeof keyDaily>

const accountRow = z.looseObject({
  user_id: text,
  date: text,
  model: text,
  requests: count,
  tokens_in: count,
  tokens_out: count,
  tokens_cached: count,
  cost_sc: money,
})
export const accountUsage = z.looseObject({ usage: listOf(accountRow), balance: money, total_spent: money })
export type AccountUsage = z.infer<typeof accountUsage>

export const rateLimitStatus = z.looseObject({
  limit_rpm: limit,
  used_rpm: limit,
  remaining_rpm: limit,
  limit_rph: limit,
  used_rph: limit,
  remaining_rph: limit,
  limit_rpd: limit,
  used_rpd: limit,
  remaining_rpd: limit,
  limit_tph: limit,
  used_tph: limit,
  remaining_tph: limit,
  limit_tpd: limit,
  used_tpd: limit,
  remaining_tpd: limit,
  reset_seconds: limit,
  banned: flag,
  banned_until: stamp,
})
export type RateLimitStatus = z.infer<typeof rateLimitStatus>

/** The entries are read one by one (`imageEntry`), so that an odd one affects no other. */
export const imageReply = z.looseObject({ created: number, data: maybe(z.array(z.unknown())) })
export const imageEntry = z.looseObject({ url: text, b64_json: text })

/** Fields in SC. They are read as decimal text, because a float would round them. */
export const moneyFields: ReadonlySet<string> = new Set([
  'balance_sc',
  'balance_limit_sc',
  'cost_sc',
  'total_cost_sc',
  'balance',
  'total_spent',
])
