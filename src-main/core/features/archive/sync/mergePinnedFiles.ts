import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PinnedFileEntry } from '../../../store/pinnedFiles.ts'
import type { SyncMark } from '../../../store/syncMarks.ts'
import type { ArchiveDependencies } from '../dependencies.ts'
import { type ArchivedFile, maxArchivedFiles } from '../format.ts'
import type { Notes } from '../importNotes.ts'
import type { OpenArchive } from '../nativeArchive.ts'
import { Staging } from '../staging.ts'
import { latestAt, type SyncFile, timeOf, wins } from './format.ts'

/** Most removals that are stored in one transaction. */
const removalsAtOnce = 200

/** A pinned file in the archive of another computer: absent there, or with its change. */
interface TheirFile {
  folderId: string
  sha256: string
  mark: SyncMark
  file: ArchivedFile | undefined
}

/**
 * Merges the pinned files of folders, one by one: the newest addition, renaming or removal wins. A file is recognized by its content,
 * because it may have another id on each computer. Call after the folders are merged. Returns whether anything changed.
 */
export async function mergePinnedFiles(
  parts: ArchiveDependencies,
  archive: OpenArchive,
  { sync, notes, now, check }: { sync: SyncFile; notes: Notes; now: number; check(): void },
): Promise<boolean> {
  const latest = latestAt(now)
  const { documents, folders, erasures, pinnedFiles, syncMarks } = parts.store
  let isChanged = false

  let removals: TheirFile[] = []

  /** The other computer's change, if it replaces ours. */
  function decide({ folderId, sha256, mark, file }: TheirFile, entries = pinnedFiles.entries(folderId)) {
    const own = entries.find((one) => one.sha256 === sha256)
    const ours = ownMark(own, syncMarks.fileMark(folderId, sha256), latest)
    const isTheirs =
      !ours || wins({ at: mark.at, value: contentOf(mark, file) }, { at: ours.at, value: contentOf(ours, own) })
    return isTheirs ? { own } : null
  }

  /** Stores the collected removals in one transaction. */
  async function remove(): Promise<void> {
    const given = removals
    removals = []
    const entries = new Map<string, PinnedFileEntry[]>()
    syncMarks.merging(() => {
      for (const theirs of given) {
        const { folderId, sha256, mark } = theirs
        const files = entries.get(folderId) ?? pinnedFiles.entries(folderId)
        entries.set(folderId, files)
        const decided = decide(theirs, files)
        if (!decided) continue
        syncMarks.setFileMark(folderId, sha256, mark)
        if (!decided.own) continue
        pinnedFiles.remove(folderId, decided.own.mediaId)
        erasures.plan('media', [decided.own.mediaId])
        isChanged = true
      }
    })
    await nextTurn()
  }

  for (const theirs of theirFiles(archive, sync, { notes, latest })) {
    check()
    const { folderId, sha256, mark, file } = theirs
    if (mark.value !== null || !file) {
      removals.push(theirs)
      if (removals.length >= removalsAtOnce) await remove()
      continue
    }
    const decided = decide(theirs)
    if (!decided) continue
    // A file of a folder that was deleted here returns with the folder.
    if (!folders.find(folderId)) continue
    if (!decided.own && pinnedFiles.entries(folderId).length >= maxArchivedFiles) {
      notes.add('sync.fullProject')
      continue
    }
    const staging = new Staging(parts, notes)
    const mediaId = decided.own?.mediaId ?? (await staging.document(file.mediaId, file.name, archive.document))
    if (mediaId === null) continue
    syncMarks.merging(() => {
      // Something may have changed here while the file was read.
      const now = decide(theirs)
      if (!now || !folders.find(folderId) || !documents.find(mediaId)) return
      const { own } = now
      syncMarks.setFileMark(folderId, sha256, mark)
      pinnedFiles.insert({ ...file, folderId, mediaId: own?.mediaId ?? mediaId })
      staging.forgetPlans()
      isChanged ||= own?.name !== file.name
    })
  }
  await remove()
  return isChanged
}

/** Yields the pinned files of the archive and the files that were removed on the other computer. Leaves out files whose original is missing. */
function* theirFiles(
  archive: OpenArchive,
  sync: SyncFile,
  { notes, latest }: { notes: Notes; latest: number },
): Generator<TheirFile, undefined> {
  const known = new Map(archive.library.folders.map(({ id, files }) => [id, files]))
  for (const folderId of new Set([...known.keys(), ...Object.keys(sync.files)])) {
    const marks = new Map(Object.entries(sync.files[folderId] ?? {}))
    for (const file of known.get(folderId) ?? []) {
      const sha256 = archive.hashOf(file.mediaId)
      if (sha256 === null) {
        notes.add('import.noDocuments')
        continue
      }
      const mark = marks.get(sha256) ?? { at: timeOf(file.addedAt, latest), value: null }
      marks.delete(sha256)
      yield { folderId, sha256, mark, file }
    }
    for (const [sha256, mark] of marks) {
      // Only a removal needs no file.
      if (mark.value !== null) yield { folderId, sha256, mark, file: undefined }
    }
  }
}

/** The mark of a pinned file on this computer. A mark of an addition whose file is missing belongs to a deleted folder and decides nothing. */
const ownMark = (own: PinnedFileEntry | undefined, mark: SyncMark | null, latest: number): SyncMark | null => {
  if (!own) return mark?.value === null ? null : mark
  return mark ?? { at: timeOf(own.addedAt, latest), value: null }
}

/** The value that decides between two changes of the same time, as for folders: a removal wins, then the greater name. */
const contentOf = (mark: SyncMark, file: { name: string } | undefined): string | null =>
  mark.value !== null ? '\uffff' : (file?.name ?? null)
