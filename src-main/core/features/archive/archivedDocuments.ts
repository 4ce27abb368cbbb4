import * as z from 'zod'
import { documentKind, documentUnit } from '../../../../src-preload/contract/documents.ts'
import { codeOf, noteCode, sentenceOf, textOf } from '../../../../src-preload/contract/note.ts'
import { id } from '../../../../src-preload/contract/problem.ts'
import type { StoreReaders } from '../../store/openReadOnly.ts'
import type { Store } from '../../store/store.ts'

const count = z.number().int().min(0)

/** Maximum length of the text of a document, UTF-16 units, as for conversions. */
const maxCharacters = 20_000_000
/** Bounds for a plausible token count: the longest token of the tokenizer, UTF-16 units, and the most tokens of one UTF-16 unit. */
const tokenLimits = { longest: 128, mostEach: 3 }

interface CountedPart {
  tokens: number
  text: string
}

/** Whether a token count is possible for a text. The count decides whether a pinned file is sent whole, so an archive must not set it freely. */
const isPossible = ({ tokens, text }: CountedPart): boolean =>
  tokens * tokenLimits.longest >= text.length && tokens <= text.length * tokenLimits.mostEach

/** A converted document in an archive: `documents/ID.json` of a zip, or an element of `documents` in a conversation file. */
export const archivedDocument = z
  .object({
    id,
    kind: documentKind,
    mime: z.string().max(200),
    unit: documentUnit,
    tokens: count,
    notes: z.array(z.string().max(2_000)).max(50),
    /** Codes of the notes, in their order. Absent where all of them are plain text, and in archives of earlier versions. */
    noteCodes: z.array(noteCode).max(50).optional(),
    parts: z.array(z.object({ label: z.string().max(1000), tokens: count, text: z.string() })).max(20_000),
  })
  .refine(({ parts }) => parts.reduce((all, { text }) => all + text.length, 0) <= maxCharacters)
  .refine(({ tokens, parts }) => parts.every(isPossible) && tokens === parts.reduce((all, one) => all + one.tokens, 0))
export type ArchivedDocument = z.infer<typeof archivedDocument>

/** A document of an archive, with the bytes of its original. */
export interface IncomingDocument {
  bytes: Uint8Array
  content: ArchivedDocument
}

/** A stored document in the form of the archive; null when it does not exist. */
export function storedDocument(store: Pick<StoreReaders, 'documents'>, mediaId: string): ArchivedDocument | null {
  const found = store.documents.find(mediaId)
  if (!found) return null
  const { kind, mime, unit, tokens } = found
  const [notes, noteCodes] = [found.notes.map(textOf), found.notes.map(codeOf)]
  const codes = noteCodes.some((one) => one !== null) ? { noteCodes } : {}
  const parts = store.documents.parts({ ...found, pages: null })
  return { id: mediaId, kind, mime, unit, tokens, notes, ...codes, parts }
}

/** Stores the text of an imported document, unless it is there already. Its original is in the media store. */
export function storeDocument(
  { documents }: Pick<Store, 'documents'>,
  mediaId: string,
  content: ArchivedDocument,
): void {
  if (documents.find(mediaId)) return
  const { kind, mime, unit, tokens, noteCodes, parts } = content
  const notes = content.notes.map((text, at) => sentenceOf(text, noteCodes?.[at]))
  documents.begin(mediaId)
  documents.addParts(mediaId, 1, parts)
  documents.finish(mediaId, { kind, mime, unit, tokens, notes, parts: parts.length })
}
