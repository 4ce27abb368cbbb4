import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { i18n } from '../../../i18n/index.ts'
import { showToast } from '../../../shared/toasts.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { appStore, withoutToast } from '../../../stores/app.ts'
import { listStore } from '../../../stores/chatList.ts'

/** Time for which undo is offered, ms. */
const undoFor = 10_000

interface Note {
  text: string
  undo: () => void
}
/** The chats that undo would restore. */
let offered: readonly string[] = []
const noteStore = createStore<{ note: Note | null }>(() => ({ note: null }))

/**
 * Reports an action and offers undo: inside the list when one is mounted (in a drawer, the page outside is inert), otherwise as a toast.
 */
export function offerUndo(text: string, undo: () => void, chats: readonly string[] = []): void {
  offered = chats
  if (listStore.getState().drawn > 0) noteStore.setState({ note: { text, undo } })
  else {
    const action = { label: i18n.t('library:undo'), onClick: undo }
    showToast({ id: 'undo', text, action })
  }
}

/** Removes an undo note that would restore one of these permanently deleted chats, or shows its name. */
export function withdrawUndo(chats: readonly string[]): void {
  if (!offered.some((id) => chats.includes(id))) return
  offered = []
  noteStore.setState({ note: null })
  appStore.setState(withoutToast(appStore.getState(), 'undo'))
}

/** Shows the notes of `offerUndo`. */
export function UndoNote() {
  const { t } = useTranslation('library')
  const note = useStore(noteStore, (store) => store.note)
  useEffect(() => {
    if (!note) return
    const timer = setTimeout(() => noteStore.setState({ note: null }), undoFor)
    return () => clearTimeout(timer)
  }, [note])
  const undo = () => {
    noteStore.setState({ note: null })
    note?.undo()
  }
  return (
    <div role="status" className="list-note-place">
      {note && (
        <div className="list-note">
          <span>{note.text}</span>
          <Button size="small" onClick={undo}>
            {t('undo')}
          </Button>
        </div>
      )}
    </div>
  )
}
