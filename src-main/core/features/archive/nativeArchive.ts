import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Preset } from '../../../../src-preload/contract/library.ts'
import { type ArchivedMessage, archivedConversation, archivedMessage } from '../../store/archive.ts'
import type { ArchiveParts } from './dependencies.ts'
import { archivedPicture, atRest, contentHash, formatVersion, hashMessage, libraryFile, manifest } from './format.ts'
import { damaged, type Notes } from './importNotes.ts'
import { type ByteRange, type Child, children, inFile, inMemory, type JsonSource, parse } from './jsonSource.ts'
import type { Incoming, PictureSource, Staging } from './staging.ts'
import { pace } from './yieldToEventLoop.ts'
import type { ZipEntry, ZipReader } from './zipReader.ts'

const newer = (): Error =>
  damaged(
    'The file was written by a newer version of Inference Studio; this one can’t read it. Nothing was taken over.',
  )

/** The members of one object, by their keys. */
export async function members(source: JsonSource): Promise<Map<string, ByteRange>> {
  const found = new Map<string, ByteRange>()
  for await (const { key, start, end } of children(source)) {
    if (key === null || found.has(key)) throw damaged('The file is damaged: a key stands in it twice.')
    found.set(key, { start, end })
    if (found.size > 1000) throw damaged('The file is not one that can be read here.')
  }
  return found
}

/**
 * Reads a conversation's file through once and checks all of it: every field of every message, ids that are there once, parents that come before
 * their children (so that no circle can be). One message at a time is held, besides the ids. @throws StudioError `bad_input`
 */
export async function readConversation(
  source: JsonSource,
  notes: Notes,
): Promise<Incoming & { media: ByteRange | null }> {
  const parts = await members(source)
  const version = parts.get('version')
  const head = parts.get('conversation')
  const list = parts.get('messages')
  if (!version || !head || !list) throw damaged('The conversation’s file is not whole.')
  if (Number(await parse(source, version)) > formatVersion) throw newer()
  const said = archivedConversation.safeParse(await parse(source, head, () => brokenText(notes)))
  if (!said.success) throw damaged('The conversation’s file is not what its format says.', said.error)
  const conversation = said.data
  const ids = new Set<string>()
  const hash = contentHash(conversation)
  let last: string | null = null
  for await (const message of readMessages(source, list, notes)) {
    if (ids.has(message.id)) throw damaged('The file has two messages with the same id.')
    if (message.parentId !== null && !ids.has(message.parentId)) {
      throw damaged('The file has a message whose parent does not come before it.')
    }
    ids.add(message.id)
    hashMessage(hash, message)
    last = message.id
  }
  if (conversation.leafId !== null && !ids.has(conversation.leafId)) {
    throw damaged('The conversation’s file names a last message that is not in it.')
  }
  return {
    conversation: { ...conversation, leafId: conversation.leafId ?? last },
    messages: () => readMessages(source, list, null),
    hash: hash.digest('hex'),
    importKey: null,
    messageIds: [...ids],
    media: parts.get('media') ?? null,
  }
}

async function* readMessages(
  source: JsonSource,
  list: ByteRange,
  notes: Notes | null,
): AsyncGenerator<ArchivedMessage> {
  const giveWay = pace()
  for await (const child of children(source, list)) {
    const said = archivedMessage.safeParse(await parse(source, child, () => notes && brokenText(notes)))
    if (!said.success) throw damaged('A message of the file is not what its format says.', said.error)
    yield atRest(said.data)
    await giveWay()
  }
}

const brokenText = (notes: Notes): void =>
  notes.add('# texts had halves of characters in them (lone surrogates), which can’t be kept; � stands there now.')

/** One conversation in a file of its own, pictures within. */
export async function importConversation(source: JsonSource, staging: Staging, notes: Notes): Promise<void> {
  const incoming = await readConversation(source, notes)
  const places = new Map<string, ByteRange>()
  if (incoming.media) {
    for await (const child of children(source, incoming.media)) places.set(await pictureId(source, child), child)
    if (places.size > 10_000) throw damaged('The file has more pictures than can be read.')
  }
  await staging.add(incoming, async (id) => {
    const place = places.get(id)
    if (!place) return null
    const said = archivedPicture.safeParse(await parse(source, place))
    if (!said.success) throw damaged('A picture of the file is not what its format says.', said.error)
    return Buffer.from(said.data.data, 'base64')
  })
}

/** Its id alone: the picture itself is read when a message asks for it. */
async function pictureId(source: JsonSource, child: Child): Promise<string> {
  for await (const { key, start, end } of children(source, child)) {
    if (key !== 'id') continue
    const said = await parse(source, { start, end })
    if (typeof said === 'string') return said
  }
  throw damaged('A picture of the file is not what its format says.')
}

