import * as z from 'zod'
import { type AccountKey, accountKey } from '../../../../src-preload/contract/account.ts'
import type { Figures } from '../../../../src-preload/contract/usage.ts'
import { type DayBucket, dayText } from '../../shared/days.ts'
import { toAtto } from '../../shared/money.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { AccountReaders } from '../../store/account/open.ts'
import { isKnown, statesOf } from './coverage.ts'
import type { ReadParts } from './dependencies.ts'
import { figuresIn } from './parseReplies.ts'
import { figuresOf } from './totals.ts'

/** A stored record: amounts of an earlier version may have another form than the contract's. */
const record = accountKey
  .omit({ id: true, calling: true, totals: true, asOf: true, gone: true })
  .extend({ balance: z.string().nullable(), balanceLimit: z.string().nullable() })

const totals = z.object({
  requests: z.number().nullable(),
  tokensIn: z.number().nullable(),
  tokensOut: z.number().nullable(),
  cost: z.string().nullable(),
})

/** The keys of an account as last reported: the calling key first, then usable keys, then by last use. */
export function keysOf({ accountStore }: ReadParts, { no, callingKey }: StoredAccount): AccountKey[] {
  const [log, prefix] = accountStore.fetches.lastAt(no, 'keys') === null ? ['current', 'current:'] : ['keys', 'key:']
  return accountStore.versions
    .known(no, prefix)
    .flatMap((what) => showKey(accountStore, no, log, what) ?? [])
    .map((key) => ({ ...key, calling: key.id === callingKey }))
    .sort(
      (a, b) =>
        Number(b.calling) - Number(a.calling) ||
        Number(isOver(a)) - Number(isOver(b)) ||
        compareText(b.lastUsedAt ?? '', a.lastUsedAt ?? '') ||
        compareText(a.id, b.id),
    )
}

const isOver = ({ gone, revokedAt }: AccountKey): boolean => gone || revokedAt !== null
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function showKey({ versions }: AccountReaders, no: number, log: string, what: string): AccountKey | null {
  const version = versions.newest(no, log, what)
  const id = what.slice(what.indexOf(':') + 1)
  const known = version && record.safeParse(JSON.parse(version.value)).data
  if (!version || !known) return null
  const limit = toAtto(known.balanceLimit)
  return {
    id,
    ...known,
    calling: false,
    // A negative limit means no limit.
    balanceLimit: limit !== null && limit >= 0n ? known.balanceLimit : null,
    totals: totalsOf(versions.newest(no, `totals:${id}`, `totals:${id}`)?.value ?? null),
    asOf: new Date(version.seenAt).toISOString(),
    gone: !version.isCurrent,
  }
}

function totalsOf(value: string | null): Figures | null {
  const known = value === null ? null : totals.safeParse(JSON.parse(value)).data
  if (!known) return null
  return figuresOf(figuresIn(known))
}

/** Usage of a key per day. `figures` is null for a day that is not known. */
export function keyDays({ accountStore, now }: ReadParts, { no }: StoredAccount, keyId: string, range: DayBucket) {
  const { from, to } = range
  const states = statesOf(range, accountStore.fetches.coverage(no, `days:${keyId}`, from, to), now())
  const rows = new Map(accountStore.sums.key(no, keyId, from, to).map((row) => [row.day, row]))
  return states.map((state, at) => {
    const row = rows.get(from + at)
    const nothing = isKnown(state) ? figuresOf(nothingUsed) : null
    return {
      day: dayText(from + at),
      state: state === 'ahead' ? ('running' as const) : state,
      figures: row ? figuresOf(row) : nothing,
    }
  })
}

const nothingUsed = { requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: null, cost: 0n }
