import { createHash, randomUUID } from 'node:crypto'
import { copyFile, lstat, open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { SyncedFile, SyncReport } from '../../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../../errors.ts'
import { fileProblem, isSystemError } from '../../../shared/diskProblem.ts'
import { ZipReader } from '../../../shared/zipReader.ts'
import type { ArchiveDependencies } from '../dependencies.ts'
import { writeArchive } from '../export.ts'
import type { ArchiveManifest } from '../format.ts'
import { damaged, Notes } from '../importNotes.ts'
import { inMemory, parse } from '../jsonSource.ts'
import { maxPictureBytes, openArchive } from '../nativeArchive.ts'
import { Staging } from '../staging.ts'
import { ZipWriter } from '../zipWriter.ts'
import { type SyncFile, syncEntry, syncFile, syncVersion } from './format.ts'
import { mergeConversation } from './mergeConversation.ts'
import { mergeLibrary } from './mergeLibrary.ts'
import { mergePinnedFiles } from './mergePinnedFiles.ts'
import { syncOptions } from './syncFile.ts'

export interface SyncDependencies extends ArchiveDependencies {
  /** Whether a reply or tool is running in a conversation. */
  isRunning(conversationId: string): boolean
  /** Called with the ids of conversations and whether they were added, after their changes are stored. */
  merged(conversationId: string, isNew: boolean): void
  /** Called after folders, their pinned files, prompts or presets have changed. */
  libraryMerged(): void
}

/** Also matches the copies that sync tools make of a file that was changed on two computers: they are merged like any other file. */
const fileName = /^inference-studio-.{1,200}\.zip$/u
/** Most files that one run reads: a folder has one per computer, and some copies. */
const maxFiles = 64
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
  const known = new Set(listState(parts, 'files'))
  const written = listState(parts, 'written')
  const seen: string[] = []
  const files: SyncedFile[] = []
  let installation = parts.store.syncMarks.state('installation') ?? randomUUID()
  for (const name of await namesIn(dir)) {
    const one = await mergeFile(parts, join(dir, name), name, { known: new Set([...known, ...written]), notes, check })
    if (one.hash !== null) seen.push(one.hash)
    // Another computer writes under this id, because the data folder was copied or a backup restored. From now on this folder has its own id.
    if (name === nameOf(installation) && one.hash !== null && !written.includes(one.hash)) installation = randomUUID()
    else if (name === nameOf(installation)) continue
    files.push(one.file)
  }
  parts.store.syncMarks.setState('installation', installation)
  parts.store.syncMarks.setState('files', JSON.stringify(seen))
  const target = join(dir, nameOf(installation))
  const isWritten = await writeOwn(parts, target, { installation, written, check })
  return { file: target, written: isWritten, files, notes: notes.list() }
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
      const words = 'The shared folder can’t be inside the data folder, whose databases no sync tool may copy.'
      throw new StudioError('bad_input', words)
    }
    return dir
  } catch (thrown) {
    throw isSystemError(thrown) ? fileProblem(thrown, `The folder ${folder} can’t be used`) : thrown
  }
}

/** Real files with our names. Links and pipes are ignored: a sync tool makes none, and reading a pipe would wait forever. */
async function namesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && fileName.test(entry.name)).map(({ name }) => name)
  if (names.length > maxFiles) {
    const words = `The folder has ${names.length} archives. More than ${maxFiles} can’t be merged. Delete those of former computers and copies made by a sync tool.`
    throw new StudioError('bad_input', words)
  }
  return names.sort()
}

