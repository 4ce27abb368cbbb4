import { randomUUID } from 'node:crypto'
import type { ProfileLocation } from '../../ports/requests.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { AccountStore } from '../../store/account/open.ts'

/** Where a connection leads, as far as it can be told before anything was asked. */
export interface AccountLocation extends ProfileLocation {
  kind: StoredAccount['kind']
  name: string
}

type UsageAccounts = AccountStore['accounts']

/**
 * The book of a connection whose account is not known yet, if there is one: that of the same profile. What is kept of an address from before
 * there were profiles, or of one that was forgotten, is the first one's that comes there.
 */
export function knownAt(accounts: UsageAccounts, place: AccountLocation): StoredAccount | null {
  const own = accounts.at(place)
  if (own) return own
  const free = { profile: '', baseUrl: place.baseUrl }
  const left = accounts.at(free)
  if (!left || left.kind !== place.kind) return null
  accounts.leave(free)
  accounts.place(place, left)
  return left
}

/**
 * The same, or a new book. A sandbox's account ends with its process: `fresh` (another one than the last time) begins a new book and drops
 * the former.
 */
export function accountAt(
  { accounts, transaction }: AccountStore,
  place: AccountLocation,
  fresh: boolean,
  now: number,
): StoredAccount {
  return transaction(() => {
    if (place.kind === 'sandbox' && fresh) accounts.dropSandboxes()
    const known = knownAt(accounts, place)
    const { kind, baseUrl, name } = place
    const account = known ?? accounts.add({ id: randomUUID(), kind, baseUrl, name, userId: null, usedAt: now })
    if (known) accounts.used(known.no, now)
    else accounts.place(place, account)
    return account
  })
}

/** The book of an account that has said who it is; the profile leads there from now on. Call it in a transaction. */
export function accountOfUser(
  { accounts }: AccountStore,
  place: AccountLocation,
  account: StoredAccount,
  userId: string,
  now: number,
): StoredAccount {
  if (account.userId === userId) return account
  const known = accounts.of(account.baseUrl, userId)
  if (known) {
    accounts.used(known.no, now)
    accounts.place(place, known)
    accounts.dropUnused(account)
    return known
  }
  if (account.userId === null) {
    accounts.setUser(account.no, userId)
    return { ...account, userId }
  }
  const { kind, baseUrl } = account
  // Two accounts under one name would be one to a person.
  const name = `${account.name} (${userId.slice(0, 8)})`
  const added = accounts.add({ id: randomUUID(), kind, baseUrl, userId, name, usedAt: now })
  accounts.place(place, added)
  return added
}
