import { useEffect } from 'react'
import { keepWatching } from '../../../api/keepWatching.ts'
import { localStore } from '../../../shared/storage.ts'
import { useStudio } from '../../../shared/studioContext.ts'
import { listStore } from '../../../stores/chatList.ts'
import { libraryStore } from '../../../stores/library.ts'
import { offerListCommands } from './commands.ts'
import { FolderDialog, MoveDialog } from './MoveDialog.tsx'
import { PromptDialog } from './PromptDialog.tsx'
import { TransferDialog } from './TransferDialog.tsx'

/** Where folded folders are remembered. */
const foldedKey = 'list.folded'

/** Follows the library for the window, offers the list's commands, and holds its dialogs: they stand over every room. */
export function ListLive() {
  const studio = useStudio()
  useEffect(() => {
    const ended = new AbortController()
    void keepWatching(ended.signal, async (signal) => {
      for await (const library of await studio.library.watch(undefined, { signal })) {
        libraryStore.setState({ state: 'live', ...library })
      }
    })
    return () => ended.abort()
  }, [studio])
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
    </>
  )
}

function folded(): string[] {
  const kept = localStore.getJson(foldedKey)
  // Where it was not written by this program, all folders are open.
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []
}
