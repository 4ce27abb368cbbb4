import type { StoredFolder } from '../../../store/folders.ts'
import type { Store } from '../../../store/store.ts'
import type { SyncMark } from '../../../store/syncMarks.ts'
import type { LibraryFile } from '../format.ts'
import { type SyncFile, timeOf, wins } from './format.ts'

type What = 'folder' | 'prompt' | 'preset'

interface Item {
  id: string
  createdAt?: string
  updatedAt?: string
}

/** Merges folders, prompts and presets as whole items: the newest change or deletion wins. Returns whether anything changed. */
export function mergeLibrary(store: Store, library: LibraryFile, sync: SyncFile): boolean {
  const { folders, prompts, presets, pinnedFiles, erasures, syncMarks } = store
  /** The pinned files of a deleted folder are deleted too, unless something else refers to them. */
  const removeFolder = (id: string): boolean => {
    erasures.plan(
      'media',
      pinnedFiles.entries(id).map(({ mediaId }) => mediaId),
    )
    return folders.remove(id)
  }
  // Pinned files are merged one by one; see `mergePinnedFiles`.
  const theirFolders = library.folders.map(({ files: _, ...folder }): StoredFolder => folder)
  return syncMarks.merging(() => {
    const changes = [
      mergeItems(
        store,
        'folder',
        { ours: folders.rows(), theirs: theirFolders, marks: sync.folders },
        {
          insert: folders.insert,
          save: (folder) => folders.update(folder.id, folder),
          remove: removeFolder,
        },
      ),
      mergeItems(store, 'prompt', { ours: prompts.list(), theirs: library.prompts, marks: sync.prompts }, prompts),
      mergeItems(store, 'preset', { ours: presets.list(), theirs: library.presets, marks: sync.presets }, presets),
    ]
    return changes.includes(true)
  })
}

function mergeItems<T extends Item>(
  { syncMarks }: Store,
  what: What,
  { ours, theirs, marks }: { ours: readonly T[]; theirs: readonly T[]; marks: Readonly<Record<string, SyncMark>> },
  table: { insert(item: T): void; save(item: T): unknown; remove(id: string): unknown },
): boolean {
  const ourMarks = syncMarks.items(what)
  const ourItems = new Map(ours.map((item) => [item.id, item]))
  const theirItems = new Map(theirs.map((item) => [item.id, item]))
  let isChanged = false
  for (const id of new Set([...theirItems.keys(), ...Object.keys(marks)])) {
    const [own, other] = [ourItems.get(id), theirItems.get(id)]
    const ourMark = ourMarks.get(id) ?? defaultMark(own)
    const theirMark = marks[id] ?? defaultMark(other)
    if (!theirMark) continue
    if (
      ourMark &&
      !wins(
        { at: theirMark.at, value: contentOf(theirMark, other) },
        { at: ourMark.at, value: contentOf(ourMark, own) },
      )
    )
      continue
    syncMarks.set(what, id, 'deleted', theirMark)
    const isHere = theirMark.value === null && other !== undefined
    if (!isHere && !own) continue
    if (!isHere) table.remove(id)
    else if (own) table.save(other)
    else table.insert(other)
    isChanged ||= JSON.stringify(own) !== JSON.stringify(other)
  }
  return isChanged
}

const defaultMark = (item: Item | undefined): SyncMark | undefined => {
  const at = item?.updatedAt ?? item?.createdAt
  return at === undefined ? undefined : { at: timeOf(at), value: null }
}

/** The value that decides between two changes of the same time. A deletion has the greatest value, so that every computer decides the same. */
const contentOf = (mark: SyncMark, item: Item | undefined): string | null =>
  mark.value === '1' ? '\uffff' : item ? JSON.stringify(item) : null
