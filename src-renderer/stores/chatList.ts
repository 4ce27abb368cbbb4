import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

export type ListView = 'chats' | 'archived' | 'removed'

/** What a person is doing in the list; what it shows comes from the core. */
export interface ListStore {
  view: ListView
  /** Ids of folders that are folded. */
  closed: ReadonlySet<string>
  /** The line that the arrow keys start from; null: the open conversation's, else the first. */
  cursor: string | null
  /** Where a range of selected lines begins. */
  anchor: string | null
  /** Ids of conversations selected beside one another. */
  picked: ReadonlySet<string>
  /** The line whose name is being changed. */
  editing: string | null
  search: string
  /** Grows by one when the search field is to take the focus. */
  searchAsked: number
  /** What stands over the list: where to move what, or the name of a new folder for it. */
  dialog: { show: 'move' | 'folder'; ids: readonly string[] } | { show: 'prompts' } | null
  /** How many lists stand in the window (none while it is too narrow and the drawer is shut). */
  drawn: number
}

export const firstList: ListStore = {
  view: 'chats',
  closed: new Set(),
  cursor: null,
  anchor: null,
  picked: new Set(),
  editing: null,
  search: '',
  searchAsked: 0,
  dialog: null,
  drawn: 0,
}

export const listStore = createStore<ListStore>(() => firstList)
export const useList = <T>(select: (store: ListStore) => T): T => useStore(listStore, select)

/** Another list in the same place: what was selected belonged to the one before. */
export const withView = (view: ListView): Partial<ListStore> => ({
  view,
  cursor: null,
  anchor: null,
  picked: new Set(),
  editing: null,
  search: '',
})

/** Goes to a line and selects nothing beside it. */
export const withCursor = (key: string): Partial<ListStore> => ({ cursor: key, anchor: key, picked: new Set() })

/** Ctrl+click: in or out of the selection. The first time, the line where the cursor was comes along. */
export function withToggled(store: ListStore, id: string, beside: string | null): Partial<ListStore> {
  const picked = new Set(store.picked)
  if (picked.size === 0 && beside !== null && beside !== id) picked.add(beside)
  if (!picked.delete(id)) picked.add(id)
  return { picked, cursor: id, anchor: id }
}

export const withPicked = (ids: readonly string[], cursor: string): Partial<ListStore> => ({
  picked: new Set(ids),
  cursor,
})

export function withFold(store: ListStore, folderId: string, open: boolean): Partial<ListStore> {
  const closed = new Set(store.closed)
  if (open) closed.delete(folderId)
  else closed.add(folderId)
  return { closed }
}
