import { listStore } from '../../../stores/chatList.ts'
import type { ListRow } from '../../../stores/chatListRows.ts'
import { moveChats } from './actions.ts'

/** The drag type of chats, for this program only. */
const kind = 'application/x-inference-studio-chats'

/** Lets chats be dragged onto a folder, or onto a row outside of folders. */
export function followDrag(box: HTMLElement, rows: () => readonly ListRow[], signal: AbortSignal): void {
  let dragged: readonly string[] = []
  let over: HTMLElement | null = null
  const mark = (element: HTMLElement | null): void => {
    if (over === element) return
    over?.removeAttribute('data-drop')
    over = element
    over?.setAttribute('data-drop', 'true')
  }
  const targetOf = (event: DragEvent): { element: HTMLElement; folderId: string | null } | null => {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-folder]') : null
    const folderId = element?.dataset.folder ?? ''
    return element && { element, folderId: folderId === '' ? null : folderId }
  }
  box.addEventListener(
    'dragstart',
    (event) => {
      const element = event.target instanceof Element ? event.target.closest<HTMLElement>('.chat-row') : null
      const row = rows().find(({ key }) => key === element?.dataset.key)
      if (row?.row !== 'chat' || !event.dataTransfer) return
      const { picked } = listStore.getState()
      dragged = picked.has(row.key) ? [...picked] : [row.key]
      event.dataTransfer.setData(kind, '')
      event.dataTransfer.effectAllowed = 'move'
    },
    { signal },
  )
  box.addEventListener(
    'dragover',
    (event) => {
      if (!event.dataTransfer?.types.includes(kind)) return
      const target = targetOf(event)
      mark(target?.element ?? null)
      if (!target) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
    },
    { signal },
  )
  box.addEventListener(
    'drop',
    (event) => {
      const target = targetOf(event)
      mark(null)
      if (!target || !event.dataTransfer?.types.includes(kind)) return
      event.preventDefault()
      void moveChats(dragged, target.folderId)
    },
    { signal },
  )
  box.addEventListener('dragend', () => mark(null), { signal })
  box.addEventListener('dragleave', (event) => event.target === box && mark(null), { signal })
}
