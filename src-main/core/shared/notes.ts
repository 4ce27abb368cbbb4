import type { Note, Sentence } from '../../../src-preload/contract/note.ts'
import { notes } from '../../../src-renderer/i18n/en/notes.ts'
import { type NoteMaker, noteMaker } from '../../../src-renderer/i18n/noteText.ts'
import { StudioError } from '../errors.ts'

/** A note of an import, a sync or a converted document. */
export const note = noteMaker('notes', notes) as NoteMaker<typeof notes>

/** The error `bad_input` with a note as its reason, which windows and commands show in the person's language. */
export const badInput = (reason: Note, cause?: unknown): StudioError =>
  new StudioError('bad_input', reason.text, { note: reason }, cause === undefined ? undefined : { cause })

/** The message of an error, as a note if it has one. */
export const sentenceOfError = ({ message, facts }: StudioError): Sentence => facts.note ?? message
