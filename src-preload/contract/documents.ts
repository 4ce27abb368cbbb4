import * as z from 'zod'
import { sentence } from './note.ts'
import { id, procedure, whole } from './problem.ts'

/** Maximum size of a document, bytes. Larger files are refused before their upload. */
export const maxDocumentBytes = 256 * 1024 * 1024
/** Maximum number of documents of one message. */
export const maxDocuments = 16
/** Maximum length of the text of all documents of one message, UTF-16 units: about 500,000 tokens. */
export const maxSentCharacters = 2_000_000

export const documentKind = z.enum([
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'odt',
  'odp',
  'ods',
  'epub',
  'html',
  'markdown',
  'csv',
  'code',
  'text',
])
export type DocumentKind = z.infer<typeof documentKind>

const textKinds: ReadonlySet<DocumentKind> = new Set<DocumentKind>(['html', 'markdown', 'csv', 'code', 'text'])
/** Whether documents of a kind are text files, which have an encoding. */
export const isTextKind = (kind: DocumentKind): boolean => textKinds.has(kind)

/** What the parts of a document are. A `text` has exactly one part. */
export const documentUnit = z.enum(['page', 'slide', 'sheet', 'chapter', 'text'])
export type DocumentUnit = z.infer<typeof documentUnit>

/** A converted document. The original is in the media store. */
export const studioDocument = z.object({
  mediaId: id,
  name: z.string().max(300),
  kind: documentKind,
  mime: z.string().max(200),
  /** Size of the original. */
  bytes: whole,
  unit: documentUnit,
  /** Number of pages, slides, sheets or chapters. */
  parts: whole,
  /** Estimated tokens of the whole text. */
  tokens: whole,
  /** What was left out or changed, one sentence each. */
  notes: z.array(sentence).max(50),
})
export type StudioDocument = z.infer<typeof studioDocument>

/** Encodings that a person may choose for a text document: the names of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels). */
export const textEncodings = [
  ...['UTF-8', 'UTF-16LE', 'UTF-16BE'],
  ...['GB18030', 'Big5', 'Shift_JIS', 'EUC-JP', 'ISO-2022-JP', 'EUC-KR'],
  ...['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256'],
  ...['windows-1257', 'windows-1258', 'windows-874', 'ISO-8859-2', 'ISO-8859-5', 'ISO-8859-7', 'KOI8-R', 'KOI8-U'],
  ...['IBM866', 'macintosh'],
] as const
export const textEncoding = z.enum(textEncodings)
export type TextEncoding = z.infer<typeof textEncoding>

/** The encoding in which a text document was read: the parameter `charset` of its type. Null for a document of another kind. */
export const encodingOf = ({ mime }: Pick<StudioDocument, 'mime'>): string | null =>
  /;charset=([\w.:-]+)$/.exec(mime)?.[1] ?? null

/** Consecutive pages, both included, counted from 1. */
export const pageRange = z.object({ from: whole, to: whole })

/** A document that was added to a draft. */
export const addedDocument = studioDocument.extend({
  /** Pages of a PDF without text, which a person may send as images. */
  scanned: z.array(pageRange),
})
export type AddedDocument = z.infer<typeof addedDocument>

/** Chosen parts, such as `1-3, 7`. Null: the whole text. */
const pages = z.string().max(500).nullable()

/** A document of a message. `tokens` is the estimate for the chosen parts. */
export const attachedDocument = studioDocument.extend({ pages })
export type AttachedDocument = z.infer<typeof attachedDocument>

/** A document to send: the file, its name, and the chosen parts. */
export const documentToSend = z.object({ mediaId: id, name: z.string().max(300), pages })
export type DocumentToSend = z.infer<typeof documentToSend>

/**
 * Reads a list of parts such as `1-3, 7` or `5-`. Returns ascending ranges without overlap, or null when the list is
 * invalid or names a part that does not exist.
 */
export function readPages(typed: string, parts: number): { from: number; to: number }[] | null {
  const ranges: { from: number; to: number }[] = []
  for (const piece of typed.split(/[,;]/)) {
    const found = /^\s*(\d{1,7})\s*(?:([-–])\s*(\d{1,7})?)?\s*$/.exec(piece)
    if (!found) return null
    const from = Number(found[1])
    const to = found[2] === undefined ? from : Number(found[3] ?? parts)
    if (from < 1 || to < from || to > parts) return null
    ranges.push({ from, to })
  }
  ranges.sort((a, b) => a.from - b.from)
  const merged: { from: number; to: number }[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last && range.from <= last.to + 1) last.to = Math.max(last.to, range.to)
    else merged.push({ ...range })
  }
  return merged
}

/** The normal form of a list of parts: `1-3, 7`. Null for all parts. */
export function writePages(ranges: readonly { from: number; to: number }[], parts: number): string | null {
  const [first] = ranges
  if (ranges.length === 1 && first?.from === 1 && first.to === parts) return null
  return ranges.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`)).join(', ')
}

export const documentsProcedures = {
  /**
   * Stores an uploaded file and converts it to text. One conversion runs at a time. Aborting the call cancels it.
   * @throws `bad_input` for a file that is broken, encrypted, too large, or of an unknown type
   */
  add: procedure.input(z.object({ uploadId: id })).output(addedDocument),
  /** How many pages of an upload that `add` converts were read. Null before the first page and after the last. */
  progress: procedure
    .input(z.object({ uploadId: id }))
    .output(z.object({ pages: z.object({ done: whole, all: whole }).nullable() })),
  /**
   * Converts the stored original of a text document again, in an encoding that a person chose. All messages and projects with this file have the
   * new text.
   * @throws `bad_input` for a document of another kind, `no_such_item`
   */
  reread: procedure
    .input(z.object({ mediaId: id, name: z.string().max(300), encoding: textEncoding }))
    .output(studioDocument),
  /** Exactly the text that a message with this document sends, with its estimated tokens. @throws `bad_input`, `no_such_item` */
  text: procedure
    .input(documentToSend)
    .output(z.object({ text: z.string(), tokens: whole, pages, isTooLong: z.boolean() })),
}
