import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, text, textOrNull } from '../rows.ts'

/** An account at a base address, as a small number in rows that are many. */
export interface LinkedAccount {
  id: number
  /** Empty: of rows from before anything was known of it. */
  baseUrl: string
  /** Over which profile its rows went, until it is told whose they are. Empty once it is, and of rows from before there were profiles. */
  profile: string
  /** Whose books its rows belong to; null until that is told. */
  account: string | null
}

/** From this row on, up to the next link, requests go to this account. Connections change seldom, so that no row need say it. */
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
    /** All links anew: there is one for each change of the account, so they are few. The caller holds the transaction. */
    putLinks(all: readonly AccountLink[]): void {
      dropLinks.run()
      for (const { firstRow, linkedAccount } of all) putLink.run(firstRow, linkedAccount)
    },
  }
}
export type LinkTable = ReturnType<typeof linkTable>
