import { randomUUID } from 'node:crypto'
import type { ProfileLocation } from '../../ports/requests.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { AccountStore } from '../../store/account/open.ts'

/** Address and profile of a connection, known before the first request. */
export interface AccountLocation extends ProfileLocation {
  kind: StoredAccount['kind']
  name: string
}

type UsageAccounts = AccountStore['accounts']

/**
 * The account that this profile last used at this address, or null. An account may have no profile, because it was stored before profiles
 * existed or its profile was deleted. The first profile that connects to its address takes over this account.
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
 * Returns the known account, or adds one.
 */
export function accountAt({ accounts, transaction }: AccountStore, place: AccountLocation, now: number): StoredAccount {
  return transaction(() => {
    const known = knownAt(accounts, place)
    const { kind, baseUrl, name } = place
    const account = known ?? accounts.add({ id: randomUUID(), kind, baseUrl, name, userId: null, usedAt: now })
    if (known) accounts.used(known.no, now)
    else accounts.place(place, account)
    return account
  })
}

/** The account of a user that the service has named. The profile uses it from now on. Call it in a transaction. */
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
  // A second account under the same name would look like the first one.
  const name = `${account.name} (${userId.slice(0, 8)})`
  const added = accounts.add({ id: randomUUID(), kind, baseUrl, userId, name, usedAt: now })
  accounts.place(place, added)
  return added
}
