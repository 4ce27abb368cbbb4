import type { ProfileLocation } from '../ports/requests.ts'
import { unexpected } from '../shared/unexpected.ts'
import { asStoreError } from '../store/database.ts'
import type { UsedTable } from '../store/requestLog/dailyUsage.ts'
import type { AccountLink, LinkedAccount, LinkTable } from '../store/requestLog/links.ts'

interface Parts {
  store: Tables
  /** Sums went from one account to another. */
  moved(): void
}

interface Tables {
  links: LinkTable
  used: UsedTable
  transaction<T>(work: () => T): T
}

/**
 * Which account each row's request went to. A connection is opened before anybody knows whose key it is: its rows wait at an account
 * without a book, of the same profile and base address, and all that waits there goes to the next book that is told there. What a former
 * connection still asks for (the file of a reply) goes where the rest of it went.
 */
export class AccountLinks {
  readonly #tables: Tables
  readonly #moved: Parts['moved']
  #accounts = new Map<number, LinkedAccount>()
  #links: readonly AccountLink[] = []
  /** Where rows of each profile go, as far as it was connected since the start. */
  readonly #places = new Map<string, number>()
  #connected: ProfileLocation | null = null
  /** Whose account is connected, where that could not be written. */
  #told: { book: string; place: ProfileLocation | null } | null = null

  constructor({ store, moved }: Parts) {
    this.#tables = store
    this.#moved = moved
    this.#accounts = new Map(store.links.accounts().map((account) => [account.id, account]))
    this.#links = store.links.links()
  }

  /** The account of a row; nearly always the newest. */
  accountOf(row: number): number {
    for (let at = this.#links.length - 1; at >= 0; at -= 1) {
      const link = this.#links[at]
      if (link && link.firstRow <= row) return link.account
    }
    return this.#links[0]?.account ?? 0
  }

  /** The book that a row belongs to; null where whose it is was not told yet. */
  bookOf(row: number): string | null {
    return this.#accounts.get(this.accountOf(row))?.book ?? null
  }

  /** The accounts whose rows belong to this book: one for each base address. */
  of(book: string): number[] {
    return [...this.#accounts.values()].filter((account) => account.book === book).map(({ id }) => id)
  }

  /** Rows from `nextRow` on go to this profile's service, to an account yet unknown. */
  connected(place: ProfileLocation, nextRow: number): void {
    const current = this.#current()
    this.#connected = place
    if (current && current.book === null && isSame(current, place)) this.#places.set(keyOf(place), current.id)
    else this.#write(() => this.#waitAt(place, nextRow))
  }

  /** This row goes over that profile, whatever is connected now; without one, over what is. */
  opens(row: number, place: ProfileLocation | null = this.#connected): void {
    if (place === null) return
    const told = this.#told
    this.#told = null
    if (told && told.place === this.#connected) this.belongs(told.book, row)
    const to = this.#places.get(keyOf(place))
    if (to !== undefined && this.#links.at(-1)?.account === to) return
    this.#write(() => {
      const account = this.#accounts.get(to ?? 0)
      if (account) this.#linkTo(account, row)
      else this.#waitAt(place, row)
    })
  }

  /** What is connected now is the account of this book. With it go the rows that waited at its place, or before any was known. */
  belongs(book: string, nextRow: number): void {
    const place = this.#connected ?? this.#current()
    if (!place) return
    const known = this.#accounts.get(this.#places.get(keyOf(place)) ?? 0) ?? this.#current()
    if (!known || known.book === book) return
    const isWritten = this.#write(() => {
      const account = this.#account({ ...place, profile: '' }, book)
      if (known.book !== null) this.#linkTo(account, nextRow)
      for (const waiting of [...this.#accounts.values()]) {
        const here = isSame(waiting, place) || isSame(waiting, { ...place, profile: '' }) || waiting.baseUrl === ''
        if (waiting.book === null && here) this.#moveTo(account, waiting)
      }
      this.#places.set(keyOf(place), account.id)
    })
    // The next row tries again.
    this.#told = isWritten ? null : { book, place: this.#connected }
  }

  #current(): LinkedAccount | null {
    return this.#accounts.get(this.#links.at(-1)?.account ?? 0) ?? null
  }

  /** Where the disk takes nothing, rows go where they went before: that is worth no failure of a connection. Whether it was written. */
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
      for (const [place, account] of before.places) this.#places.set(place, account)
      unexpected('Whose account is connected could not be kept; it is tried again', asStoreError(thrown))
      return false
    }
  }

  #account({ baseUrl, profile }: ProfileLocation, book: string | null): LinkedAccount {
    for (const account of this.#accounts.values()) {
      if (isSame(account, { baseUrl, profile }) && account.book === book) return account
    }
    const account = { id: Math.max(0, ...this.#accounts.keys()) + 1, baseUrl, profile, book }
    this.#accounts.set(account.id, account)
    this.#tables.links.putAccount(account)
    return account
  }

  /** From that row on, at this place's account of which nobody knows whose it is. */
  #waitAt(place: ProfileLocation, row: number): void {
    const account = this.#account(place, null)
    this.#places.set(keyOf(place), account.id)
    this.#linkTo(account, row)
  }

  #linkTo({ id: account }: LinkedAccount, firstRow: number): void {
    this.#links = joined([...this.#links.filter((link) => link.firstRow < firstRow), { firstRow, account }])
  }

  #moveTo({ id: to }: LinkedAccount, { id: from }: LinkedAccount): void {
    this.#tables.used.move(from, to)
    this.#moved()
    this.#tables.links.dropAccount(from)
    this.#accounts.delete(from)
    this.#links = joined(this.#links.map((link) => (link.account === from ? { ...link, account: to } : link)))
  }
}

const keyOf = ({ profile, baseUrl }: ProfileLocation): string => `${profile} ${baseUrl}`
const isSame = (one: ProfileLocation, other: ProfileLocation): boolean =>
  one.baseUrl === other.baseUrl && one.profile === other.profile

/** Without links that say what the one before said. */
const joined = (links: readonly AccountLink[]): AccountLink[] =>
  links.filter(({ account }, at) => at === 0 || links[at - 1]?.account !== account)
