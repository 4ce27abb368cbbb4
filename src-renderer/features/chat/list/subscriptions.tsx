import { useEffect } from 'react'
import { subscribe } from '../../../api/watch.ts'
import { localStore } from '../../../shared/storage.ts'
import { useStudio } from '../../../shared/studioContext.ts'
import { listStore } from '../../../stores/chatList.ts'
import { libraryStore } from '../../../stores/library.ts'
import { ExportDialog } from '../export/ExportDialog.tsx'
import { offerListCommands } from './commands.ts'
import { FolderDialog, MoveDialog } from './MoveDialog.tsx'
import { PromptDialog } from './PromptDialog.tsx'
import { TransferDialog } from './TransferDialog.tsx'

/** Storage key of the ids of collapsed folders. */
const foldedKey = 'list.folded'

/** Follows the library, registers the list's commands, and contains its dialogs, for every page. */
export function LibrarySubscriptions() {
  const studio = useStudio()
  useEffect(
    () =>
      subscribe(
        studio,
        (signal) => studio.library.watch(undefined, { signal }),
        (library) => libraryStore.setState({ state: 'live', ...library }),
      ),
    [studio],
  )
  useEffect(() => offerListCommands(), [])
  useEffect(() => {
    listStore.setState({ closed: new Set(folded()) })
    return listStore.subscribe(({ closed }, before) => {
      if (closed !== before.closed) localStore.setJson(foldedKey, [...closed])
    })
  }, [])
  return (
    <>
      <MoveDialog />
      <FolderDialog />
      <PromptDialog />
      <TransferDialog />
      <ExportDialog />
    </>
  )
}

function folded(): string[] {
  const kept = localStore.getJson(foldedKey)
  // Invalid data: all folders are open.
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []
}
