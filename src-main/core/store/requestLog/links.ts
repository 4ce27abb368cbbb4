import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, text, textOrNull } from '../rows.ts'

/** An account at a base address, with a small number for use in many rows. */
export interface LinkedAccount {
  id: number
  /** Empty for rows from before the base address was recorded. */
  baseUrl: string
  /** The profile that the rows were sent with, until their account is known. Empty after that, and for rows from before there were profiles. */
  profile: string
  /** Id of the account that the rows belong to; null until it is known. */
  account: string | null
}

/** Row ids of the request log, from `from` (included) to `before` (excluded; null: no end). */
export interface RowRange {
  from: number
  before: number | null
}

/** From this row on, up to the next link, requests go to this account. Connections rarely change, so no row needs to store its account. */
export interface AccountLink {
  firstRow: number
  linkedAccount: number
}

/** The read statements of `linkTable`. */
export function linkReader(handle: ReadHandle) {
  const accounts = handle.prepare('SELECT id, base_url, profile, book FROM accounts ORDER BY id')
  const links = handle.prepare('SELECT first_row, account FROM links ORDER BY first_row')

  return {
    accounts: (): LinkedAccount[] =>
      accounts.all().map((row) => ({
        id: number(row, 'id'),
        baseUrl: text(row, 'base_url'),
        profile: text(row, 'profile'),
        account: textOrNull(row, 'book'),
      })),
    links: (): AccountLink[] =>
      links.all().map((row) => ({ firstRow: number(row, 'first_row'), linkedAccount: number(row, 'account') })),
  }
}

export function linkTable({ handle }: Pick<Database, 'handle'>) {
  const putAccount = handle.prepare('INSERT OR REPLACE INTO accounts (id, base_url, profile, book) VALUES (?, ?, ?, ?)')
  const dropAccount = handle.prepare('DELETE FROM accounts WHERE id = ?')
  const dropLinks = handle.prepare('DELETE FROM links')
  const putLink = handle.prepare('INSERT INTO links (first_row, account) VALUES (?, ?)')

  return {
    ...linkReader(handle),
    putAccount: ({ id, baseUrl, profile, account }: LinkedAccount): void =>
      void putAccount.run(id, baseUrl, profile, account),
    dropAccount: (id: number): void => void dropAccount.run(id),
    /** Replaces all links. There is one for each change of the account, so they are few. The caller has opened the transaction. */
    putLinks(all: readonly AccountLink[]): void {
      dropLinks.run()
      for (const { firstRow, linkedAccount } of all) putLink.run(firstRow, linkedAccount)
    },
  }
}
export type LinkTable = ReturnType<typeof linkTable>
