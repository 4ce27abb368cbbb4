import {
  type AddedDocument,
  type AttachedDocument,
  type DocumentToSend,
  isTextKind,
  maxDocumentBytes,
  maxSentCharacters,
  readPages,
  type StudioDocument,
  type TextEncoding,
  writePages,
} from '../../../../src-preload/contract/documents.ts'
import { StudioError } from '../../errors.ts'
import { badInput, note } from '../../shared/notes.ts'
import type { ForkProgram } from '../../shared/processWorker.ts'
import { SerialQueue } from '../../shared/serialQueue.ts'
import { attributeText, freeTag, oneLine } from '../../shared/text/tags.ts'
import type { DocumentPart, DocumentRow } from '../../store/documents.ts'
import type { MediaItem } from '../../store/media.ts'
import type { Store } from '../../store/store.ts'
import { type ConversionLimits, DocumentConversion } from './conversion.ts'

export interface DocumentsOptions {
  store: Pick<Store, 'documents' | 'media'>
  /** Files that a page uploaded. */
  uploads: {
    take(uploadId: string): { path: string; name: string; bytes: number }
    done(uploadId: string): Promise<void>
  }
  /** The folder of the originals. */
  media: {
    addDocument(source: { path: string }, facts: { name: string | null }): Promise<MediaItem>
    pathOf(id: string): string | null
    drop(ids: readonly string[]): Promise<void>
  }
  limits?: Partial<ConversionLimits>
  /** Starts the process that converts. */
  fork: ForkProgram
  /** Called when a stored document has another text. */
  replaced?: () => void
}

/** The text that a message with a document sends. */
export interface SentText {
  text: string
  tokens: number
  pages: string | null
  /** Whether the text is longer than a message may be. */
  isTooLong: boolean
}

export type Documents = ReturnType<typeof createDocuments>

