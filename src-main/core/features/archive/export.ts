import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import type { ConversationExport, Download } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import { fileStem } from '../../shared/fileName.ts'
import type { ArchivedMessage } from '../../store/archive.ts'
import type { StoreReaders } from '../../store/openReadOnly.ts'
import { storedDocument } from './archivedDocuments.ts'
import type { ArchiveDependencies } from './dependencies.ts'
import { type ArchivedFile, type ArchiveManifest, archiveFormat, formatVersion, type LibraryFile } from './format.ts'
import { markdownHead, markdownMessage } from './markdown.ts'
import { type StoredTree, storedMessages, storedTree } from './readStored.ts'
import { conversationFile } from './writeConversation.ts'
import { ZipWriter } from './zipWriter.ts'

/**
 * Exports one conversation to a temporary file and offers it for download. @throws StudioError `no_such_item`, `busy`
 */
export async function exportConversation(
  parts: ArchiveDependencies,
  { conversationId, format, messageIds, pictures = true, documentText = true }: ConversationExport,
): Promise<Download> {
  const tree = storedTree(parts.store, conversationId)
  if (!tree || parts.store.archive.state(conversationId) !== 'here') {
    throw new StudioError('no_such_item', 'That conversation does not exist any more.')
  }
  const content =
    format === 'markdown'
      ? markdown(parts, tree, { messageIds, documentText })
      : conversationFile(
          parts.store,
          tree,
          { messages: 0, pictures: new Set(), documents: new Set() },
          pictures ? (id) => originalOrNull(parts, id) : undefined,
        )
  const path = join(parts.tempDir, `export-${randomUUID()}`)
  const name = `${fileStem(tree.conversation.title ?? '', 80, 'conversation')}.${format === 'markdown' ? 'md' : 'json'}`
  const mime = format === 'markdown' ? 'text/markdown' : 'application/json'
  return offerFile(parts, path, name, mime, () => writeFile(path, content))
}

/**
 * Exports all visible conversations as one zip. Loads one message or image at a time. A conversation that changes during the export is
 * written as it was when the export reached it. @throws StudioError `busy`
 */
export async function exportAll(parts: ArchiveDependencies): Promise<Download> {
  const now = new Date(parts.now?.() ?? Date.now()).toISOString()
  const path = join(parts.tempDir, `export-${randomUUID()}`)
  return offerFile(parts, path, archiveName(now), 'application/zip', async () => {
    await writeArchive(parts, new ZipWriter(path), { now })
  })
}

export const archiveName = (now: string): string => `inference-studio-${now.slice(0, 10)}.zip`

/** Source of an export. A read-only store is enough. */
export interface ArchiveSource {
  store: Pick<
    StoreReaders,
    'archive' | 'replyJournal' | 'documents' | 'folders' | 'pinnedFiles' | 'prompts' | 'presets'
  >
  media: Pick<ArchiveDependencies['media'], 'bytes'>
  version: string
}

export interface ArchiveOptions {
  /** ISO instant. */
  now: string
  wanted?: (updatedAt: string) => boolean
  /** Reads a conversation, or null to leave it out. */
  read?: (store: ArchiveSource['store'], id: string) => StoredTree | null
  /** Called before each entry. May throw, to stop the export. */
  check?: () => void
  /** Further entries, as JSON. Called when all conversations are written. */
  more?: () => readonly { name: string; value: unknown }[]
}

/**
 * Writes all conversations whose last change (ISO instant) `wanted` accepts. Closes the zip file after a failure. @throws as `exportAll`
 */
