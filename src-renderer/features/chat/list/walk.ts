import { type RefObject, useLayoutEffect, useMemo, useRef } from 'react'
import type { VListHandle } from 'virtua'
import { isComposing } from '../../../shared/isComposing.ts'
import { isMac } from '../../../shared/ui/platform.ts'
import { listStore, withCursor, withFold, withPicked, withToggled } from '../../../stores/chatList.ts'
import { chatsBetween, type ListRow, lineAfter } from '../../../stores/chatListRows.ts'
import { removeChats, removeFolder, showChat, showProject } from './actions.ts'
import { followDrag } from './drag.ts'
import type { MenuAt } from './ItemMenu.tsx'

interface Walked {
  rows: readonly ListRow[]
  /** The row where arrow keys start. */
  at: number
  box: RefObject<HTMLElement | null>
  handle: RefObject<VListHandle | null>
  searchField: RefObject<HTMLInputElement | null>
  openMenu: (menu: MenuAt) => void
}

/** Handles keys, clicks and drags of all rows with one set of listeners. */
export function useWalk(given: Walked) {
  const now = useRef(given)
  const focusWanted = useRef(false)
  /** The focused row. It stays mounted until another row has the focus, because otherwise key presses would be lost. */
  const held = useRef<string | null>(null)
  useLayoutEffect(() => {
    now.current = given
    if (!focusWanted.current) return
    focusWanted.current = false
    focusLine(() => now.current)
  })
  const walk = useMemo(() => {
    const goTo = (at: number | null, select: 'alone' | 'range' = 'alone'): void => {
      const { rows, handle } = now.current
      const row = at === null ? undefined : rows[at]
      if (at === null || !row) return
      handle.current?.scrollToIndex(at, { align: 'nearest' })
      focusWanted.current = true
      if (select === 'alone') listStore.setState(withCursor(row.key))
      else extendTo(row.key)
    }
    const extendTo = (key: string): void => {
      const { rows, at } = now.current
      const anchor = listStore.getState().anchor ?? rows[at]?.key ?? key
      listStore.setState({ ...withPicked(chatsBetween(rows, anchor, key), key), anchor })
    }
    return {
      /** Returns the focus to the row after renaming. */
      editEnded: (): void => {
        focusWanted.current = true
        listStore.setState({ editing: null })
      },
      follow(box: HTMLElement): () => void {
        const ended = new AbortController()
        const { signal } = ended
        box.addEventListener('click', (event) => onClick(event, now.current, extendTo), { signal })
        let byPointer = false
        box.addEventListener('pointerdown', () => (byPointer = true), { signal })
        box.addEventListener(
          'focusin',
          (event) => {
            held.current = lineOf(event, now.current.rows)?.row.key ?? null
            // A click handles the selection itself.
            if (!byPointer) onFocus(held.current)
            byPointer = false
          },
          { signal },
        )
        box.addEventListener('contextmenu', (event) => onMenu(event, now.current), { signal })
        box.addEventListener('keydown', (event) => onKey(event, now.current, goTo), { signal })
        followDrag(box, () => now.current.rows, signal)
        return () => ended.abort()
      },
    }
  }, [])
  const heldAt = held.current === null ? -1 : given.rows.findIndex(({ key }) => key === held.current)
  return { walk, drawn: [...new Set([given.at, heldAt])].filter((at) => at >= 0) }
}

