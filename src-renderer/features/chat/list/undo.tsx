import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { i18n } from '../../../i18n/index.ts'
import { showToast } from '../../../shared/toasts.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { appStore, withoutToast } from '../../../stores/app.ts'
import { listStore } from '../../../stores/chatList.ts'

/** How long the way back is offered, in ms. */
const undoFor = 10_000

interface Note {
  text: string
  undo: () => void
}
/** The conversations that the last note would bring back. */
let offered: readonly string[] = []
const noteStore = createStore<{ note: Note | null }>(() => ({ note: null }))

/**
 * Says what was done and offers the way back: in the list where one stands (it may be a drawer, and what lies outside of a drawer can't
 * be reached), else as a note over the window.
 */
export function offerUndo(text: string, undo: () => void, chats: readonly string[] = []): void {
  offered = chats
  if (listStore.getState().drawn > 0) noteStore.setState({ note: { text, undo } })
  else {
    const action = { label: i18n.t('library:undo'), onClick: undo }
    showToast({ id: 'undo', text, action })
  }
}

/** These conversations are gone for good: a note that offers one of them back, and names it, goes as well. */
export function withdrawUndo(chats: readonly string[]): void {
  if (!offered.some((id) => chats.includes(id))) return
  offered = []
  noteStore.setState({ note: null })
  appStore.setState(withoutToast(appStore.getState(), 'undo'))
}

/** Where the notes of `offerUndo` come up. */
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
