import { asStudioError } from '../errors.ts'
import { asStoreError } from '../store/database.ts'
import type { Link, LinkedAccount, LinkTable } from '../store/ledger/links.ts'
import type { UsedTable } from '../store/ledger/use.ts'

interface Parts {
  store: Tables
  /** Sums went from one account to another. */
  moved(): void
  log(level: 'error', line: string): void
}

interface Tables {
  links: LinkTable
  used: UsedTable
  transaction<T>(work: () => T): T
}

/**
 * Which account each row's request went to. A connection is opened before anybody knows whose key it is: its rows wait at an account
 * without a book, of the same base address, and all that waits there goes to the next book that is told there.
 */
export class Links {
  readonly #tables: Tables
  readonly #moved: Parts['moved']
  readonly #log: Parts['log']
  #accounts = new Map<number, LinkedAccount>()
  #links: readonly Link[] = []

  constructor({ store, moved, log }: Parts) {
    this.#tables = store
    this.#moved = moved
    this.#log = log
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

  /** The accounts whose rows belong to this book: one for each base address. */
  of(book: string): number[] {
    return [...this.#accounts.values()].filter((account) => account.book === book).map(({ id }) => id)
  }

  /** Rows from `nextRow` on go to this service, to an account yet unknown. */
  connected(baseUrl: string, nextRow: number): void {
    const current = this.#current()
    if (current && current.baseUrl === baseUrl && current.book === null) return
    this.#write(() => this.#linkTo(this.#account(baseUrl, null), nextRow))
  }

  /** What is connected now is the account of this book. With it go the rows that waited at its base address, or before any was known. */
  belongs(book: string, nextRow: number): void {
    const current = this.#current()
    if (!current || current.book === book) return
    this.#write(() => {
      const account = this.#account(current.baseUrl, book)
      if (current.book !== null) this.#linkTo(account, nextRow)
      for (const waiting of [...this.#accounts.values()]) {
        const here = waiting.baseUrl === current.baseUrl || waiting.baseUrl === ''
        if (waiting.book === null && here) this.#moveTo(account, waiting)
      }
    })
  }

  #current(): LinkedAccount | null {
    return this.#accounts.get(this.#links.at(-1)?.account ?? 0) ?? null
  }

  /** Where the disk takes nothing, rows go where they went before: that is worth no failure of a connection. */
  #write(work: () => void): void {
    const before = { accounts: new Map(this.#accounts), links: this.#links }
    try {
      this.#tables.transaction(() => {
        work()
        this.#tables.links.putLinks(this.#links)
      })
    } catch (thrown) {
      this.#accounts = before.accounts
      this.#links = before.links
      const { message } = asStudioError(asStoreError(thrown))
      this.#log('error', `Whose account is connected could not be kept: ${message}`)
    }
  }

  #account(baseUrl: string, book: string | null): LinkedAccount {
    for (const account of this.#accounts.values()) {
      if (account.baseUrl === baseUrl && account.book === book) return account
    }
    const account = { id: Math.max(0, ...this.#accounts.keys()) + 1, baseUrl, book }
    this.#accounts.set(account.id, account)
    this.#tables.links.putAccount(account)
    return account
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

/** Without links that say what the one before said. */
const joined = (links: readonly Link[]): Link[] =>
  links.filter(({ account }, at) => at === 0 || links[at - 1]?.account !== account)
