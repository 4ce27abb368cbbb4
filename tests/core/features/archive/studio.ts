import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Archive } from '../../../../src-main/core/features/archive/archive.ts'
import { storeDocument } from '../../../../src-main/core/features/archive/archivedDocuments.ts'
import { ChatLibrary } from '../../../../src-main/core/features/library/library.ts'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import type { ArchivedMessage } from '../../../../src-main/core/store/archive.ts'
import type { DeletionDeadlines } from '../../../../src-main/core/store/retentionClock.ts'
import { databaseFile, openStore, type Store } from '../../../../src-main/core/store/store.ts'
import { countTokens } from '../../../../src-main/core/upstream/reply/tokens.ts'
import { type Note, note, type Sentence } from '../../../../src-preload/contract/note.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import { createWords } from '../../../../src-renderer/i18n/host.ts'
import { plainStored } from '../../../helpers/contractRows.ts'
import { freshFolder } from '../../helpers/core.ts'
import { rightClock } from '../../helpers/deadlines.ts'
import { readDownload, uploadFile } from '../../helpers/transfers.ts'

export type Studio = ReturnType<typeof openStudio>

/** Opens the real store, library, media, transfers and archive of one data folder. */
export function openStudio(
  dataDir = freshFolder(),
  now: () => number = Date.now,
  deadlines: DeletionDeadlines = rightClock(now),
) {
  const store = openStore(dataDir)
  const transfers = createTransfers({ dataDir })
  const lines: string[] = []
  const dropped: string[] = []
  const erasedRows: number[] = []
  const added: string[] = []
  const merged: string[] = []
  const media = createMedia({ dataDir, store, uploads: transfers.uploads })
  const library = new ChatLibrary({
    store,
    deadlines,
    databaseFile: databaseFile(dataDir),
    async dropMedia(ids) {
      dropped.push(...ids)
      await media.drop(ids)
    },
    async deleteBodies(rows) {
      erasedRows.push(...rows)
    },
    log: (level, line) => lines.push(`${level} ${line}`),
  })
  const archive = new Archive({
    store,
    deadlines,
    tempDir: transfers.folder,
    version: '0.0.0-test',
    words: createWords(),
    media,
    downloads: transfers.downloads,
    uploads: transfers.uploads,
    cleanUp: async () => void (await library.sweep()),
    added(ids) {
      added.push(...ids)
      library.note()
    },
    isRunning: () => false,
    merged: (id) => void merged.push(id),
    libraryMerged: () => undefined,
    now,
  })

  const { sync: syncCoded } = archive
  const saved = ({ downloadId }: Download): Promise<Buffer> => readDownload(transfers, downloadId)

  return {
    dataDir,
    store,
    library,
    archive: Object.assign(archive as Omit<Archive, 'sync'>, {
      sync: async (...given: Parameters<typeof syncCoded>) => inEnglish(await syncCoded(...given)),
    }),
    media,
    transfers,
    lines,
    dropped,
    erasedRows,
    added,
    merged,
    saved,
    async import(bytes: Uint8Array | string, name = 'file') {
      return inEnglish(await this.importCoded(bytes, name))
    },
    /** An import whose report has its notes with their codes. */
    async importCoded(bytes: Uint8Array | string, name = 'file') {
      return archive.import({ uploadId: await uploadFile(transfers, name, Buffer.from(bytes)) })
    },
    exported: async () => saved(await archive.exportAll()),
    async picture(width = 1, height = 1) {
      return media.importFile({ bytes: png(width, height), id: randomUUID(), name: null })
    },
    /** Stores a text file as a converted document, and returns its id. */
    async document(text: string): Promise<string> {
      const { id } = await media.addDocument({ bytes: Buffer.from(text) }, { name: null })
      const tokens = countTokens(text)
      const facts = { kind: 'text', mime: 'text/plain', unit: 'text', tokens } as const
      storeDocument(store, id, { ...facts, id, notes: [], parts: [{ label: '', tokens, text }] })
      return id
    },
    /** Adds a text file to a folder, as a person does. */
    async pin(folderId: string, name: string, text: string): Promise<string> {
      const mediaId = await this.document(text)
      store.pinnedFiles.insert({ folderId, mediaId, name, addedAt: new Date().toISOString() })
      return mediaId
    },
    async unpin(folderId: string, mediaId: string): Promise<void> {
      store.pinnedFiles.remove(folderId, mediaId)
      await media.drop([mediaId])
    },
    /** The pinned files of a folder by name, with their text. */
    pinned: (folderId: string): string[] =>
      store.pinnedFiles.files(folderId).map((file) => {
        const parts = store.documents.parts({ ...file, pages: null })
        return `${file.name}: ${parts.map(({ text }) => text).join('')}`
      }),
    async close() {
      await archive.close()
      await library.close()
      await transfers.close()
      store.close()
    },
  }
}

