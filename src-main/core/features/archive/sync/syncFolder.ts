import { createHash, randomUUID } from 'node:crypto'
import { copyFile, lstat, open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sentence } from '../../../../../src-preload/contract/note.ts'
import type { SyncedFile, SyncReport } from '../../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../../errors.ts'
import { fileProblem, isSystemError } from '../../../shared/diskProblem.ts'
import { badInput, note, sentenceOfError } from '../../../shared/notes.ts'
import { ZipReader } from '../../../shared/zipReader.ts'
import type { DeletionDeadlines } from '../../../store/retentionClock.ts'
import type { Store } from '../../../store/store.ts'
import type { ArchiveDependencies } from '../dependencies.ts'
import { writeArchive } from '../export.ts'
import type { ArchiveManifest } from '../format.ts'
import { Notes } from '../importNotes.ts'
import { inMemory, parse } from '../jsonSource.ts'
import { maxPictureBytes, openArchive } from '../nativeArchive.ts'
import { Staging } from '../staging.ts'
import { ZipWriter } from '../zipWriter.ts'
import { believable, latestAt, type SyncFile, syncEntry, syncFile, syncVersion } from './format.ts'
import { mergeConversation } from './mergeConversation.ts'
import { mergeLibrary } from './mergeLibrary.ts'
import { mergePinnedFiles } from './mergePinnedFiles.ts'
import { syncOptions } from './syncFile.ts'

export interface SyncDependencies extends ArchiveDependencies {
  deadlines: Pick<DeletionDeadlines, 'isNotBehind'>
  /** Whether a reply or tool is running in a conversation. */
  isRunning(conversationId: string): boolean
  /** Called with the ids of conversations and whether they were added, after their changes are stored. */
  merged(conversationId: string, isNew: boolean): void
  /** Called after folders, their pinned files, prompts or presets have changed. */
  libraryMerged(): void
}

/** Also matches the copies that sync tools make of a file that was changed on two computers: they are merged like any other file. */
const fileName = /^inference-studio-.{1,200}\.zip$/u
/** Most archives of computers that were not merged before that one run reads: a folder has one per computer, and some copies. */
const maxNewFiles = 64
/** Most files of others that one run opens, to see that they are no such archives. */
const maxOpened = 1000
/** Most computers that are remembered. Their files are always read. */
const maxComputers = 256
/** Most refused files that a report lists. */
const maxRefused = 100
/** How many hashes of this computer's files are remembered, so that an older file is recognized when a sync tool brings it back. */
const maxWritten = 20

/**
 * Syncs this computer with others through a folder that any program may copy between them. Merges the files of the other computers,
 * then writes the file of this one. Running it twice changes nothing.
 * @throws StudioError `bad_input` for an unusable folder, `disk_full`, `not_writable`, `cancelled` when the signal aborts
 */
export async function syncFolder(
  parts: SyncDependencies,
  { folder }: { folder: string },
  signal?: AbortSignal,
): Promise<SyncReport> {
  const check = (): void => {
    if (signal?.aborted) throw new StudioError('cancelled', 'The sync was stopped.')
  }
  const notes = new Notes()
  const dir = await usableFolder(parts, folder)
  const { syncMarks } = parts.store
  const now = parts.now?.() ?? Date.now()
  if (parts.deadlines.isNotBehind()) syncMarks.bringBack(now, latestAt(now))
  const written = listState(parts, 'written')
  const computers = listState(parts, 'computers')
  const own = syncMarks.state('installation') ?? randomUUID()
  const ownName = nameOf(own)
  const results = await mergeFiles(parts, dir, { knownNames: [own, ...computers].map(nameOf), written, notes, check })
  const ownHash = results.get(ownName)?.hash ?? null
  // Another computer writes under this id, because the data folder was copied or a backup restored. From now on this folder has its own id.
  const isCopied = ownHash !== null && !written.includes(ownHash)
  const installation = isCopied ? randomUUID() : own
  const merged = [...results].flatMap(([name, { installation: id }]) =>
    id !== null && name === nameOf(id) ? [id] : [],
  )
  // A computer whose file can't be read now is still one.
  const remembered = [...new Set([...merged, ...computers])].filter((id) => id !== installation).slice(0, maxComputers)
  syncMarks.setState('computers', JSON.stringify(remembered))
  syncMarks.setState('installation', installation)
  syncMarks.setState('files', JSON.stringify([...results.values()].flatMap(({ hash }) => hash ?? [])))
  const target = join(dir, nameOf(installation))
  const isOwnIntact = ownHash !== null && ownHash === written.at(-1)
  const isWritten = await writeOwn(parts, target, { installation, written, isOwnIntact, check })
  const others = [...results.values()].filter(({ file }) => isCopied || file.name !== ownName)
  const isComplete = others.every(({ hash }) => hash !== null)
  const files = reportableFiles(
    others.map(({ file }) => file),
    notes,
  )
  return { file: target, written: isWritten, isComplete, files, notes: allNotes(notes) }
}