const small = 8 * 1024 * 1024
const pictureBytes = 64 * 1024 * 1024

/** Our archive. Each entry is checked against the manifest's sum before anything of it is used. */
export async function importArchive(
  zip: ZipReader,
  parts: ArchiveParts,
  staging: Staging,
  notes: Notes,
): Promise<() => void> {
  const list = await readManifest(zip)
  const sums = new Map(list.entries.map((entry) => [entry.name, entry]))
  if (sums.size !== list.entries.length) throw damaged('The archive’s manifest names an entry twice.')
  for (const { name, bytes } of list.entries) {
    if (zip.entries.get(name)?.size !== bytes) throw damaged('The archive is damaged: an entry is missing or cut.')
  }
  for (const name of zip.entries.keys()) {
    if (!sums.has(name) && name !== 'manifest.json')
      throw damaged('The archive has an entry that its manifest does not name.')
  }
  const checked = async (entry: ZipEntry, most: number): Promise<Buffer> => {
    const bytes = await zip.read(entry, most)
    if (createHash('sha256').update(bytes).digest('hex') !== sums.get(entry.name)?.sha256) throw changed()
    return bytes
  }
  const picture: PictureSource = async (id) => {
    const entry = zip.entries.get(`media/${id}`)
    return entry ? checked(entry, pictureBytes) : null
  }
  const library = zip.entries.get('library.json')
  if (!library) throw damaged('The archive is damaged: an entry is missing or cut.')
  const shelves = await readLibrary(await checked(library, pictureBytes), notes)
  // In the manifest's order: the longest untouched first, so that the search finds the newest first.
  for (const { name, sha256 } of list.entries) {
    const entry = zip.entries.get(name)
    const id = /^conversations\/([\da-f-]{36})\.json$/.exec(name)?.[1]
    if (!entry || id === undefined) continue
    const work = async (source: JsonSource): Promise<void> => {
      const incoming = await readConversation(source, notes)
      if (incoming.conversation.id !== id)
        throw damaged('The archive has a conversation under another name than its own.')
      await staging.add(incoming, picture)
    }
    if (entry.size <= small) await work(inMemory(await checked(entry, small)))
    else await unpacked(zip, entry, sha256, parts.tempDir, work)
  }
  return () => addLibrary(parts, shelves, notes)
}

const changed = (): Error => damaged('The archive is damaged: an entry is not what its manifest says.')

/** A large entry is unpacked to a file that only lives as long as the work with it. */
export async function unpacked(
  zip: ZipReader,
  entry: ZipEntry,
  sha256: string | null,
  tempDir: string,
  work: (source: JsonSource) => Promise<void>,
): Promise<void> {
  const path = join(tempDir, `import-${randomUUID()}`)
  try {
    const sum = await zip.unpack(entry, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    if (sha256 !== null && sum !== sha256) throw changed()
    const handle = await open(path, 'r')
    try {
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
  if (!entry) throw damaged('The archive has no manifest.')
  const source = inMemory(await zip.read(entry, pictureBytes))
  const said: unknown = await parse(source, { start: 0, end: source.size })
  if (typeof said === 'object' && said !== null && 'version' in said && Number(said.version) > formatVersion)
    throw newer()
  const list = manifest.safeParse(said)
  if (!list.success) throw damaged('The archive’s manifest is not what its format says.', list.error)
  return list.data
}

async function readLibrary(bytes: Buffer, notes: Notes) {
  const source = inMemory(bytes)
  const said = libraryFile.safeParse(await parse(source, { start: 0, end: source.size }, () => brokenText(notes)))
  if (!said.success) throw damaged('The archive’s library is not what its format says.', said.error)
  return said.data
}

/** What is here already keeps its place: a folder by its id, prompts and presets where they are the same; others come beside. */
function addLibrary({ store }: ArchiveParts, library: ReturnType<typeof libraryFile.parse>, notes: Notes): void {
  const { folders, prompts, presets } = store
  const known = new Set(folders.rows().map(({ id }) => id))
  for (const folder of library.folders) if (!known.has(folder.id)) folders.insert(folder)
  const content = ({ name, model, instructions, params }: Preset): string =>
    JSON.stringify([name, model, instructions, params])
  const beside = '# prompts or presets are here already with other contents; they came in beside them.'
  for (const one of library.prompts) {
    const here = prompts.find(one.id)
    if (prompts.list().some(({ name, text }) => name === one.name && text === one.text)) continue
    if (here) notes.add(beside)
    prompts.insert(here ? { ...one, id: randomUUID() } : one)
  }
  for (const one of library.presets) {
    const here = presets.find(one.id)
    const said = content(one)
    if (presets.list().some((other) => content(other) === said)) continue
    if (here) notes.add(beside)
    presets.insert(here ? { ...one, id: randomUUID() } : one)
  }
}
