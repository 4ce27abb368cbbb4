import * as z from 'zod'

/** A key of the texts in `src-renderer/i18n/LANGUAGE/notes.ts` or `selfCheck.ts`. */
const code = z.string().regex(/^(?:notes|selfCheck):[\w.]{1,80}$/)
/** The sentence in English: for `--json`, for models, and where the code is not known. */
const text = z.string().max(2_000)
const plainValue = z.union([z.string().max(1_000), z.number()])
/** A note may contain another one, such as its reason, and that one no further. */
const innerNote = z.object({ code, values: z.record(z.string().max(40), plainValue), text })

/** A sentence of the program, by its code and the values of its placeholders, so that it is shown in the person's language. */
export interface Note {
  code: string
  values: Record<string, string | number | Note>
  text: string
}

const coded = z.object({ code, values: z.record(z.string().max(40), z.union([plainValue, innerNote])) })
export const note: z.ZodType<Note> = coded.extend({ text })

/** A note, or the plain text of a title, of the operating system, or of an earlier version of the program, which had no codes. */
export const sentence = z.union([z.string().max(2_000), note])
export type Sentence = z.infer<typeof sentence>

/** The code of a sentence whose text stands beside it. Null for plain text. */
export const noteCode: z.ZodType<NoteCode> = coded.nullable()
export type NoteCode = Omit<Note, 'text'> | null

/** A sentence in English. */
export const textOf = (one: Sentence): string => (typeof one === 'string' ? one : one.text)

/** The code of a sentence, for formats that keep its text beside it. */
export function codeOf(one: Sentence | null): NoteCode {
  if (one === null || typeof one === 'string') return null
  return { code: one.code, values: one.values }
}

/** A sentence from its text and its code. */
export const sentenceOf = (text: string, code: NoteCode | undefined): Sentence => (code ? { ...code, text } : text)