/** A distant row renders at once, but can be focused only after the list has measured it, a frame or two later. */
function focusLine(now: () => Walked, tries = 20): void {
  const { rows, at, box } = now()
  const key = rows[at]?.key
  if (key === undefined) return
  const line = box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] .chat-row-open`)
  line?.focus({ preventScroll: true })
  if (tries > 0 && (!line || document.activeElement !== line)) requestAnimationFrame(() => focusLine(now, tries - 1))
}

/** The row that an event belongs to. */
function lineOf(event: Event, rows: readonly ListRow[]): { row: ListRow; element: HTMLElement } | null {
  const element = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-key]') : null
  const row = rows.find(({ key }) => key === element?.dataset.key)
  return element && row ? { row, element } : null
}

const aboutOf = (row: ListRow): MenuAt['about'] | null => {
  if (row.row === 'folder') return { folder: row.key }
  if (row.row === 'heading') return null
  return { chats: meant(row) }
}

function onClick(event: MouseEvent, { rows, at, openMenu }: Walked, extendTo: (key: string) => void): void {
  const line = lineOf(event, rows)
  if (!line || !(event.target instanceof Element)) return
  const { row } = line
  const more = event.target.closest<HTMLElement>('.chat-row-more')
  if (more) {
    const about = aboutOf(row)
    const { left, bottom } = more.getBoundingClientRect()
    if (about) openMenu({ about, x: left, y: bottom, from: more })
    return
  }
  if (!event.target.closest('.chat-row-open')) return
  if (row.row === 'folder') {
    listStore.setState(withCursor(row.key))
    if (event.target.closest('.list-fold')) listStore.setState((store) => withFold(store, row.key, !row.open))
    else showProject(row.key)
  } else if (row.row === 'chat') {
    if (event.shiftKey) extendTo(row.key)
    else if (isMac ? event.metaKey : event.ctrlKey) {
      const from = rows[at]
      listStore.setState((store) => withToggled(store, row.key, from?.row === 'chat' ? from.key : null))
    } else {
      listStore.setState(withCursor(row.key))
      showChat(row.key)
    }
  }
}

/** Arrow keys start at the focused row. */
function onFocus(key: string | null): void {
  const { cursor, anchor, picked } = listStore.getState()
  if (key !== null && key !== cursor) listStore.setState({ cursor: key, anchor: picked.size > 0 ? anchor : key })
}

/** Right click, the menu key, or Shift+F10. Keys have no pointer position. */
function onMenu(event: MouseEvent, { rows, openMenu }: Walked): void {
  const line = lineOf(event, rows)
  const about = line && aboutOf(line.row)
  if (!line || !about || (event.target instanceof Element && event.target.closest('input'))) return
  event.preventDefault()
  const byKeys = event.clientX === 0 && event.clientY === 0
  const { left, bottom } = line.element.getBoundingClientRect()
  listStore.setState({ cursor: line.row.key })
  openMenu({
    about,
    x: byKeys ? left + 24 : event.clientX,
    y: byKeys ? bottom : event.clientY,
    from: line.element.querySelector<HTMLElement>('.chat-row-open'),
  })
}

type GoTo = (at: number | null, select?: 'alone' | 'range') => void

/** Rows per PageUp and PageDown. */
const page = 10

function onKey(event: KeyboardEvent, walked: Walked, goTo: GoTo): void {
  const line = lineOf(event, walked.rows)
  if (!line || isComposing(event) || (event.target instanceof Element && event.target.closest('input'))) return
  if (walkBy(event, line.row, walked, goTo) || actOn(event, line.row, walked)) {
    event.preventDefault()
    event.stopPropagation()
  }
}

function walkBy(event: KeyboardEvent, row: ListRow, { rows, at }: Walked, goTo: GoTo): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    return !event.shiftKey && foldBy(event.key, row, rows, goTo)
  }
  const goal = goalOf(event.key, rows, at)
  if (goal === undefined) return false
  goTo(goal, event.shiftKey ? 'range' : 'alone')
  return true
}

/** The row that a key moves to. Null: none. Undefined: the key does not move. */
function goalOf(key: string, rows: readonly ListRow[], at: number): number | null | undefined {
  const far = (step: 1 | -1): number | null => {
    let found: number | null = null
    for (let n = 0, next = lineAfter(rows, at, step); n < page && next !== null; n++) {
      found = next
      next = lineAfter(rows, next, step)
    }
    return found
  }
  switch (key) {
    case 'ArrowDown':
      return lineAfter(rows, at, 1)
    case 'ArrowUp':
      return lineAfter(rows, at, -1)
    case 'PageDown':
      return far(1)
    case 'PageUp':
      return far(-1)
    case 'Home':
      return lineAfter(rows, -1, 1)
    case 'End':
      return lineAfter(rows, rows.length, -1)
    default:
      return undefined
  }
}

/** The inward arrow opens a folder. The outward arrow closes it, or moves from a chat to its folder. */
function foldBy(key: 'ArrowLeft' | 'ArrowRight', row: ListRow, rows: readonly ListRow[], goTo: GoTo): boolean {
  const inwards = (key === 'ArrowRight') !== (document.documentElement.dir === 'rtl')
  if (row.row === 'folder') listStore.setState((store) => withFold(store, row.key, inwards))
  else if (row.row === 'chat' && row.level === 2 && !inwards) {
    goTo(rows.findIndex((other) => other.row === 'folder' && other.key === row.conversation.folderId))
  } else return false
  return true
}

/** The selection that includes this row, or the row alone. */
function meant(row: ListRow): string[] {
  const { picked } = listStore.getState()
  return picked.size > 1 && picked.has(row.key) ? [...picked] : [row.key]
}

function actOn(event: KeyboardEvent, row: ListRow, { searchField }: Walked): boolean {
  const { key } = event
  if (event.ctrlKey || event.metaKey || event.altKey) {
    if (key !== ' ' || event.altKey || row.row !== 'chat') return false
    listStore.setState((store) => withToggled(store, row.key, null))
    return true
  }
  if (key === 'F2') listStore.setState({ editing: row.key })
  else if (key === 'Delete' || (isMac && key === 'Backspace')) {
    if (row.row === 'folder') void removeFolder(row.key)
    else void removeChats(meant(row))
  } else if (key === 'Escape' && listStore.getState().picked.size > 0) listStore.setState({ picked: new Set() })
  else {
    // Typing starts a search: the field has the focus before the letter arrives.
    if (key.length === 1 && key !== ' ' && key !== '?') searchField.current?.focus()
    return false
  }
  return true
}
