import type { StoredFolder } from '../../../store/folders.ts'
import type { Store } from '../../../store/store.ts'
import type { SyncMark } from '../../../store/syncMarks.ts'
import { type LibraryFile, maxArchivedItems } from '../format.ts'
import type { Notes } from '../importNotes.ts'
import { latestAt, type SyncFile, timeOf, wins } from './format.ts'

type What = 'folder' | 'prompt' | 'preset'

interface Item {
  id: string
  createdAt?: string
  updatedAt?: string
}

/** Merges folders, prompts and presets as whole items: the newest change or deletion wins. Returns whether anything changed. */
export function mergeLibrary(
  store: Store,
  library: LibraryFile,
  sync: SyncFile,
  { notes, now }: { notes: Notes; now: number },
): boolean {
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
    const parts = { store, notes, latest: latestAt(now) }
    const changes = [
      mergeItems(
        parts,
        'folder',
        { ours: folders.rows(), theirs: theirFolders, marks: sync.folders },
        {
          insert: folders.insert,
          save: (folder) => folders.update(folder.id, folder),
          remove: removeFolder,
        },
      ),
      mergeItems(parts, 'prompt', { ours: prompts.list(), theirs: library.prompts, marks: sync.prompts }, prompts),
      mergeItems(parts, 'preset', { ours: presets.list(), theirs: library.presets, marks: sync.presets }, presets),
    ]
    return changes.includes(true)
  })
}

function mergeItems<T extends Item>(
  { store: { syncMarks }, notes, latest }: { store: Store; notes: Notes; latest: number },
  what: What,
  { ours, theirs, marks }: { ours: readonly T[]; theirs: readonly T[]; marks: Readonly<Record<string, SyncMark>> },
  table: { insert(item: T): void; save(item: T): unknown; remove(id: string): unknown },
): boolean {
  const ourMarks = syncMarks.items(what)
  const ourItems = new Map(ours.map((item) => [item.id, item]))
  const theirItems = new Map(theirs.map((item) => [item.id, item]))
  let isChanged = false
  let count = ourItems.size
  for (const id of new Set([...theirItems.keys(), ...Object.keys(marks)])) {
    const [own, other] = [ourItems.get(id), theirItems.get(id)]
    const ourMark = ourMarks.get(id) ?? defaultMark(own, latest)
    const theirMark = marks[id] ?? defaultMark(other, latest)
    if (!theirMark || !isNewer(theirMark, other, ourMark && { at: ourMark.at, value: contentOf(ourMark, own) }))
      continue
    const isHere = theirMark.value === null && other !== undefined
    // No file may have more, so a computer with more could not be read by the others.
    if (isHere && !own && count >= maxArchivedItems) {
      notes.add('# projects, prompts or presets were left out, because there are too many.')
      continue
    }
    syncMarks.set(what, id, 'deleted', theirMark)
    if (!isHere && !own) continue
    count += Number(isHere) - Number(own !== undefined)
    if (!isHere) table.remove(id)
    else if (own) table.save(other)
    else table.insert(other)
    isChanged ||= JSON.stringify(own) !== JSON.stringify(other)
  }
  return isChanged
}

/** Whether their change replaces ours. A change of an item that the file does not have, or whose item can't be read, says nothing. */
function isNewer(mark: SyncMark, item: Item | undefined, ours: SyncMark | undefined): boolean {
  if (mark.value === null && !item) return false
  return !ours || wins({ at: mark.at, value: contentOf(mark, item) }, ours)
}

const defaultMark = (item: Item | undefined, latest: number): SyncMark | undefined => {
  const at = item?.updatedAt ?? item?.createdAt
  return at === undefined ? undefined : { at: timeOf(at, latest), value: null }
}

/** The value that decides between two changes of the same time. A deletion has the greatest value, so that every computer decides the same. */
const contentOf = (mark: SyncMark, item: Item | undefined): string | null =>
  mark.value === '1' ? '\uffff' : item ? JSON.stringify(item) : null
