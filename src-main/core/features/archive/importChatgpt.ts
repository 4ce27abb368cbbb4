import type { ZipEntry, ZipReader } from '../../shared/zipReader.ts'
import { assetId } from './chatgptContent.ts'
import { isExported, readExported, updatedAt } from './chatgptExport.ts'
import type { ArchiveDependencies } from './dependencies.ts'
import { damaged, type Notes } from './importNotes.ts'
import { children, firstByte, inMemory, type JsonChild, type JsonSource, parse } from './jsonSource.ts'
import { maxPictureBytes, smallEntryBytes, unpacked } from './nativeArchive.ts'
import type { PictureSource, Staging } from './staging.ts'

/** Name of the file with the conversations. Large exports number several files. */
export const conversationsName = /(?:^|\/)conversations(?:-\d+)?\.json$/

/** Imports an export of ChatGPT from a zip, with the images in it. */
export async function importExport(
  zip: ZipReader,
  parts: ArchiveDependencies,
  staging: Staging,
  notes: Notes,
): Promise<void> {
  const picture = pictureOf(zip)
  const files = [...zip.entries.values()].filter(({ name }) => conversationsName.test(name))
  files.sort((a, b) => (a.name < b.name ? 1 : -1))
  for (const entry of files) {
    const work = (source: JsonSource): Promise<void> => importConversations(source, staging, notes, picture)
    if (entry.size <= smallEntryBytes) await work(inMemory(await zip.read(entry, smallEntryBytes)))
    else await unpacked(zip, entry, null, parts.tempDir, work)
  }
}

/** Imports conversations one at a time. Memory contains one conversation and the positions of the others. */
export async function importConversations(
  source: JsonSource,
  staging: Staging,
  notes: Notes,
  picture: PictureSource = async () => null,
): Promise<void> {
  for (const child of await inOrder(source, await listOf(source))) {
    const incoming = readExported(await parse(source, child, notes.addBrokenText), notes)
    await staging.add(incoming, picture)
  }
}

/** Finds the conversations: the elements of an array or of the member `conversations`, or else the object itself. */
async function listOf(source: JsonSource): Promise<JsonChild[]> {
  const all: JsonChild[] = []
  if ((await firstByte(source)) === 0x5b) {
    for await (const child of children(source)) all.push(child)
    return all
  }
  let isOne = false
  for await (const { key, start, end } of children(source)) {
    if (key === 'conversations') for await (const child of children(source, { start, end })) all.push(child)
    else isOne ||= key === 'mapping'
  }
  return isOne ? [{ key: null, start: 0, end: source.size }] : all
}

/** Oldest first, so that search lists the newest first. Exports are sorted newest first. */
async function inOrder(source: JsonSource, all: JsonChild[]): Promise<JsonChild[]> {
  const [first] = all
  const last = all.at(-1)
  if (!first || !last) return all
  const [from, to] = [updatedAt(await parse(source, first)), updatedAt(await parse(source, last))]
  return from > to ? all.reverse() : all
}

/** Whether the first conversation of a file has the format of ChatGPT. */
export async function isChatgpt(source: JsonSource): Promise<boolean> {
  const [first] = await listOf(source)
  return first !== undefined && isExported(await parse(source, first))
}

/**
 * Finds images by asset id. They may be in any folder, and their names begin with the id: `file-ABC-name.png`, `file_abc-sanitized.png`.
 */
function pictureOf(zip: ZipReader): PictureSource {
  const byId = new Map<string, ZipEntry>()
  for (const entry of zip.entries.values()) {
    const base = entry.name.split('/').at(-1) ?? ''
    const id = /^file[-_][A-Za-z\d]+/.exec(base)?.[0]
    if (id !== undefined && !byId.has(id)) byId.set(id, entry)
  }
  return async (asset) => {
    const id = assetId(asset)
    const entry = byId.get(id)
    if (!entry || entry.size > maxPictureBytes) return null
    return zip.read(entry, maxPictureBytes)
  }
}

export const unknownFormat = (): Error =>
  damaged('This is neither an export of Inference Studio nor one of ChatGPT. Nothing was imported.')
