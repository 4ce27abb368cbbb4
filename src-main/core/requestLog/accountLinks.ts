import type { ProfileLocation } from '../ports/requests.ts'
import { unexpected } from '../shared/unexpected.ts'
import { asStoreError } from '../store/databaseErrors.ts'
import type { UsedTable } from '../store/requestLog/dailyUsage.ts'
import type { AccountLink, LinkedAccount, LinkTable, RowRange } from '../store/requestLog/links.ts'

interface Parts {
  store: Tables
  /** Called after sums moved from one account to another. */
  moved(): void
}

interface Tables {
  links: LinkTable
  used: UsedTable
  transaction<T>(work: () => T): T
}

/**
 * Maps each row to the account of its request. A connection opens before its account is known. Until then its rows belong to an unnamed
 * account of the same profile and base address. When that place's account is reported, the account takes over those rows. Late requests
 * of a former connection (the file of a reply) belong to the account of the earlier requests.
 */
export class AccountLinks {
  readonly #tables: Tables
  readonly #moved: Parts['moved']
  #accounts = new Map<number, LinkedAccount>()
  #links: readonly AccountLink[] = []
  /** Account id by profile and base address, for profiles that were connected since the start. */
  readonly #places = new Map<string, number>()
  #connected: ProfileLocation | null = null
  /** The account that was reported but could not be written. */
  #reported: { account: string; place: ProfileLocation | null } | null = null

  constructor({ store, moved }: Parts) {
    this.#tables = store
    this.#moved = moved
    this.#accounts = new Map(store.links.accounts().map((linkedAccount) => [linkedAccount.id, linkedAccount]))
    this.#links = store.links.links()
  }

  /** The account of a row; nearly always the newest. */
  accountOf(row: number): number {
    for (let at = this.#links.length - 1; at >= 0; at -= 1) {
      const link = this.#links[at]
      if (link && link.firstRow <= row) return link.linkedAccount
    }
    return this.#links[0]?.linkedAccount ?? 0
  }

  /** The account id that a row belongs to, or null when it is unknown so far. */
  knownAccountOf(row: number): string | null {
    return this.#accounts.get(this.accountOf(row))?.account ?? null
  }

  /** The accounts with this account id: one for each base address. */
  of(account: string): number[] {
    return [...this.#accounts.values()].filter((linkedAccount) => linkedAccount.account === account).map(({ id }) => id)
  }

  /** The rows of an account, in order of their ids. */
  rowRangesOf(account: string): RowRange[] {
    const own = new Set(this.of(account))
    return this.#links.flatMap(({ firstRow, linkedAccount }, at) => {
      // Rows before the first link belong to its account, like in `accountOf`.
      const from = at === 0 ? 0 : firstRow
      return own.has(linkedAccount) ? [{ from, before: this.#links[at + 1]?.firstRow ?? null }] : []
    })
  }

  /** Rows from `nextRow` on belong to this profile's service, at an account that is unknown so far. */
  connected(place: ProfileLocation, nextRow: number): void {
    const current = this.#current()
    this.#connected = place
    if (current && current.account === null && isSame(current, place)) this.#places.set(keyOf(place), current.id)
    else this.#write(() => this.#waitAt(place, nextRow))
  }

  /** Assigns this row to `place`. Default: the place of the current connection. */
  opens(row: number, place: ProfileLocation | null = this.#connected): void {
    if (place === null) return
    const reported = this.#reported
    this.#reported = null
    if (reported && reported.place === this.#connected) this.belongs(reported.account, row)
    const to = this.#places.get(keyOf(place))
    if (to !== undefined && this.#links.at(-1)?.linkedAccount === to) return
    this.#write(() => {
      const linkedAccount = this.#accounts.get(to ?? 0)
      if (linkedAccount) this.#linkTo(linkedAccount, row)
      else this.#waitAt(place, row)
    })
  }

  /** Reports the account id of the current connection. It takes over the rows that waited at this place, or before any place was known. */
  belongs(account: string, nextRow: number): void {
    const place = this.#connected ?? this.#current()
    if (!place) return
    const known = this.#accounts.get(this.#places.get(keyOf(place)) ?? 0) ?? this.#current()
    if (!known || known.account === account) return
    const isWritten = this.#write(() => {
      const linkedAccount = this.#linkedAccount({ ...place, profile: '' }, account)
      if (known.account !== null) this.#linkTo(linkedAccount, nextRow)
      for (const waiting of [...this.#accounts.values()]) {
        const isSamePlace =
          isSame(waiting, place) || isSame(waiting, { ...place, profile: '' }) || waiting.baseUrl === ''
        if (waiting.account === null && isSamePlace) this.#moveTo(linkedAccount, waiting)
      }
      this.#places.set(keyOf(place), linkedAccount.id)
    })
    // The next row tries again.
    this.#reported = isWritten ? null : { account, place: this.#connected }
  }