/** Documents as context of chats: stored once by content, converted once in a process that may die, sent as text. */
export function createDocuments({ store, uploads, media, limits, fork, replaced }: DocumentsOptions) {
  const { documents } = store
  const conversion = new DocumentConversion(fork, limits)
  /** One file at a time, from its storage to the end of its conversion, so that equal files are converted once. */
  const queue = new SerialQueue()

  /** Pages that were read so far, by upload. */
  const read = new Map<string, { done: number; all: number }>()

  async function convert(
    item: MediaItem,
    { uploadId, name }: { uploadId: string; name: string },
    signal: AbortSignal | undefined,
  ): Promise<DocumentRow> {
    const { id } = item
    const known = documents.find(id)
    if (known) return known
    const path = media.pathOf(id)
    if (path === null) throw new StudioError('no_such_item', 'This file no longer exists.')
    documents.begin(id)
    let next = 1
    const onParts = (progress: Parameters<Parameters<typeof conversion.convert>[1]>[0]): void => {
      if (!('parts' in progress)) return void read.set(uploadId, progress)
      documents.addParts(id, next, progress.parts)
      next += progress.parts.length
    }
    const { kind, mime, unit, parts, tokens, notes } = await conversion.convert({ path, name }, onParts, signal)
    documents.finish(id, { kind, mime, unit, parts, tokens, notes })
    return get(id)
  }

  function get(mediaId: string): DocumentRow {
    const found = documents.find(mediaId)
    if (!found) throw new StudioError('no_such_item', 'That document no longer exists.')
    return found
  }

  /** @throws StudioError `bad_input`, `no_such_item` */
  function choose({ mediaId, name, pages }: DocumentToSend): {
    document: DocumentRow
    name: string
    pages: string | null
  } {
    const document = get(mediaId)
    if (pages === null) return { document, name, pages }
    const ranges = readPages(pages, document.parts)
    if (ranges === null) {
      throw new StudioError('bad_input', `“${pages}” names no pages of this document, which has ${document.parts}.`)
    }
    return { document, name, pages: writePages(ranges, document.parts) }
  }

  return {
    /**
     * Stores an uploaded file and converts it. The same content is stored and converted once.
     * @throws StudioError `bad_input` for a file that cannot be converted, `cancelled`, `no_such_item`
     */
    add: ({ uploadId }: { uploadId: string }, signal?: AbortSignal): Promise<AddedDocument> =>
      queue.run(async () => {
        const { path, name, bytes } = uploads.take(uploadId)
        try {
          signal?.throwIfAborted()
          if (bytes > maxDocumentBytes) {
            throw badInput(note('unreadable.large', { most: 256 }))
          }
          const item = await media.addDocument({ path }, { name: name === '' ? null : name })
          try {
            const document = await convert(item, { uploadId, name }, signal)
            store.media.draft(item.id)
            const scanned = document.kind === 'pdf' ? documents.emptyParts(item.id) : []
            return { ...document, name: name.slice(0, 300), scanned }
          } catch (thrown) {
            // A file that a message or another draft refers to stays.
            if (documents.find(item.id) === null) await media.drop([item.id])
            throw thrown
          }
        } finally {
          read.delete(uploadId)
          await uploads.done(uploadId)
        }
      }),
    /**
     * Converts the stored original of a text document again, in a chosen encoding. The file has this text from then on, wherever it is attached.
     * @throws StudioError `bad_input` for a document of another kind, `cancelled`, `no_such_item`
     */
    reread: (
      { mediaId, name, encoding }: { mediaId: string; name: string; encoding: TextEncoding },
      signal?: AbortSignal,
    ): Promise<StudioDocument> =>
      queue.run(async () => {
        if (!isTextKind(get(mediaId).kind)) throw new StudioError('bad_input', 'Only text files have an encoding.')
        const path = media.pathOf(mediaId)
        if (path === null) throw new StudioError('no_such_item', 'This file no longer exists.')
        const all: DocumentPart[] = []
        const { kind, mime, unit, parts, tokens, notes } = await conversion.convert(
          { path, name, encoding },
          (progress) => void ('parts' in progress && all.push(...progress.parts)),
          signal,
        )
        // It may have been deleted meanwhile.
        get(mediaId)
        documents.replace(mediaId, { kind, mime, unit, parts, tokens, notes }, all)
        replaced?.()
        return { ...get(mediaId), name: name.slice(0, 300) }
      }),
    /** Pages of an upload that were read so far; null when no page is being read. */
    progress: (uploadId: string): { done: number; all: number } | null => read.get(uploadId) ?? null,
    /** Exactly the text that a message with this document sends. @throws StudioError `bad_input`, `no_such_item` */
    text(selection: DocumentToSend): SentText {
      const { document, name, pages } = choose(selection)
      const size = documents.size({ ...document, pages })
      const isTooLong = size.characters > maxSentCharacters
      const text = isTooLong ? '' : documentBlock({ ...document, name, pages }, documents.parts({ ...document, pages }))
      return { text, tokens: size.tokens, pages, isTooLong }
    },
    /**
     * Documents as members of a message.
     * @throws StudioError `bad_input` when their text is too long together or a page does not exist, `no_such_item`
     */
    attach(selections: readonly DocumentToSend[]): AttachedDocument[] {
      let characters = 0
      return selections.map((selection) => {
        const { document, name, pages } = choose(selection)
        const size = documents.size({ ...document, pages })
        characters += size.characters
        if (characters > maxSentCharacters) {
          throw new StudioError('bad_input', 'The documents are too long for one message. Choose fewer pages.')
        }
        const { mediaId, kind, mime, bytes, unit, parts, notes } = document
        return { mediaId, name, kind, mime, bytes, unit, parts, tokens: size.tokens, notes, pages }
      })
    },
    /** The text of a document of a message, as the model gets it. @throws StudioError `no_such_item` */
    blockOf({ mediaId, name, pages }: Pick<AttachedDocument, 'mediaId' | 'name' | 'pages'>): string {
      const document = get(mediaId)
      return documentBlock({ ...document, name, pages }, documents.parts({ ...document, pages }))
    },
    close: (): Promise<void> => conversion.close(),
  }
}

const plurals = { page: 'pages', slide: 'slides', sheet: 'sheets', chapter: 'chapters', text: 'parts' } as const

/**
 * The text of a document as the model gets it: between tags with the file's name, with a label before each page, slide, sheet or
 * chapter. The tag has a number when the document itself contains an end tag, so that a hostile document cannot pretend to end.
 */
function documentBlock(
  { name, unit, parts: count, pages }: Pick<DocumentRow, 'unit' | 'parts'> & { name: string; pages: string | null },
  parts: readonly DocumentPart[],
): string {
  const ranges = pages === null ? null : readPages(pages, count)
  const chosen = ranges === null ? '' : ` ${plurals[unit]}="${pages} of ${count}"`
  const body = parts.map(({ label, text }) => (label === '' ? text : `[${oneLine(label)}]\n${text}`)).join('\n\n')
  const tag = freeTag('document', body)
  return `<${tag} name="${attributeText(name)}"${chosen}>\n${body}\n</${tag}>`
}
