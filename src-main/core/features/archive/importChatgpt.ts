import { assetId } from './chatgptContent.ts'
import { isExported, readExported, updatedAt } from './chatgptExport.ts'
import type { ArchiveParts } from './dependencies.ts'
import { damaged, type Notes } from './importNotes.ts'
import { type Child, children, firstByte, inMemory, type JsonSource, parse } from './jsonSource.ts'
import { unpacked } from './nativeArchive.ts'
import type { PictureSource, Staging } from './staging.ts'
import type { ZipEntry, ZipReader } from './zipReader.ts'

/** `conversations.json`, or in several files as large exports have it. */
export const conversationsName = /(?:^|\/)conversations(?:-\d+)?\.json$/
const pictureBytes = 64 * 1024 * 1024
const small = 8 * 1024 * 1024

/** ChatGPT's export as a zip, with pictures where they are there. */
export async function importExport(zip: ZipReader, parts: ArchiveParts, staging: Staging, notes: Notes): Promise<void> {
  const picture = pictureOf(zip)
  const files = [...zip.entries.values()].filter(({ name }) => conversationsName.test(name))
  files.sort((a, b) => (a.name < b.name ? 1 : -1))
  for (const entry of files) {
    const work = (source: JsonSource): Promise<void> => importConversations(source, staging, notes, picture)
    if (entry.size <= small) await work(inMemory(await zip.read(entry, small)))
    else await unpacked(zip, entry, null, parts.tempDir, work)
  }
}

/** One conversation of the file at a time is held, and where the others lie. */
export async function importConversations(
  source: JsonSource,
  staging: Staging,
  notes: Notes,
  picture: PictureSource = async () => null,
): Promise<void> {
  for (const child of await inOrder(source, await listOf(source))) {
    const broken = (): void =>
      notes.add('# texts had halves of characters in them (lone surrogates), which can’t be kept; � stands there now.')
    const incoming = readExported(await parse(source, child, broken), notes)
    await staging.add(incoming, picture)
  }
}

/** An array of conversations, an object that has it as `conversations`, or one conversation. */
async function listOf(source: JsonSource): Promise<Child[]> {
  const all: Child[] = []
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

/** The oldest first, so that the search finds the newest first. Exports are sorted, the newest first. */
async function inOrder(source: JsonSource, all: Child[]): Promise<Child[]> {
  const [first] = all
  const last = all.at(-1)
  if (!first || !last) return all
  const [from, to] = [updatedAt(await parse(source, first)), updatedAt(await parse(source, last))]
  return from > to ? all.reverse() : all
}

/** Whether the first of a file's conversations is one of ChatGPT's. */
export async function isChatgpt(source: JsonSource): Promise<boolean> {
  const [first] = await listOf(source)
  return first !== undefined && isExported(await parse(source, first))
}

/** Pictures lie in any folder under names that begin with the id of the asset: `file-ABC-name.png`, `file_abc-sanitized.png`. */
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
    if (!entry || entry.size > pictureBytes) return null
    return zip.read(entry, pictureBytes)
  }
}

export const nothingKnown = (): Error =>
  damaged('This is neither an export of Inference Studio nor one of ChatGPT. Nothing was taken over.')
