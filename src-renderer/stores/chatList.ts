import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

export type ListView = 'chats' | 'archived' | 'removed'

/** The interaction state of the list. Its contents come from the core. */
export interface ListStore {
  view: ListView
  /** Ids of collapsed folders. */
  closed: ReadonlySet<string>
  /** The row where arrow keys start. Null: the row of the open chat, otherwise the first row. */
  cursor: string | null
  /** The first row of a range selection. */
  anchor: string | null
  /** Ids of the selected chats. */
  picked: ReadonlySet<string>
  /** The row whose name is being edited. */
  editing: string | null
  search: string
  /** Incremented to focus the search field. */
  searchAsked: number
  /** The open dialog: move chats, create a folder for chats, change a folder, or prompts. */
  dialog:
    | { show: 'move' | 'folder'; ids: readonly string[] }
    | { show: 'editFolder'; id: string }
    | { show: 'prompts' }
    | null
  /** The number of mounted lists: zero when the window is narrow and the drawer is closed. */
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

/** Switches the list and clears the selection, which belonged to the other list. */
export const withView = (view: ListView): Partial<ListStore> => ({
  view,
  cursor: null,
  anchor: null,
  picked: new Set(),
  editing: null,
  search: '',
})

/** Moves the cursor and clears the selection. */
export const withCursor = (key: string): Partial<ListStore> => ({ cursor: key, anchor: key, picked: new Set() })

/** Ctrl+click: toggles the selection of a chat. The first toggle also selects the chat at the cursor. */
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