/** Merges the files of a folder. Returns the result of each by its name. */
async function mergeFiles(
  parts: SyncDependencies,
  dir: string,
  {
    knownNames,
    written,
    ...context
  }: { knownNames: readonly string[]; written: readonly string[]; notes: Notes; check(): void },
): Promise<Map<string, MergeResult>> {
  const known = new Set([...listState(parts, 'files'), ...written])
  const results = new Map<string, MergeResult>()
  const others = { opened: 0, merged: 0 }
  for (const name of inOrder(await filesIn(dir), knownNames)) {
    const path = join(dir, name)
    const isKnown = knownNames.includes(name)
    const problem = isKnown ? null : await unreadable(path, others)
    const result = problem === null ? await mergeFile(parts, path, name, { known, ...context }) : refused(name, problem)
    if (!isKnown) count(result, others)
    results.set(name, result)
  }
  return results
}

const refused = (name: string, problem: Sentence): MergeResult => ({
  hash: null,
  installation: null,
  file: { name, added: 0, changed: 0, messages: 0, outcome: 'refused', problem },
})

/** Counts a file of an unknown computer for the bounds of a run. */
function count({ file }: MergeResult, others: { opened: number; merged: number }): void {
  others.opened += 1
  if (file.outcome !== 'refused') others.merged += 1
}

/** Why a file of an unknown computer is not read; null when it may be. */
async function unreadable(
  path: string,
  { opened, merged }: { opened: number; merged: number },
): Promise<Sentence | null> {
  try {
    if (opened >= maxOpened || merged >= maxNewFiles) return note('sync.crowded')
    return (await isZip(path)) ? null : note('sync.noArchive')
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown
    return fileProblem(thrown, 'The file can’t be read').message
  }
}

/** Most chats that a report names because they could not be merged. */
const mostNamed = 50

/** The notes, and the chats that could not be merged, by title. */
function allNotes(notes: Notes): Sentence[] {
  const { leftOut, leftOutMore } = notes.leftOut()
  const more = leftOut.length + leftOutMore - mostNamed
  return [
    ...notes.list(),
    ...leftOut.slice(0, mostNamed).map(({ title, reason }) => note('sync.leftOut', { title, reason })),
    ...(more > 0 ? [note('sync.more', { figure: more })] : []),
  ]
}