interface MergeResult {
  file: SyncedFile
  /** Identifies the content of the file. Null if the file must be read again next time. */
  hash: string | null
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
      const archive = await openArchive(zip, parts.tempDir, notes)
      const hash = hashOf(archive.manifest)
      if (known.has(hash)) return { hash, file: { ...counts, outcome: 'unchanged', problem: null } }
      const sync = await readSync(await archive.entry(syncEntry, maxPictureBytes))
      const isLibraryChanged = mergeLibrary(parts.store, archive.library, sync)
      const areFilesChanged = await mergePinnedFiles(parts, archive, { sync, notes, check })
      if (isLibraryChanged || areFilesChanged) {
        parts.libraryMerged()
        // Deletes the files that were removed.
        await parts.cleanUp()
      }
      let isComplete = true
      await archive.eachConversation(async (incoming) => {
        check()
        const staging = new Staging(parts, notes)
        const marked = sync.conversations[incoming.conversation.id]
        if (!marked) throw damaged('The file lists no changes of one of its chats.')
        const { picture, document } = archive
        const context = { ...parts, notes, staging, picture, document, now: parts.now ?? Date.now }
        const { outcome, messages } = await mergeConversation(context, incoming, marked)
        if (outcome === 'postponed') isComplete = false
        if (outcome === 'added') counts.added += 1
        if (outcome === 'changed') counts.changed += 1
        counts.messages += messages
        if (outcome === 'added' || outcome === 'changed') parts.merged(incoming.conversation.id, outcome === 'added')
      })
      counts.changed += mergeRemoved(parts, sync)
      for (const id of parts.store.syncMarks.merging(parts.store.syncMarks.projectFolders)) parts.merged(id, false)
      return { hash: isComplete ? hash : null, file: { ...counts, outcome: 'merged', problem: null } }
    } finally {
      await zip.close()
    }
  } catch (thrown) {
    // Deep nesting overflows the stack of a recursive check.
    const failure = thrown instanceof RangeError ? damaged('The file is nested too deeply.', thrown) : thrown
    parts.store.erasures.giveUpImports()
    await parts.cleanUp()
    if (isSystemError(failure)) {
      const { message: problem } = fileProblem(failure, 'The file can’t be read')
      return { hash: null, file: { ...counts, outcome: 'refused', problem } }
    }
    if (!(failure instanceof StudioError) || failure.kind !== 'bad_input') throw failure
    return { hash: null, file: { ...counts, outcome: 'refused', problem: failure.message } }
  }
}

/** Equal for equal content, whenever it was written. */
const hashOf = ({ entries }: ArchiveManifest): string =>
  createHash('sha256').update(JSON.stringify(entries)).digest('hex')

async function readSync(bytes: Buffer | null): Promise<SyncFile> {
  if (!bytes) throw damaged('The file is an export, not the file of another computer. Import it instead.')
  const parsed: unknown = await parse(inMemory(bytes), { start: 0, end: bytes.length })
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed && Number(parsed.version) > syncVersion) {
    throw damaged('The file was written by a newer version of Inference Studio. Update the program on this computer.')
  }
  const sync = syncFile.safeParse(parsed)
  if (!sync.success) throw damaged('The list of changes in the file does not match its format.', sync.error)
  return sync.data
}

/** Deletes conversations that were deleted elsewhere, unless they were changed later. Returns how many. */
function mergeRemoved({ store, merged }: SyncDependencies, { removed }: SyncFile): number {
  let count = 0
  for (const [id, at] of Object.entries(removed)) {
    const own = store.syncMarks.of('conversation', id).get('removed')
    if (own && (own.at > at || (own.at === at && own.value === '1'))) continue
    const conversation = store.archive.state(id) === 'going' ? null : store.archive.conversation(id)
    const isNow = conversation !== null && !conversation.removed && at >= Date.parse(conversation.updatedAt)
    store.syncMarks.merging(() => {
      store.syncMarks.set('conversation', id, 'removed', { at, value: '1' })
      if (isNow) store.conversations.setRemoved(id, new Date(at).toISOString())
    })
    if (!isNow) continue
    count += 1
    merged(id, false)
  }
  return count
}

/**
 * Writes the file of this computer and gives it its name when it is complete. Returns false when its content has not changed: a sync tool
 * would copy it for nothing.
 */
async function writeOwn(
  parts: SyncDependencies,
  target: string,
  { installation, written, check }: { installation: string; written: readonly string[]; check(): void },
): Promise<boolean> {
  const { store, tempDir } = parts
  const path = join(tempDir, `export-${randomUUID()}`)
  const part = join(dirname(target), `.inference-studio-${installation}.part`)
  try {
    const now = new Date(parts.now?.() ?? Date.now()).toISOString()
    const hash = hashOf(
      await writeArchive(parts, new ZipWriter(path), { now, check, ...syncOptions(store, installation) }),
    )
    const isThere = (await lstat(target).catch(() => null))?.isFile() === true
    if (isThere && written.at(-1) === hash) return false
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
