import { randomUUID } from 'node:crypto'
import type { ImportReport } from '../../../../src-preload/contract/transfers.ts'
import type { ArchivedConversation, ArchivedMessage } from '../../store/archive.ts'
import { type IncomingDocument, storeDocument } from './archivedDocuments.ts'
import type { ArchiveDependencies } from './dependencies.ts'
import type { Notes } from './importNotes.ts'
import { storedHash } from './readStored.ts'
import { yieldRegularly } from './yieldToEventLoop.ts'

/** A conversation to import. `messages` is called at most twice. */
export interface Incoming {
  conversation: ArchivedConversation
  messages(): AsyncIterable<ArchivedMessage> | Iterable<ArchivedMessage>
  /** Hash of the content, to detect an existing conversation. */
  hash: string
  /** Id of the source in another program. Conversations with an `importKey` always get new ids. Null for native files. */
  importKey: string | null
  /** All message ids, so that conflicts are found before anything is written. */
  messageIds: readonly string[]
}

/** Returns the bytes of an image that a message names, or null if the file does not have it. */
export type PictureSource = (mediaId: string) => Promise<Uint8Array | null>
/** Returns a document that a message names, or null if the file does not have it. */
export type DocumentSource = (mediaId: string) => Promise<IncomingDocument | null>

type ImportedPicture = Awaited<ReturnType<ArchiveDependencies['media']['importFile']>>

const noDocuments: DocumentSource = async () => null

const rowsAtOnce = 20
const charactersAtOnce = 500_000

/**
 * Writes conversations invisibly, a few rows at a time, then makes all of them visible in one transaction, or deletes them. Until then
 * each is on the erasure list, so that the next start deletes them after a crash.
 */
export class Staging {
  readonly #parts: ArchiveDependencies
  readonly #notes: Notes
  readonly #isStrict: boolean
  readonly #stagedAt: string
  readonly #staged: { id: string; folderId: string | null }[] = []
  readonly #restored: string[] = []
  /** Import keys of the staged conversations. */
  readonly #keys = new Set<string>()
  readonly #pictures = new Map<string, ImportedPicture | null>()
  readonly #documents = new Map<string, string | null>()
  readonly #plannedMedia = new Set<string>()
  /** Whether conversations were begun that will not be shown. */
  isPartial = false
  #messages = 0
  #known = 0
  #first: string | null = null

  /**
   * @param isStrict whether an image or document that is damaged in the file fails its conversation, because a later read may find it whole. Else it
   *   is left out
   */
  constructor(parts: ArchiveDependencies, notes: Notes, isStrict = false) {
    this.#parts = parts
    this.#notes = notes
    this.#isStrict = isStrict
    this.#stagedAt = new Date(parts.now?.() ?? Date.now()).toISOString()
  }

