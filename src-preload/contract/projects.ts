import * as z from 'zod'
import { type AttachedDocument, attachedDocument, type DocumentToSend, studioDocument } from './documents.ts'
import { id, procedure, whole } from './problem.ts'

// A project is a folder of chats with defaults and pinned files. In code and databases it is a `folder`.

/** Maximum number of pinned files of one project. */
export const maxPinnedFiles = 64
/** Maximum number of passages of one message. */
export const maxPassages = 8
/** Maximum number of passages that can be removed from one message, while its text changes. */
export const maxRemovedPassages = 100
/** Maximum length of a passage, UTF-16 units. */
export const maxPassageLength = 2400
/** Tokens of all pinned files together that are sent whole, unless the person sets another number. */
export const defaultWholeTokens = 8000
/** Upper limit of that number. */
export const maxWholeTokens = 200_000

/** A file of a project. */
export const pinnedFile = studioDocument.extend({
  /** Sent whole with the first message of a chat. Otherwise passages of it are found for each message. */
  isWhole: z.boolean(),
  /** Whether search finds all of its text. False shortly after it was added. */
  isIndexed: z.boolean(),
})
export type PinnedFile = z.infer<typeof pinnedFile>

const offset = z.number().int().min(0)

/** A passage of a file, as it is sent with a message. */
export const passage = z.object({
  /** Number by which replies cite it. The same passage has the same number on the whole path. */
  number: z.number().int().min(1),
  mediaId: id,
  /** Name of the file. */
  name: z.string().max(300),
  /** Page, slide, sheet or chapter, such as `Page 3`. Empty for a file with one part. */
  label: z.string().max(1000),
  /** The part of the document, from 1, and the place in its text, UTF-16 units. */
  part: z.number().int().min(1),
  start: offset,
  end: offset,
  tokens: whole,
  text: z.string().max(maxPassageLength),
})
export type Passage = z.infer<typeof passage>

/** A passage to send, by its place. */
export const passageToSend = passage.pick({ mediaId: true, name: true, part: true, start: true })
export type PassageToSend = z.infer<typeof passageToSend>

/** Where a passage begins. */
export const passagePlace = passage.pick({ mediaId: true, part: true, start: true })
export type PassagePlace = z.infer<typeof passagePlace>

/** What the project of a chat adds to its next message. */
export const projectContext = z.object({
  /** Whole files that no message of the path has yet. */
  documents: z.array(attachedDocument),
  /** In the order of the files and their text. */
  passages: z.array(passage),
  /** Files whose text is not completely indexed yet. */
  indexing: whole,
})
export type ProjectContext = z.infer<typeof projectContext>

/** The files of a message as they are sent: those of the project, then those of the person. */
export function filesToSend(
  { documents: added, passages }: Pick<ProjectContext, 'documents' | 'passages'>,
  own: readonly AttachedDocument[],
): { documents: DocumentToSend[]; passages: PassageToSend[] } {
  const isOwn = ({ mediaId }: AttachedDocument): boolean =>
    own.some((one) => one.mediaId === mediaId && one.pages === null)
  return {
    documents: [...added.filter((one) => !isOwn(one)), ...own].map(({ mediaId, name, pages }) => ({
      mediaId,
      name,
      pages,
    })),
    passages: passages.map(({ mediaId, name, part, start }) => ({ mediaId, name, part, start })),
  }
}

/** What the replies of a project's chats cost, as far as known. */
export const projectCost = z.object({
  requests: whole,
  /** Sum of the known costs, SC. Estimated by the prices of this computer, as in chats. */
  cost: z.string(),
  /** Requests whose cost is unknown. */
  unpriced: whole,
})
export type ProjectCost = z.infer<typeof projectCost>

/** Whether two passages begin at the same place of the same file. */
export const samePlace = (a: PassagePlace, b: PassagePlace): boolean =>
  a.mediaId === b.mediaId && a.part === b.part && a.start === b.start

/** Numbers passages after those of the path. A passage that the path has already gets its number again. */
export function numberPassages(found: readonly Omit<Passage, 'number'>[], onPath: readonly Passage[]): Passage[] {
  let last = onPath.reduce((most, { number }) => Math.max(most, number), 0)
  return found.map((one) => {
    const known = onPath.find((other) => samePlace(one, other) && other.text === one.text)
    last += known ? 0 : 1
    return { ...one, number: known?.number ?? last }
  })
}

/**
 * Returns the files that are sent whole, smallest first, as long as all of them together have at most `wholeTokens`, and at most
 * `maxPinnedFiles`: a project merged from several computers may have more. The others are searched.
 */
export function wholeFiles<File extends { mediaId: string; tokens: number }>(
  files: readonly File[],
  wholeTokens: number,
): Set<string> {
  const chosen = new Set<string>()
  let left = wholeTokens
  for (const { mediaId, tokens } of files.toSorted((a, b) => a.tokens - b.tokens || (a.mediaId < b.mediaId ? -1 : 1))) {
    if (tokens > left || chosen.size >= maxPinnedFiles) break
    left -= tokens
    chosen.add(mediaId)
  }
  return chosen
}

export const projectsProcedures = {
  /** Pins a converted document (`documents.add`). @throws `no_such_item`, `bad_input` when the project has 64 files */
  pin: procedure.input(z.object({ folderId: id, mediaId: id, name: z.string().max(300) })).output(z.object({})),
  /** Removes a pinned file. Messages that were sent with it stay as they are. @throws `no_such_item` */
  unpin: procedure.input(z.object({ folderId: id, mediaId: id })).output(z.object({})),
  /** The cost of a project's chats, archived ones included. Zero for an unknown project. */
  cost: procedure.input(z.object({ folderId: id })).output(projectCost),
  /**
   * What the project adds to a message: whole files, and passages for its text. `conversationId` null: a new chat in
   * `folderId`. `parentId`: the message above an edited one; absent: the end of the active path.
   */
  context: procedure
    .input(
      z.object({
        conversationId: id.nullable(),
        folderId: id.nullable(),
        parentId: id.nullable().optional(),
        text: z.string().max(1_000_000),
        /** Passages that the person removed from this message. No others take their places. */
        without: z.array(passagePlace).max(maxRemovedPassages).default([]),
      }),
    )
    .output(projectContext),
  /**
   * The text around a passage, in its file. Null when the file is in no project and no message any more, or has another
   * text.
   */
  source: procedure
    .input(passagePlace.extend({ end: offset, text: passage.shape.text }))
    .output(z.object({ before: z.string(), after: z.string(), isCut: z.boolean() }).nullable()),
}
