import { setImmediate as nextTurn } from 'node:timers/promises'
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
export async function mergeLibrary(
  store: Store,
  library: LibraryFile,
  sync: SyncFile,
  { notes, now }: { notes: Notes; now: number },
): Promise<boolean> {
  const { folders, prompts, presets, pinnedFiles, erasures } = store
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
  const parts = { store, notes, latest: latestAt(now) }
  const changes = [
    await mergeItems(
      parts,
      'folder',
      { theirs: theirFolders, marks: sync.folders },
      {
        list: folders.rows,
        insert: folders.insert,
        save: (folder) => folders.update(folder.id, folder),
        remove: removeFolder,
      },
    ),
    await mergeItems(parts, 'prompt', { theirs: library.prompts, marks: sync.prompts }, prompts),
    await mergeItems(parts, 'preset', { theirs: library.presets, marks: sync.presets }, presets),
  ]
  return changes.includes(true)
}

interface Table<T extends Item> {
  list(): readonly T[]
  insert(item: T): void
  save(item: T): unknown
  remove(id: string): unknown
}

interface ItemContext {
  store: Store
  notes: Notes
  latest: number
}

/** Most items that are merged in one transaction. */
const itemsAtOnce = 200

async function mergeItems<T extends Item>(
  context: ItemContext,
  what: What,
  { theirs, marks }: { theirs: readonly T[]; marks: Readonly<Record<string, SyncMark>> },
  table: Table<T>,
): Promise<boolean> {
  const { syncMarks } = context.store
  const theirItems = new Map(theirs.map((item) => [item.id, item]))
  const ids = [...new Set([...theirItems.keys(), ...Object.keys(marks)])]
  let isChanged = false
  for (let from = 0; from < ids.length; from += itemsAtOnce) {
    const slice = ids.slice(from, from + itemsAtOnce)
    if (syncMarks.merging(() => mergeSlice(context, what, { ids: slice, theirItems, marks }, table))) isChanged = true
    await nextTurn()
  }
  return isChanged
}

function mergeSlice<T extends Item>(
  { store: { syncMarks }, notes, latest }: ItemContext,
  what: What,
  {
    ids,
    theirItems,
    marks,
  }: {
    ids: readonly string[]
    theirItems: ReadonlyMap<string, T>
    marks: Readonly<Record<string, SyncMark>>
  },
  table: Table<T>,
): boolean {
  const ourItems = new Map(table.list().map((item) => [item.id, item]))
  let isChanged = false
  let count = ourItems.size
  for (const id of ids) {
    const [own, other] = [ourItems.get(id), theirItems.get(id)]
    const ourMark = syncMarks.of(what, id).get('deleted') ?? defaultMark(own, latest)
    const theirMark = marks[id] ?? defaultMark(other, latest)
    if (!theirMark || !isNewer(theirMark, other, ourMark && { at: ourMark.at, value: contentOf(ourMark, own) }))
      continue
    const isHere = theirMark.value === null && other !== undefined
    // No file may have more, so a computer with more could not be read by the others.
    if (isHere && !own && count >= maxArchivedItems) {
      notes.add('sync.tooManyItems')
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
