import { randomUUID } from 'node:crypto'
import type { ProfileLocation } from '../../ports/requests.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { AccountStore } from '../../store/account/open.ts'

/** Where a connection leads, as far as it can be told before anything was asked. */
export interface AccountLocation extends ProfileLocation {
  kind: StoredAccount['kind']
  name: string
}

type Books = AccountStore['books']

/**
 * The book of a connection whose account is not known yet, if there is one: that of the same profile. What is kept of an address from before
 * there were profiles, or of one that was forgotten, is the first one's that comes there.
 */
export function knownAt(books: Books, place: AccountLocation): StoredAccount | null {
  const own = books.at(place)
  if (own) return own
  const free = { profile: '', baseUrl: place.baseUrl }
  const left = books.at(free)
  if (!left || left.kind !== place.kind) return null
  books.leave(free)
  books.place(place, left)
  return left
}

/**
 * The same, or a new book. A sandbox's account ends with its process: `fresh` (another one than the last time) begins a new book and drops
 * the former.
 */
export function bookAt(
  { books, transaction }: AccountStore,
  place: AccountLocation,
  fresh: boolean,
  now: number,
): StoredAccount {
  return transaction(() => {
    if (place.kind === 'sandbox' && fresh) books.dropSandboxes()
    const known = knownAt(books, place)
    const { kind, baseUrl, name } = place
    const book = known ?? books.add({ id: randomUUID(), kind, baseUrl, name, userId: null, usedAt: now })
    if (known) books.used(known.no, now)
    else books.place(place, book)
    return book
  })
}

/** The book of an account that has said who it is; the profile leads there from now on. Call it in a transaction. */
export function bookOfUser(
  { books }: AccountStore,
  place: AccountLocation,
  book: StoredAccount,
  userId: string,
  now: number,
): StoredAccount {
  if (book.userId === userId) return book
  const known = books.of(book.baseUrl, userId)
  if (known) {
    books.used(known.no, now)
    books.place(place, known)
    books.dropUnused(book)
    return known
  }
  if (book.userId === null) {
    books.setUser(book.no, userId)
    return { ...book, userId }
  }
  const { kind, baseUrl } = book
  // Two accounts under one name would be one to a person.
  const name = `${book.name} (${userId.slice(0, 8)})`
  const added = books.add({ id: randomUUID(), kind, baseUrl, userId, name, usedAt: now })
  books.place(place, added)
  return added
}
