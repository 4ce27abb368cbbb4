import { open } from 'node:fs/promises'
import type { ImportReport } from '../../../../src-preload/contract/transfers.ts'
import { badInput, note } from '../../shared/notes.ts'
import { ZipReader } from '../../shared/zipReader.ts'
import type { ArchiveDependencies } from './dependencies.ts'
import { conversationFormat } from './format.ts'
import { conversationsName, importConversations, importExport, isChatgpt, unknownFormat } from './importChatgpt.ts'
import { Notes } from './importNotes.ts'
import { firstByte, inFile, type JsonSource, parse } from './jsonSource.ts'
import { importArchive, importConversation, members } from './nativeArchive.ts'
import { Staging } from './staging.ts'

/**
 * Imports an uploaded file, whose type is detected from its contents. Imports what is good, and names what is not. After any other failure, for example a
 * full disk, nothing is imported.
 * @throws StudioError `bad_input`, `no_such_item` if the upload does not exist
 */
export async function importFile(
  parts: ArchiveDependencies,
  { uploadId }: { uploadId: string },
): Promise<ImportReport> {
  const { path, name } = parts.uploads.take(uploadId)
  const notes = new Notes()
  const staging = new Staging(parts, notes)
  try {
    const report = await read(parts, { path, name }, staging, notes)
    if (staging.isPartial) await dropRest(parts)
    return report
  } catch (thrown) {
    await dropRest(parts)
    // Deep nesting overflows the stack of a recursive check.
    if (thrown instanceof RangeError) throw badInput(note('file.deep'), thrown)
    throw thrown
  } finally {
    await parts.uploads.done(uploadId)
  }
}

/** Deletes what was written of conversations that are not imported. */
async function dropRest({ store, cleanUp }: ArchiveDependencies): Promise<void> {
  store.erasures.giveUpImports()
  await cleanUp()
}

async function read(
  parts: ArchiveDependencies,
  { path, name }: { path: string; name: string },
  staging: Staging,
  notes: Notes,
): Promise<ImportReport> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const source = inFile(file, size)
    const head = await source.read(0, Math.min(size, 4))
    if (head[0] === 0x50 && head[1] === 0x4b) return await readZip(parts, path, staging, notes)
    const first = await firstByte(source)
    if (first === 0x7b && (await isNative(source))) {
      await importConversation(source, staging, notes)
      return staging.reveal('conversation')
    }
    if ((first === 0x7b || first === 0x5b) && (await isChatgpt(source))) {
      await importConversations(source, staging, notes, { name })
      return staging.reveal('chatgpt')
    }
    throw unknownFormat()
  } finally {
    await file.close()
  }
}

async function readZip(
  parts: ArchiveDependencies,
  path: string,
  staging: Staging,
  notes: Notes,
): Promise<ImportReport> {
  const zip = await ZipReader.open(path)
  try {
    const names = [...zip.entries.keys()]
    if (names.includes('manifest.json')) {
      const addLibrary = await importArchive(zip, parts, staging, notes)
      return staging.reveal('archive', addLibrary)
    }
    if (!names.some((name) => conversationsName.test(name))) throw unknownFormat()
    await importExport(zip, parts, staging, notes)
    return staging.reveal('chatgpt')
  } finally {
    await zip.close()
  }
}

/** Whether this program exported the file. Exports begin with `format`, so that a truncated file is recognized too. */
async function isNative(source: JsonSource): Promise<boolean> {
  const head = Buffer.from(await source.read(0, Math.min(source.size, 200))).toString('latin1')
  if (/^[^"]*"format"\s*:\s*"inference-studio\./.test(head)) return true
  const format = (await members(source)).get('format')
  return format !== undefined && (await parse(source, format)) === conversationFormat
}
