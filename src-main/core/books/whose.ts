import { randomUUID } from 'node:crypto'
import type { StoredBook } from '../store/account/books.ts'
import type { AccountStore } from '../store/account/open.ts'

/** Where a connection leads, as far as it can be told before anything was asked. */
export interface Place {
  kind: StoredBook['kind']
  baseUrl: string
  name: string
}

/**
 * The book of a connection whose account is not known yet: the one used last there. A sandbox's account ends with its process: `fresh`
 * (another one than the last time) begins a new book and drops the former.
 */
export function bookAt({ books, transaction }: AccountStore, place: Place, fresh: boolean, now: number): StoredBook {
  return transaction(() => {
    if (place.kind === 'sandbox' && fresh) books.dropSandboxes()
    const known = books.lastAt(place.baseUrl, place.kind)
    if (!known) return books.add({ ...place, id: randomUUID(), userId: null, usedAt: now })
    books.used(known.no, now)
    return known
  })
}

/** The book of an account that has said who it is. Call it in a transaction. */
export function bookOfUser({ books }: AccountStore, book: StoredBook, userId: string, now: number): StoredBook {
  if (book.userId === userId) return book
  const known = books.of(book.baseUrl, userId)
  if (known) {
    books.used(known.no, now)
    return known
  }
  if (book.userId === null) {
    books.setUser(book.no, userId)
    return { ...book, userId }
  }
  const { kind, baseUrl } = book
  // Two accounts under one name would be one to a person.
  const name = `${book.name} (${userId.slice(0, 8)})`
  return books.add({ id: randomUUID(), kind, baseUrl, userId, name, usedAt: now })
}