/** The header of a PNG, the only part that is examined. Its size makes each image different. */
export function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(60)
  bytes.writeUInt32BE(0x89504e47, 0)
  bytes.writeUInt32BE(0x0d0a1a0a, 4)
  bytes.writeUInt32BE(13, 8)
  bytes.write('IHDR', 12)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

/** All rows with content of the person, in a stable order, for comparisons. */
export function everything(store: Store): unknown {
  return {
    conversations: store.archive
      .ids()
      .map((id) => [store.archive.conversation(id), store.archive.seqs(id).map((seq) => store.archive.message(seq))]),
    folders: store.folders.rows(),
    prompts: store.prompts.list(),
    presets: store.presets.list(),
    media: [...store.media.ids()].sort(),
    planned: (['conversation', 'import', 'media', 'request'] as const).map((what) => store.erasures.planned(what)),
  }
}

export const message = (given: Partial<ArchivedMessage> = {}): ArchivedMessage => ({
  ...plainStored(),
  id: randomUUID(),
  role: 'user',
  text: 'Hello',
  createdAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:00:01.000Z',
  nextId: null,
  ...given,
})

/** Stores a folder without settings and returns its id. */
export function addFolder(store: Store, name: string, createdAt = '2026-01-01T00:00:00.000Z'): string {
  const id = randomUUID()
  store.folders.insert({ id, name, createdAt, model: null, instructions: null, params: null, wholeTokens: 8000 })
  return id
}

/** Stores a visible conversation and returns its id. */
export function put(
  store: Store,
  messages: ArchivedMessage[],
  given: Partial<Parameters<Store['archive']['stage']>[0]> = {},
): string {
  const id = given.id ?? randomUUID()
  const last = messages.at(-1)
  store.archive.stage(
    {
      id,
      title: 'A talk',
      model: 'm',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
      draft: '',
      folderId: null,
      pinned: false,
      archivedAt: null,
      leafId: null,
      importKey: null,
      setup: {
        instructions: '',
        instructionsRole: 'system',
        params: {},
        tools: { enabled: [], choice: 'auto', parallel: null },
      },
      ...given,
    },
    '2026-01-02T00:00:00.000Z',
  )
  store.archive.stageMessages(id, messages)
  const leafId = given.leafId ?? last?.id ?? null
  const parents = new Map(messages.map((one) => [one.id, one.parentId]))
  let length = 0
  for (let at = leafId; at !== null; at = parents.get(at) ?? null) length += 1
  store.archive.finish(id, { leafId, length, importKey: given.importKey ?? null })
  store.transaction(() => store.archive.reveal([{ id, folderId: given.folderId ?? null }], []))
  return id
}

/** Removes a conversation, as the list does. */
export const remove = (store: Store, id: string, at = new Date().toISOString()): void =>
  store.conversations.setRemoved(id, at)

/** Names of the files of the data folder that contain these bytes. */
export function inFiles(dataDir: string, names: readonly string[], wanted: string): string[] {
  return names.filter((name) => {
    try {
      return readFileSync(join(dataDir, name)).includes(wanted)
    } catch {
      return false
    }
  })
}

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** A report with texts in place of notes. */
type InEnglish<T> = T extends Sentence ? (T extends Note ? string : T) : { [Key in keyof T]: InEnglish<T[Key]> }

const inEnglish = <T>(report: T): InEnglish<T> =>
  JSON.parse(JSON.stringify(report), (_, value) => note.safeParse(value).data?.text ?? value)