export async function writeArchive(
  { store, media, version }: ArchiveSource,
  zip: ZipWriter,
  { now, wanted = () => true, read = storedTree, check = () => undefined, more = () => [] }: ArchiveOptions,
): Promise<ArchiveManifest> {
  try {
    const counts = { conversations: 0, messages: 0, pictures: 0 }
    const pictures = new Set<string>()
    const documents = new Set<string>()
    for (const id of store.archive.ids()) {
      check()
      const tree = read(store, id)
      if (!tree || !wanted(tree.conversation.updatedAt)) continue
      const written = { messages: 0, pictures: new Set<string>(), documents: new Set<string>() }
      await zip.add(`conversations/${id}.json`, conversationFile(store, tree, written))
      counts.conversations += 1
      counts.messages += written.messages
      for (const picture of written.pictures) pictures.add(picture)
      for (const document of written.documents) documents.add(document)
    }
    const projects = store.folders.rows().map((folder) => {
      const files = store.pinnedFiles.entries(folder.id)
      return { ...folder, files: files.map(({ mediaId, name, addedAt }): ArchivedFile => ({ mediaId, name, addedAt })) }
    })
    for (const { mediaId } of projects.flatMap(({ files }) => files)) documents.add(mediaId)
    for (const id of [...pictures].sort()) {
      check()
      const bytes = await originalOrNull({ media }, id)
      if (!bytes) continue
      await zip.add(`media/${id}`, [bytes])
      counts.pictures += 1
    }
    for (const id of [...documents].sort()) {
      check()
      const bytes = await originalOrNull({ media }, id)
      const content = storedDocument(store, id)
      if (bytes) await zip.add(`media/${id}`, [bytes])
      if (content) await zip.add(`documents/${id}.json`, [Buffer.from(JSON.stringify(content))])
    }
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)
    const library: LibraryFile = {
      folders: projects,
      prompts: store.prompts.list().sort(byId),
      presets: store.presets.list().sort(byId),
    }
    await zip.add('library.json', [Buffer.from(`${JSON.stringify(library, null, 1)}\n`)])
    for (const { name, value } of more()) await zip.add(name, [Buffer.from(`${JSON.stringify(value)}\n`)])
    const { folders, prompts, presets } = library
    const manifest: ArchiveManifest = {
      format: archiveFormat,
      version: formatVersion,
      createdAt: now,
      program: version,
      counts: { ...counts, folders: folders.length, prompts: prompts.length, presets: presets.length },
      entries: [...zip.entries],
    }
    await zip.add('manifest.json', [Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)])
    await zip.end()
    return manifest
  } catch (thrown) {
    await zip.abandon()
    throw thrown
  }
}

/** Yields the active paths of all visible conversations whose last change (ISO instant) `wanted` accepts, as Markdown. */
export async function* markdownOfAll(
  { store, words }: Pick<ArchiveDependencies, 'words'> & Pick<ArchiveSource, 'store'>,
  wanted: (updatedAt: string) => boolean,
): AsyncGenerator<Uint8Array, undefined> {
  let first = true
  for (const id of store.archive.ids()) {
    const tree = storedTree(store, id)
    if (!tree || !wanted(tree.conversation.updatedAt)) continue
    if (!first) yield Buffer.from('\n\n---\n\n')
    first = false
    yield* markdown({ store, words }, tree)
  }
}

/** Writes a file and offers it as a download. Deletes it after a failure. */
async function offerFile(
  parts: ArchiveDependencies,
  path: string,
  name: string,
  mime: string,
  write: () => Promise<void>,
): Promise<Download> {
  try {
    await write()
    const { size: bytes } = await stat(path)
    return parts.downloads.offer({ path, name, mime, bytes })
  } catch (thrown) {
    await rm(path, { force: true })
    throw thrown
  }
}

async function* markdown(
  parts: Pick<ArchiveDependencies, 'words'> & Pick<ArchiveSource, 'store'>,
  { conversation, seqs }: StoredTree,
  { messageIds, documentText = true }: { messageIds?: readonly string[] | undefined; documentText?: boolean } = {},
): AsyncGenerator<Uint8Array, undefined> {
  yield Buffer.from(markdownHead(conversation, parts.words))
  const { archive, documents } = parts.store
  const path = messageIds
    ? archive.seqsOf(messageIds, seqs)
    : conversation.leafId === null
      ? []
      : archive.path(conversation.leafId)
  let before: ArchivedMessage | null = null
  for await (const message of storedMessages(parts.store, path)) {
    const textOf = documentText ? (document: AttachedDocument) => documents.parts(document) : null
    yield Buffer.from(markdownMessage(message, parts.words, textOf, before))
    before = message
  }
}

async function writeFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  const closed = once(file, 'close')
  closed.catch(() => undefined)
  for await (const chunk of content) {
    if (!file.write(chunk)) await Promise.race([once(file, 'drain'), closed])
  }
  file.end()
  await closed
}

/** The bytes of an image or document, or null if its file is missing. The message still has its name and size. */
async function originalOrNull({ media }: Pick<ArchiveSource, 'media'>, id: string): Promise<Buffer | null> {
  try {
    return await media.bytes(id)
  } catch (thrown) {
    if (thrown instanceof StudioError && thrown.kind === 'no_such_item') return null
    throw thrown
  }
}