  async add(incoming: Incoming, picture: PictureSource, document: DocumentSource = noDocuments): Promise<void> {
    const { archive } = this.#parts.store
    const { conversation, hash } = incoming
    const key = incoming.importKey ?? `studio:${hash}`
    // The same conversation twice in one import. The first is not shown yet.
    if (this.#keys.has(key)) {
      this.#known += 1
      return
    }
    const byKey = archive.byImportKey(key)
    if (byKey) return this.#addKnown(byKey.id, byKey.removed)
    const state = incoming.importKey === null ? archive.state(conversation.id) : null
    if ((state === 'here' || state === 'removed') && (await storedHash(this.#parts.store, conversation.id)) === hash) {
      return this.#addKnown(conversation.id, state === 'removed')
    }
    // Archives name conversations by their ids in lower case.
    const isTaken =
      state !== null ||
      conversation.id !== conversation.id.toLowerCase() ||
      incoming.messageIds.some(archive.hasMessage)
    if (isTaken) this.#notes.add('import.copies')
    const isRenamed = isTaken || incoming.importKey !== null
    const messages = this.#messages
    try {
      await this.#stage(incoming, isRenamed, key, { picture, document })
      this.#keys.add(key)
    } catch (thrown) {
      this.isPartial = true
      this.#messages = messages
      throw thrown
    }
  }

  /** Makes everything visible and runs `more`, in one transaction. */
  reveal(kind: ImportReport['kind'], more: () => void = () => undefined): ImportReport {
    const { store, added } = this.#parts
    store.transaction(() => {
      more()
      store.archive.reveal(this.#staged, this.#restored)
      this.forgetPlans()
    })
    const ids = [...this.#staged.map(({ id }) => id), ...this.#restored]
    added(ids)
    return {
      kind,
      conversations: ids.length,
      messages: this.#messages,
      pictures: [...this.#pictures.values()].filter((picture) => picture !== null).length,
      known: this.#known,
      notes: this.#notes.list(),
      ...this.#notes.leftOut(),
      conversationId: this.#first,
    }
  }

  /** Takes the imported images off the erasure list. Call in the transaction that makes their messages visible. */
  forgetPlans(): void {
    for (const id of this.#plannedMedia) this.#parts.store.erasures.forgetPlan('media', id)
    this.#plannedMedia.clear()
  }

  #addKnown(id: string, isRemoved: boolean): void {
    this.#first ??= id
    if (!isRemoved) this.#known += 1
    else if (!this.#restored.includes(id)) {
      this.#restored.push(id)
      this.#notes.add('import.restored')
    }
  }

  async #stage(
    { conversation, messages }: Incoming,
    isRenamed: boolean,
    key: string,
    sources: { picture: PictureSource; document: DocumentSource },
  ): Promise<void> {
    const { archive } = this.#parts.store
    const renamed = new Map<string, string>()
    const rename = <T extends string | null>(id: T): T | string => {
      if (id === null || !isRenamed) return id
      const known = renamed.get(id) ?? randomUUID()
      renamed.set(id, known)
      return known
    }
    const id = isRenamed ? randomUUID() : conversation.id
    const parents = new Map<string, string | null>()
    let batch: ArchivedMessage[] = []
    let characters = 0
    const giveWay = yieldRegularly()
    let isAltered = isRenamed
    const write = (): void => {
      archive.stageMessages(id, batch)
      batch = []
      characters = 0
    }
    archive.stage({ ...conversation, id }, this.#stagedAt)
    for await (const one of messages()) {
      parents.set(one.id, one.parentId)
      const attachments = await this.attachments(one, sources.picture)
      const documents = await this.documents(one, sources.document)
      isAltered ||= JSON.stringify([attachments, documents]) !== JSON.stringify([one.attachments, one.documents])
      batch.push({
        ...one,
        id: rename(one.id),
        parentId: rename(one.parentId),
        nextId: rename(one.nextId),
        askId: rename(one.askId),
        attachments,
        documents,
      })
      characters += one.text.length + one.reasoning.length
      this.#messages += 1
      if (batch.length >= rowsAtOnce || characters >= charactersAtOnce) write()
      await giveWay()
    }
    write()
    archive.finish(id, {
      leafId: rename(conversation.leafId),
      length: pathLength(parents, conversation.leafId),
      // The stored content differs from the file, so a second import recognizes the conversation by the hash of the file.
      importKey: isAltered ? key : conversation.importKey,
    })
    this.#staged.push({ id, folderId: conversation.folderId })
    this.#first ??= id
  }

  /**
   * Imports the images of a message and returns them as they are stored. Until `forgetPlans`, the next start deletes those
   * that no message shows.
   */
  async attachments({ attachments }: ArchivedMessage, source: PictureSource): Promise<ArchivedMessage['attachments']> {
    const kept: ArchivedMessage['attachments'] = []
    for (const one of attachments) {
      const picture = await this.#picture(one.mediaId, one.name, source)
      if (picture) kept.push({ ...picture, detail: one.detail, name: one.name })
    }
    // The hash of a file depends on the order of these keys.
    return kept.map(({ mediaId, detail, name, mime, width, height, bytes }) => ({
      mediaId,
      detail,
      name,
      mime,
      width,
      height,
      bytes,
    }))
  }

  /** Imports a file once for all conversations that name it. Returns null, and adds a note, when the source does not have the file. */
  async #once<Found, Imported>(
    imported: Map<string, Imported | null>,
    { id, name }: { id: string; name: string | null },
    missing: 'import.noImages' | 'import.noDocuments',
    source: (id: string) => Promise<Found | null>,
    add: (found: Found) => Promise<Imported | null>,
  ): Promise<Imported | null> {
    const known = imported.get(id)
    if (known !== undefined) return known
    const given = this.#isStrict ? await source(id) : undefined
    let added: Imported | null = null
    await this.#notes.attempt(
      () => name ?? id,
      async () => {
        const found = given === undefined ? await source(id) : given
        if (found === null) this.#notes.add(missing)
        added = found === null ? null : await add(found)
      },
    )
    imported.set(id, added)
    return added
  }

  #picture(id: string, name: string | null, source: PictureSource): Promise<ImportedPicture | null> {
    const add = (bytes: Uint8Array) => this.#importPicture(bytes, id, name)
    return this.#once(this.#pictures, { id, name }, 'import.noImages', source, add)
  }

  /** Documents to show with an imported message. Leaves out those that the archive lacks, because the model would not get their text. */
  async documents({ documents }: ArchivedMessage, source: DocumentSource): Promise<ArchivedMessage['documents']> {
    const known: ArchivedMessage['documents'] = []
    for (const one of documents) {
      const mediaId = await this.document(one.mediaId, one.name, source)
      if (mediaId !== null) known.push({ ...one, mediaId })
    }
    return known
  }

  /**
   * Imports a document once and returns its id on this computer, which differs when the same content is stored already. Returns null when
   * the archive does not have the document. Until `forgetPlans`, the next start deletes the document unless something refers to it.
   */
  document(id: string, name: string, source: DocumentSource): Promise<string | null> {
    const add = (found: IncomingDocument) => this.#importDocument(found, id, name)
    return this.#once(this.#documents, { id, name }, 'import.noDocuments', source, add)
  }

  async #importDocument({ bytes, content }: IncomingDocument, id: string, name: string): Promise<string> {
    const { store, media } = this.#parts
    this.#plan(id)
    const item = await media.addDocument({ bytes }, { id, name })
    if (item.id !== id) this.#plan(item.id)
    storeDocument(store, item.id, content)
    return item.id
  }

  /** Adds a file to the erasure list before it exists. Otherwise a crash in between would leave an unreferenced file. */
  #plan(id: string): void {
    this.#plannedMedia.add(id)
    this.#parts.store.erasures.planImported(id)
  }

  async #importPicture(bytes: Uint8Array, id: string, name: string | null) {
    const { media } = this.#parts
    this.#plan(id)
    const picture = await media.importFile({ bytes, id, name })
    if (picture.mediaId !== id) this.#plan(picture.mediaId)
    return picture
  }
}

function pathLength(parents: ReadonlyMap<string, string | null>, leafId: string | null): number {
  let length = 0
  for (let at: string | null = leafId; at !== null; at = parents.get(at) ?? null) length += 1
  return length
}