/** The files by name, with a bounded number of refused ones. */
function reportableFiles(files: readonly SyncedFile[], notes: Notes): SyncedFile[] {
  const refused = files.filter(({ outcome }) => outcome === 'refused').sort((a, b) => (a.name < b.name ? -1 : 1))
  const listed = new Set(refused.slice(0, maxRefused))
  for (let more = refused.length - listed.size; more > 0; more -= 1) notes.add('sync.moreFiles')
  return files.filter((one) => one.outcome !== 'refused' || listed.has(one)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

const nameOf = (installation: string): string => `inference-studio-${installation}.zip`

function listState({ store }: SyncDependencies, key: string): string[] {
  const value: unknown = JSON.parse(store.syncMarks.state(key) ?? '[]')
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** The real path of the folder. @throws StudioError `bad_input` */
async function usableFolder({ tempDir }: SyncDependencies, folder: string): Promise<string> {
  try {
    const dir = await realpath(folder)
    const own = await realpath(dirname(tempDir))
    if (!(await lstat(dir)).isDirectory()) throw new StudioError('bad_input', `${folder} is not a folder.`)
    if (`${dir}${sep}`.startsWith(`${own}${sep}`)) {
      throw badInput(note('sync.insideData'))
    }
    return dir
  } catch (thrown) {
    throw isSystemError(thrown) ? fileProblem(thrown, `The folder ${folder} can’t be used`) : thrown
  }
}

interface FoundFile {
  name: string
  modifiedAt: number
}

/** Real files with our names. Links and pipes are ignored: a sync tool makes none, and reading a pipe would wait forever. */
async function filesIn(dir: string): Promise<FoundFile[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const found: FoundFile[] = []
  for (const { name } of entries.filter((entry) => entry.isFile() && fileName.test(entry.name))) {
    // Null for a file that was deleted meanwhile.
    const facts = await lstat(join(dir, name)).catch(() => null)
    if (facts?.isFile()) found.push({ name, modifiedAt: facts.mtimeMs })
  }
  return found
}

/** The name that a computer gives its file, unlike the names of copies and other files. */
const computersName = /^inference-studio-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.zip$/u

/** Files of known computers come first, in their order, then those with the name of a computer, then the newest. */
function inOrder(found: readonly FoundFile[], knownNames: readonly string[]): string[] {
  const places = new Map(knownNames.map((name, at) => [name, at]))
  const placeOf = ({ name }: FoundFile): number => places.get(name) ?? places.size + (computersName.test(name) ? 0 : 1)
  return found
    .toSorted((a, b) => placeOf(a) - placeOf(b) || b.modifiedAt - a.modifiedAt || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
}

/** Whether a file begins like a zip. Reads four bytes, so that other files cost little. */
async function isZip(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.readUInt32BE() === 0x504b0304
  } finally {
    await file.close()
  }
}

interface MergeResult {
  file: SyncedFile
  /** Identifies the content of the file. Null if the file must be read again next time. */
  hash: string | null
  /** The data folder that wrote the file. Null when the file can't be read. */
  installation: string | null
}

/** Merges one file. A file that is damaged, incomplete or not ours is reported and skipped, so that the others are merged. */
async function mergeFile(
  parts: SyncDependencies,
  path: string,
  name: string,
  { known, notes, check }: { known: ReadonlySet<string>; notes: Notes; check(): void },
): Promise<MergeResult> {
  const counts = { name, added: 0, changed: 0, messages: 0 }
  check()
  try {
    const zip = await ZipReader.open(path)
    try {
      const bad = leftOutOf(notes)
      const archive = await openArchive(zip, parts.tempDir, notes)
      const hash = hashOf(archive.manifest)
      const read = await readSync(await archive.entry(syncEntry, maxPictureBytes))
      const { installation } = read
      if (known.has(hash)) return { hash, installation, file: { ...counts, outcome: 'unchanged', problem: null } }
      const now = parts.now?.() ?? Date.now()
      let isComplete = true
      const sync = believable(read, latestAt(now), () => {
        // Its time may come, or the clock of this computer may be behind.
        isComplete = false
        notes.add('sync.future')
      })
      const isLibraryChanged = await mergeLibrary(parts.store, archive.library, sync, { notes, now })
      const areFilesChanged = await mergePinnedFiles(parts, archive, { sync, notes, now, check })
      if (isLibraryChanged || areFilesChanged) {
        parts.libraryMerged()
        // Deletes the files that were removed.
        await parts.cleanUp()
      }
      await archive.eachConversation(async (incoming) => {
        check()
        const staging = new Staging(parts, notes, true)
        const marked = sync.conversations[incoming.conversation.id]
        if (!marked) throw badInput(note('sync.noChanges'))
        const { picture, document } = archive
        const context = { ...parts, notes, staging, picture, document, now: parts.now ?? Date.now }
        const { outcome, messages } = await mergeConversation(context, incoming, marked)
        if (outcome === 'postponed') isComplete = false
        if (outcome === 'added') counts.added += 1
        if (outcome === 'changed') counts.changed += 1
        counts.messages += messages
        if (outcome === 'added' || outcome === 'changed') parts.merged(incoming.conversation.id, outcome === 'added')
      })
      if (leftOutOf(notes) > bad) {
        isComplete = false
        // What was begun of a chat that is damaged.
        parts.store.erasures.giveUpImports()
        await parts.cleanUp()
      }
      counts.changed += await mergeRemoved(parts, sync, check)
      for (const id of parts.store.syncMarks.merging(parts.store.syncMarks.projectFolders)) parts.merged(id, false)
      return { hash: isComplete ? hash : null, installation, file: { ...counts, outcome: 'merged', problem: null } }
    } finally {
      await zip.close()
    }
  } catch (thrown) {
    // Deep nesting overflows the stack of a recursive check.
    const failure = thrown instanceof RangeError ? badInput(note('file.deep'), thrown) : thrown
    parts.store.erasures.giveUpImports()
    await parts.cleanUp()
    if (isSystemError(failure)) {
      const { message: problem } = fileProblem(failure, 'The file can’t be read')
      return { hash: null, installation: null, file: { ...counts, outcome: 'refused', problem } }
    }
    if (!(failure instanceof StudioError) || failure.kind !== 'bad_input') throw failure
    return {
      hash: null,
      installation: null,
      file: { ...counts, outcome: 'refused', problem: sentenceOfError(failure) },
    }
  }
}

const leftOutOf = (notes: Notes): number => {
  const { leftOut, leftOutMore } = notes.leftOut()
  return leftOut.length + leftOutMore
}

/** Equal for equal content, whenever it was written. */
const hashOf = ({ entries }: ArchiveManifest): string =>
  createHash('sha256').update(JSON.stringify(entries)).digest('hex')

async function readSync(bytes: Buffer | null): Promise<SyncFile> {
  if (!bytes) throw badInput(note('sync.export'))
  const parsed: unknown = await parse(inMemory(bytes), { start: 0, end: bytes.length })
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed && Number(parsed.version) > syncVersion) {
    throw badInput(note('sync.newer'))
  }
  const sync = syncFile.safeParse(parsed)
  if (!sync.success) throw badInput(note('sync.changes'), sync.error)
  return sync.data
}

/** Most removals that are stored in one transaction. */
const removalsAtOnce = 200

/** Deletes conversations that were deleted elsewhere, unless they were changed later. Returns how many. */
async function mergeRemoved(
  { store, merged, now = Date.now }: SyncDependencies,
  { removed }: SyncFile,
  check: () => void,
): Promise<number> {
  // The deadline for restoring a chat begins when this computer learns of the deletion.
  const removedAt = new Date(now()).toISOString()
  const all = Object.entries(removed)
  let count = 0
  for (let from = 0; from < all.length; from += removalsAtOnce) {
    check()
    const slice = all.slice(from, from + removalsAtOnce)
    const changed = store.syncMarks.merging(() =>
      slice.filter(([id, at]) => mergeRemoval(store, { id, at, removedAt })),
    )
    for (const [id] of changed) merged(id, false)
    count += changed.length
    await nextTurn()
  }
  return count
}

/** Stores one removal, unless a later one is known. Returns whether it deletes a conversation. Call within `merging`. */
function mergeRemoval(store: Store, { id, at, removedAt }: { id: string; at: number; removedAt: string }): boolean {
  const own = store.syncMarks.of('conversation', id).get('removed')
  if (own && (own.at > at || (own.at === at && own.value === '1'))) return false
  const conversation = store.archive.state(id) === 'going' ? null : store.archive.conversation(id)
  const isNow = conversation !== null && !conversation.removed && at >= Date.parse(conversation.updatedAt)
  store.syncMarks.set('conversation', id, 'removed', { at, value: '1' })
  if (isNow) store.conversations.setRemoved(id, removedAt)
  return isNow
}

/**
 * Writes the file of this computer and gives it its name when it is complete. Returns false when it is intact and its content has not changed: a
 * sync tool would copy it for nothing.
 */
async function writeOwn(
  parts: SyncDependencies,
  target: string,
  {
    installation,
    written,
    isOwnIntact,
    check,
  }: { installation: string; written: readonly string[]; isOwnIntact: boolean; check(): void },
): Promise<boolean> {
  const { store, tempDir } = parts
  const path = join(tempDir, `export-${randomUUID()}`)
  const part = join(dirname(target), `.inference-studio-${installation}.part`)
  try {
    const now = new Date(parts.now?.() ?? Date.now()).toISOString()
    const hash = hashOf(
      await writeArchive(parts, new ZipWriter(path), { now, check, ...syncOptions(store, installation) }),
    )
    if (isOwnIntact && written.at(-1) === hash) return false
    await rm(part, { force: true })
    await copyFile(path, part)
    await flush(part)
    // Recorded before the file has its name. Otherwise, after a crash in between, the own file would be taken for another computer's.
    const rest = written.filter((one) => one !== hash).slice(1 - maxWritten)
    store.syncMarks.setState('written', JSON.stringify([...rest, hash]))
    await rename(part, target)
    return true
  } catch (thrown) {
    // Fails when a folder has this name. The first failure says so.
    await rm(part, { force: true }).catch(() => undefined)
    throw isSystemError(thrown) ? fileProblem(thrown, `The file ${target} can’t be written`) : thrown
  } finally {
    await rm(path, { force: true })
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
