import type { Sentence } from '../../../../src-preload/contract/note.ts'
import { badInput, note } from '../../shared/notes.ts'
import type { ZipEntry, ZipReader } from '../../shared/zipReader.ts'
import { assetId } from './chatgptContent.ts'
import { readExported, updatedAt } from './chatgptExport.ts'
import type { ArchiveDependencies } from './dependencies.ts'
import { faultOf, type Notes } from './importNotes.ts'
import { children, firstByte, inMemory, type JsonChild, type JsonSource, parse, titleIn } from './jsonSource.ts'
import { maxPictureBytes, smallEntryBytes, unpacked } from './nativeArchive.ts'
import type { PictureSource, Staging } from './staging.ts'
import { yieldRegularly } from './yieldToEventLoop.ts'

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
  let isRead = false
  let failure: unknown = null
  for (const entry of files) {
    const { name } = entry
    const work = (source: JsonSource): Promise<void> => importConversations(source, staging, notes, { name, picture })
    try {
      if (entry.size <= smallEntryBytes) await work(inMemory(await zip.read(entry, smallEntryBytes)))
      else await unpacked(zip, entry, null, parts.tempDir, work)
      isRead = true
    } catch (thrown) {
      const reason = faultOf(thrown)
      if (reason === null) throw thrown
      failure ??= thrown
      notes.leaveOut(name, reason)
    }
  }
  if (!isRead) throw failure
}

/**
 * Imports conversations one at a time, and names those that are bad. Memory contains one conversation and the positions of the others.
 * @param name name of the file, for conversations without a title
 */
export async function importConversations(
  source: JsonSource,
  staging: Staging,
  notes: Notes,
  { name, picture = async () => null }: { name: string; picture?: PictureSource },
): Promise<void> {
  const { all, isWhole } = await listOf(source)
  const places = new Map(all.map((child, at) => [child, at + 1]))
  for (const child of await inOrder(source, all)) {
    const title = async (): Promise<Sentence> =>
      (await titleIn(source, child)) ?? note('import.chatAt', { at: places.get(child) ?? 0, name })
    await notes.attempt(title, async () => {
      const incoming = await readExported(await parseLarge(source, child, notes), notes)
      await staging.add(incoming, picture)
    })
  }
  if (!isWhole) notes.leaveOut(name, note('file.cutOff'))
}

/** Conversations above this size, bytes, are parsed message by message, so that this thread is not blocked. */
const largeBytes = 1_000_000

/** Parses one conversation. */
async function parseLarge(source: JsonSource, child: JsonChild, notes: Notes): Promise<unknown> {
  if (child.end - child.start < largeBytes || child.isTooDeep) return parse(source, child, notes.addBrokenText)
  const value: Record<string, unknown> = Object.create(null)
  for await (const member of children(source, child)) {
    if (member.key === null) return parse(source, child, notes.addBrokenText)
    value[member.key] =
      member.key === 'mapping' ? await nodesOf(source, member, notes) : await parse(source, member, notes.addBrokenText)
  }
  return { ...value }
}

async function nodesOf(source: JsonSource, mapping: JsonChild, notes: Notes): Promise<unknown> {
  const nodes: Record<string, unknown> = Object.create(null)
  const giveWay = yieldRegularly()
  for await (const node of children(source, mapping)) {
    if (node.key === null) return parse(source, mapping, notes.addBrokenText)
    nodes[node.key] = await parse(source, node, notes.addBrokenText)
    await giveWay()
  }
  return nodes
}

/**
 * Finds the conversations: the elements of an array or of the member `conversations`, or else the object itself. `isWhole` is false when the file
 * ends or is damaged after the last of them.
 * @throws StudioError `bad_input` when the file is damaged before the first
 */
async function listOf(source: JsonSource): Promise<{ all: JsonChild[]; isWhole: boolean }> {
  const all: JsonChild[] = []
  let isOne = false
  try {
    if ((await firstByte(source)) === 0x5b) for await (const child of children(source)) all.push(child)
    else {
      for await (const { key, start, end } of children(source)) {
        if (key === 'conversations') for await (const child of children(source, { start, end })) all.push(child)
        else isOne ||= key === 'mapping'
      }
    }
  } catch (thrown) {
    if (faultOf(thrown) === null || all.length === 0) throw thrown
    return { all, isWhole: false }
  }
  return { all: isOne ? [{ key: null, start: 0, end: source.size, isTooDeep: false }] : all, isWhole: true }
}

/** Oldest first, so that search lists the newest first. Exports are sorted newest first. */
async function inOrder(source: JsonSource, all: JsonChild[]): Promise<JsonChild[]> {
  const [first] = all
  const last = all.at(-1)
  if (!first || !last) return all
  const [from, to] = [await timeOf(source, first), await timeOf(source, last)]
  return from > to ? all.toReversed() : all
}

/** When a conversation was changed last. Empty if it can't be read. Parses nothing else, because a conversation may be large. */
async function timeOf(source: JsonSource, child: JsonChild): Promise<string> {
  const times: Record<string, unknown> = {}
  try {
    for await (const { key, ...range } of children(source, child))
      if (key === 'update_time' || key === 'create_time') times[key] = await parse(source, range)
  } catch (thrown) {
    if (faultOf(thrown) === null) throw thrown
  }
  return updatedAt(times)
}

/** How many conversations are read to recognize a file. */
const mostRead = 100

/** Whether one of the first conversations of a file has the format of ChatGPT. */
export async function isChatgpt(source: JsonSource): Promise<boolean> {
  const { all } = await listOf(source)
  for (const child of all.slice(0, mostRead)) if (await hasMapping(source, child)) return true
  return false
}

/** Whether a value is an object with an object `mapping`, the tree of a conversation. */
async function hasMapping(source: JsonSource, child: JsonChild): Promise<boolean> {
  try {
    for await (const { key, start } of children(source, child)) {
      if (key === 'mapping') return (await source.read(start, start + 1))[0] === 0x7b
    }
  } catch (thrown) {
    if (faultOf(thrown) === null) throw thrown
  }
  return false
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

export const unknownFormat = (): Error => badInput(note('file.neither'))
