import { createHash, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import type * as z from 'zod'
import { maxDocumentBytes } from '../../../../src-preload/contract/documents.ts'
import type { Preset, Prompt } from '../../../../src-preload/contract/library.ts'
import { maxPinnedFiles } from '../../../../src-preload/contract/projects.ts'
import { badInput, note } from '../../shared/notes.ts'
import type { ZipEntry, ZipReader } from '../../shared/zipReader.ts'
import { type ArchivedMessage, archivedConversation, archivedMessage } from '../../store/archive.ts'
import { type ArchivedDocument, archivedDocument } from './archivedDocuments.ts'
import type { ArchiveDependencies } from './dependencies.ts'
import {
  type ArchiveManifest,
  archivedPicture,
  contentHash,
  formatVersion,
  hashMessage,
  type LibraryFile,
  libraryFile,
  manifest,
  maxArchivedItems,
  settledMessage,
} from './format.ts'
import type { Notes } from './importNotes.ts'
import {
  type ByteRange,
  children,
  inFile,
  inMemory,
  type JsonChild,
  type JsonSource,
  parse,
  titleIn,
} from './jsonSource.ts'
import type { DocumentSource, Incoming, PictureSource, Staging } from './staging.ts'
import { yieldRegularly } from './yieldToEventLoop.ts'

const newer = (): Error => badInput(note('file.newer'))

/** Byte ranges of the members of one object, by key. */
export async function members(source: JsonSource): Promise<Map<string, ByteRange>> {
  const found = new Map<string, ByteRange>()
  for await (const { key, ...range } of children(source)) {
    if (key === null || found.has(key)) throw badInput(note('file.sameKey'))
    found.set(key, range)
    if (found.size > 1000) throw badInput(note('file.unknown'))
  }
  return found
}

/**
 * Reads the file of a conversation once and validates it: the fields of every message, unique ids, and parents before their children, which
 * excludes cycles. Memory contains the ids and one message at a time.
 * @throws StudioError `bad_input`
 */
export async function readConversation(
  source: JsonSource,
  notes: Notes,
): Promise<Incoming & { media: ByteRange | null; documents: ByteRange | null }> {
  const parts = await members(source)
  if ([...parts.values()].some(({ isTooDeep }) => isTooDeep)) throw badInput(note('file.deep'))
  const version = parts.get('version')
  const head = parts.get('conversation')
  const list = parts.get('messages')
  if (!version || !head || !list) throw badInput(note('file.incomplete'))
  if (Number(await parse(source, version)) > formatVersion) throw newer()
  const parsed = archivedConversation.safeParse(await parse(source, head, notes.addBrokenText))
  if (!parsed.success) throw badInput(note('file.chat'), parsed.error)
  const conversation = parsed.data
  const ids = new Set<string>()
  const hash = contentHash(conversation)
  let last: string | null = null
  for await (const message of readMessages(source, list, notes)) {
    if (ids.has(message.id)) throw badInput(note('file.sameId'))
    if (message.parentId !== null && !ids.has(message.parentId)) {
      throw badInput(note('file.order'))
    }
    ids.add(message.id)
    hashMessage(hash, message)
    last = message.id
  }
  if (conversation.leafId !== null && !ids.has(conversation.leafId)) {
    throw badInput(note('file.leaf'))
  }
  return {
    conversation: { ...conversation, leafId: conversation.leafId ?? last },
    messages: () => readMessages(source, list, null),
    hash: hash.digest('hex'),
    importKey: null,
    messageIds: [...ids],
    media: parts.get('media') ?? null,
    documents: parts.get('documents') ?? null,
  }
}

async function* readMessages(
  source: JsonSource,
  list: ByteRange,
  notes: Notes | null,
): AsyncGenerator<ArchivedMessage> {
  const giveWay = yieldRegularly()
  for await (const child of children(source, list)) {
    const parsed = archivedMessage.safeParse(await parse(source, child, notes?.addBrokenText))
    if (!parsed.success) throw badInput(note('file.message'), parsed.error)
    yield settledMessage(parsed.data)
    await giveWay()
  }
}

/** Imports the file of a single conversation, with its images. */
export async function importConversation(source: JsonSource, staging: Staging, notes: Notes): Promise<void> {
  const incoming = await readConversation(source, notes)
  const places = new Map<string, ByteRange>()
  if (incoming.media) {
    for await (const child of children(source, incoming.media)) places.set(await pictureId(source, child), child)
    if (places.size > 10_000) throw badInput(note('file.images'))
  }
  const contents = new Map<string, ArchivedDocument>()
  if (incoming.documents) {
    for await (const child of children(source, incoming.documents)) {
      const parsed = archivedDocument.safeParse(await parse(source, child, notes.addBrokenText))
      if (!parsed.success) throw badInput(note('file.document'), parsed.error)
      contents.set(parsed.data.id, parsed.data)
    }
  }
  const original: PictureSource = async (id) => {
    const place = places.get(id)
    if (!place) return null
    const parsed = archivedPicture.safeParse(await parse(source, place))
    if (!parsed.success) throw badInput(note('file.image'), parsed.error)
    return Buffer.from(parsed.data.data, 'base64')
  }
  await staging.add(incoming, original, async (id) => {
    const content = contents.get(id)
    const bytes = content ? await original(id) : null
    return content && bytes ? { bytes, content } : null
  })
}

/** Reads only the id. The image itself is read when a message needs it. */
async function pictureId(source: JsonSource, child: JsonChild): Promise<string> {
  for await (const { key, start, end } of children(source, child)) {
    if (key !== 'id') continue
    const parsed = await parse(source, { start, end })
    if (typeof parsed === 'string') return parsed
  }
  throw badInput(note('file.image'))
}

/** Larger entries are unpacked to a temporary file instead of memory. */
export const smallEntryBytes = 8 * 1024 * 1024
/** Largest entry of an archive that is read into memory as a whole, bytes. */
export const maxPictureBytes = 64 * 1024 * 1024

/** An archive of this program, whose structure and manifest are valid. */
export interface OpenArchive {
  manifest: ArchiveManifest
  library: LibraryFile
  picture: PictureSource
  document: DocumentSource
  /** SHA-256 of an image or document, in hex, as the manifest lists it. Null when the archive does not have it. */
  hashOf(mediaId: string): string | null
  /** Contents of an entry, at most `most` bytes, or null if there is none. @throws StudioError `bad_input` if its hash is wrong */
  entry(name: string, most: number): Promise<Buffer | null>
  /** Calls `work` for each conversation in the order of the manifest: oldest change first, so that search lists the newest first. */
  eachConversation(work: (incoming: Incoming) => Promise<void>): Promise<void>
}

/** Opens an archive of this program. Each entry is checked against its hash in the manifest before use. @throws StudioError `bad_input` */
export async function openArchive(zip: ZipReader, tempDir: string, notes: Notes): Promise<OpenArchive> {
  const list = await readManifest(zip)
  const sums = new Map(list.entries.map((entry) => [entry.name, entry]))
  if (sums.size !== list.entries.length) throw badInput(note('file.listedTwice'))
  const isWhole = ({ name, bytes }: ArchiveManifest['entries'][number]): boolean =>
    zip.entries.get(name)?.size === bytes
  for (const name of zip.entries.keys())
    if (!sums.has(name) && name !== 'manifest.json') notes.leaveOut(name, note('file.unlisted'))
  const entry = async (name: string, most: number): Promise<Buffer | null> => {
    const [found, listed] = [zip.entries.get(name), sums.get(name)]
    if (!found || !listed) return null
    if (!isWhole(listed)) throw changed()
    const bytes = await zip.read(found, most)
    if (createHash('sha256').update(bytes).digest('hex') !== listed.sha256) throw changed()
    return bytes
  }
  const picture: PictureSource = (id) => entry(`media/${id}`, maxPictureBytes)
  const document: DocumentSource = async (id) => {
    const described = await entry(`documents/${id}.json`, maxDocumentBytes)
    const bytes = described && (await entry(`media/${id}`, maxDocumentBytes))
    if (!bytes) return null
    const json = inMemory(described)
    const parsed = archivedDocument.safeParse(await parse(json, { start: 0, end: json.size }, notes.addBrokenText))
    if (!parsed.success) throw badInput(note('file.document'), parsed.error)
    return { bytes, content: parsed.data }
  }
  async function eachConversation(take: (incoming: Incoming) => Promise<void>): Promise<void> {
    for (const listed of list.entries) {
      const { name, sha256 } = listed
      const found = zip.entries.get(name)
      const id = /^conversations\/([\da-f-]{36})\.json$/.exec(name)?.[1]
      if (id === undefined) continue
      let title: string | null = null
      const work = async (source: JsonSource): Promise<void> => {
        title = await titleIn(source, { start: 0, end: source.size })
        const incoming = await readConversation(source, notes)
        if (incoming.conversation.id !== id) throw badInput(note('file.otherName'))
        await take(incoming)
      }
      await notes.attempt(
        () => title ?? name,
        async () => {
          if (!found) throw badInput(note('file.missing'))
          if (!isWhole(listed)) throw changed()
          if (found.size > smallEntryBytes) await unpacked(zip, found, sha256, tempDir, work)
          else await work(inMemory((await entry(name, smallEntryBytes)) ?? Buffer.alloc(0)))
        },
      )
    }
  }
  return {
    manifest: list,
    library: await libraryOf(entry, notes),
    picture,
    document,
    hashOf: (mediaId) => sums.get(`media/${mediaId}`)?.sha256 ?? null,
    entry,
    eachConversation,
  }
}

/** Imports an archive of this program. Returns a function that imports the library. */
export async function importArchive(
  zip: ZipReader,
  parts: ArchiveDependencies,
  staging: Staging,
  notes: Notes,
): Promise<() => void> {
  const archive = await openArchive(zip, parts.tempDir, notes)
  await archive.eachConversation((incoming) => staging.add(incoming, archive.picture, archive.document))
  /** Ids of pinned files here, by their id in the archive. */
  const files = new Map<string, string>()
  for (const { mediaId, name } of archive.library.folders.flatMap((folder) => folder.files)) {
    const id = await staging.document(mediaId, name, archive.document)
    if (id !== null) files.set(mediaId, id)
  }
  return () => {
    addLibrary(parts, archive.library, notes)
    pinFiles(parts, archive.library, files, notes)
  }
}

/** Pins files to their folders, except those that the folder has already. */
function pinFiles(
  { store }: ArchiveDependencies,
  { folders }: LibraryFile,
  imported: ReadonlyMap<string, string>,
  notes: Notes,
): void {
  for (const { id: folderId, files } of folders) {
    const pinned = new Set(store.pinnedFiles.entries(folderId).map(({ mediaId }) => mediaId))
    for (const file of files) {
      const mediaId = imported.get(file.mediaId)
      if (mediaId === undefined || pinned.has(mediaId)) continue
      if (pinned.size >= maxPinnedFiles) {
        notes.addBeyond(maxPinnedFiles)
        continue
      }
      pinned.add(mediaId)
      // A permanent deletion may have deleted the document during the import.
      if (store.documents.find(mediaId)) store.pinnedFiles.insert({ ...file, folderId, mediaId })
    }
  }
}

const changed = (): Error => badInput(note('file.changed'))

/** Unpacks a large entry to a temporary file, which is deleted after `work`. */
export async function unpacked(
  zip: ZipReader,
  entry: ZipEntry,
  sha256: string | null,
  tempDir: string,
  work: (source: JsonSource) => Promise<void>,
): Promise<void> {
  const path = join(tempDir, `import-${randomUUID()}`)
  try {
    // Opens the file before the entry is read. A write stream opens its file later, possibly after the `rm` below.
    const handle = await open(path, 'wx+', 0o600)
    try {
      const target = Duplex.from(async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await handle.appendFile(chunk)
      })
      const sum = await zip.unpack(entry, target)
      if (sha256 !== null && sum !== sha256) throw changed()
      await work(inFile(handle, entry.size))
    } finally {
      await handle.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}
async function readManifest(zip: ZipReader) {
  const entry = zip.entries.get('manifest.json')
  if (!entry) throw badInput(note('file.noManifest'))
  const source = inMemory(await zip.read(entry, maxPictureBytes))
  const parsed: unknown = await parse(source, { start: 0, end: source.size })
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed && Number(parsed.version) > formatVersion)
    throw newer()
  const list = manifest.safeParse(parsed)
  if (!list.success) throw badInput(note('file.manifest'), list.error)
  return list.data
}

/** The folders, prompts and presets of an archive that are good. Names the others. */
async function libraryOf(
  entry: (name: string, most: number) => Promise<Buffer | null>,
  notes: Notes,
): Promise<LibraryFile> {
  const name = 'library.json'
  let parsed: unknown = null
  await notes.attempt(
    () => name,
    async () => {
      const bytes = await entry(name, maxPictureBytes)
      if (!bytes) throw badInput(note('file.missing'))
      parsed = await parse(inMemory(bytes), { start: 0, end: bytes.length }, notes.addBrokenText)
    },
  )
  return goodParts(parsed, notes)
}

const lists = {
  folders: ['import.project', libraryFile.shape.folders.element],
  prompts: ['import.prompt', libraryFile.shape.prompts.element],
  presets: ['import.preset', libraryFile.shape.presets.element],
} as const

function goodParts(parsed: unknown, notes: Notes): LibraryFile {
  const library: Record<string, unknown> = typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  const good = <T>(key: keyof typeof lists, schema: z.ZodType<T>): T[] => {
    const list = library[key]
    return (Array.isArray(list) ? list : []).flatMap((one: unknown, at) => {
      const item = schema.safeParse(one)
      if (item.success && at < maxArchivedItems) return [item.data]
      notes.leaveOut(
        nameOf(one) ?? note(lists[key][0], { at: at + 1 }),
        note(item.success ? 'file.tooMany' : 'file.format'),
      )
      return []
    })
  }
  return {
    folders: good('folders', lists.folders[1]),
    prompts: good('prompts', lists.prompts[1]),
    presets: good('presets', lists.presets[1]),
  }
}

const nameOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string' && value.name !== ''
    ? value.name
    : null

/**
 * Imports folders, prompts and presets. Existing folders are matched by id. Equal prompts and presets are skipped;
 * different ones with the same id get a new id.
 */
function addLibrary({ store }: ArchiveDependencies, library: ReturnType<typeof libraryFile.parse>, notes: Notes): void {
  const { folders, prompts, presets } = store
  const known = new Set(folders.rows().map(({ id }) => id))
  for (const { files: _, ...folder } of library.folders) if (!known.has(folder.id)) folders.insert(folder)
  const content = ({ name, model, instructions, params }: Preset): string =>
    JSON.stringify([name, model, instructions, params])
  const promptContent = ({ name, text }: Prompt): string => JSON.stringify([name, text])
  const knownPrompts = new Set(prompts.list().map(promptContent))
  for (const one of library.prompts) {
    if (knownPrompts.has(promptContent(one))) continue
    knownPrompts.add(promptContent(one))
    const here = prompts.find(one.id)
    if (here) notes.add('import.additional')
    prompts.insert(here ? { ...one, id: randomUUID() } : one)
  }
  const knownPresets = new Set(presets.list().map(content))
  for (const one of library.presets) {
    if (knownPresets.has(content(one))) continue
    knownPresets.add(content(one))
    const here = presets.find(one.id)
    if (here) notes.add('import.additional')
    presets.insert(here ? { ...one, id: randomUUID() } : one)
  }
}