  /** Gives all rows of the chosen accounts to this one. `baseUrl`: where they belong from now on. Default: where each of them was. */
  merge(account: string, from: (linkedAccount: LinkedAccount) => boolean, baseUrl?: string): void {
    const taken = [...this.#accounts.values()].filter((one) => one.account !== account && from(one))
    if (taken.length === 0) return
    this.#write(() => {
      for (const one of taken) {
        const linkedAccount = { id: one.id, baseUrl: baseUrl ?? one.baseUrl, profile: '', account }
        this.#accounts.set(one.id, linkedAccount)
        this.#tables.links.putAccount(linkedAccount)
      }
    })
  }

  #current(): LinkedAccount | null {
    return this.#accounts.get(this.#links.at(-1)?.linkedAccount ?? 0) ?? null
  }

  /**
   * Writes a link. Returns false when the disk is not writable. Rows then follow the previous link, because a connection must not fail for
   * this.
   */
  #write(work: () => void): boolean {
    const before = { accounts: new Map(this.#accounts), links: this.#links, places: new Map(this.#places) }
    try {
      this.#tables.transaction(() => {
        work()
        this.#tables.links.putLinks(this.#links)
      })
      return true
    } catch (thrown) {
      this.#accounts = before.accounts
      this.#links = before.links
      this.#places.clear()
      for (const [place, linkedAccount] of before.places) this.#places.set(place, linkedAccount)
      unexpected('The connected account could not be stored and will be retried', asStoreError(thrown))
      return false
    }
  }

  #linkedAccount({ baseUrl, profile }: ProfileLocation, account: string | null): LinkedAccount {
    for (const linkedAccount of this.#accounts.values()) {
      if (isSame(linkedAccount, { baseUrl, profile }) && linkedAccount.account === account) return linkedAccount
    }
    const linkedAccount = { id: Math.max(0, ...this.#accounts.keys()) + 1, baseUrl, profile, account }
    this.#accounts.set(linkedAccount.id, linkedAccount)
    this.#tables.links.putAccount(linkedAccount)
    return linkedAccount
  }

  /** Assigns rows from `row` on to this place's unnamed account. */
  #waitAt(place: ProfileLocation, row: number): void {
    const linkedAccount = this.#linkedAccount(place, null)
    this.#places.set(keyOf(place), linkedAccount.id)
    this.#linkTo(linkedAccount, row)
  }

  #linkTo({ id: linkedAccount }: LinkedAccount, firstRow: number): void {
    this.#links = joined([...this.#links.filter((link) => link.firstRow < firstRow), { firstRow, linkedAccount }])
  }

  #moveTo({ id: to }: LinkedAccount, { id: from }: LinkedAccount): void {
    this.#tables.used.move(from, to)
    this.#moved()
    this.#tables.links.dropAccount(from)
    this.#accounts.delete(from)
    this.#links = joined(
      this.#links.map((link) => (link.linkedAccount === from ? { ...link, linkedAccount: to } : link)),
    )
  }
}

const keyOf = ({ profile, baseUrl }: ProfileLocation): string => `${profile} ${baseUrl}`
const isSame = (one: ProfileLocation, other: ProfileLocation): boolean =>
  one.baseUrl === other.baseUrl && one.profile === other.profile

/** Drops links that repeat the previous link. */
const joined = (links: readonly AccountLink[]): AccountLink[] =>
  links.filter(({ linkedAccount }, at) => at === 0 || links[at - 1]?.linkedAccount !== linkedAccount)
