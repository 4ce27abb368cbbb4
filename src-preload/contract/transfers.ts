import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { sentence } from './note.ts'
import { id, instant, problemOrNull, procedure, whole } from './problem.ts'

// Files and audio are transferred over HTTP below `transfersPath`. Their procedures contain only ids:
//
//   PUT /transfers/ID?at=OFFSET             a part of an upload          { received }
//   PUT /transfers/recordings/ID?at=OFFSET  a piece of a recording       { bytes }
//   GET /transfers/ID                       a file, a stream of frames (frames.ts), or a page
//
// A PUT has the type `partType`. Failures are a `Problem` as JSON.

/** Path prefix of bytes under both hosts. */
export const transfersPath = '/transfers/'
export const transferPath = (transferId: string): string => transfersPath + transferId
export const recordingPath = (recordingId: string): string => `${transfersPath}recordings/${recordingId}`

/** Content type of a part. A page of another origin cannot send this type without the permission of the server. */
export const partType = 'application/octet-stream'
/** Maximum size of a part, bytes. A part of 1 MB took up to 28 ms of the page's thread on a busy computer, half of it takes about 15. */
export const partBytes = 512 * 1024
/** Maximum size of an uploaded file, of all running uploads together, and of the unpacked contents of an import, bytes. */
export const maxUploadBytes = 8 * 1024 ** 3

/** Maximum length of a document that is opened in the browser, characters. */
export const maxPageChars = 4_000_000

/** The reply to a part of an upload, and to a piece of a recording: the number of bytes stored so far. */
export const partReply = z.object({ received: whole })
export const pieceReply = z.object({ bytes: whole })

/** Files between page and core. Unused files are deleted after an hour. */
export const transfersProcedures = {
  /**
   * Starts an upload. Its parts are sent in order to `transferPath(uploadId)`. Bytes that arrived already are ignored.
   * @throws `bad_input` above `maxUploadBytes`, `busy` with too many running uploads
   */
  beginUpload: procedure
    .input(z.object({ name: z.string().max(300), bytes: z.number().int().min(0) }))
    .output(z.object({ uploadId: id })),
  cancelUpload: procedure.input(z.object({ uploadId: id })).output(z.object({})),
  /**
   * Shows an HTML document of a reply in the browser, in a sandbox: with scripts and network, without access to the program and its data.
   * Returns the id of a page at `transferPath(pageId)`, which can be opened once, within a minute. Null when the host has opened it.
   */
  openPage: procedure
    .input(z.object({ html: z.string().max(maxPageChars) }))
    .output(z.object({ pageId: id.nullable() })),
}

/** A file of the core at `transferPath(downloadId)`. The core deletes the file after it was read to its end. */
export const download = z.object({ downloadId: id, name: z.string(), mime: z.string(), bytes: whole })
export type Download = z.infer<typeof download>

/** A stream at `transferPath(streamId)`. The page must open it within a minute, and only once. Opening starts the stream. */
export const byteStream = z.object({ streamId: id })
export type ByteStream = z.infer<typeof byteStream>

/** A record of an imported file that was not imported, or only in part. */
export const leftOutRecord = z.object({
  /** Its title, or what else names it in the file. */
  title: sentence,
  reason: sentence,
})
export type LeftOutRecord = z.infer<typeof leftOutRecord>

/** Result of an import. */
export const importReport = z.object({
  kind: z.enum(['conversation', 'archive', 'chatgpt']),
  conversations: whole,
  messages: whole,
  pictures: whole,
  /** Conversations that already existed unchanged and were skipped. */
  known: whole,
  /** Content that could not be imported, one sentence each; at most 50. */
  notes: z.array(sentence),
  /** Records that were left out, each once; at most 1,000. */
  leftOut: z.array(leftOutRecord),
  /** Number of further records that were left out. */
  leftOutMore: whole,
  /** The first imported conversation, to open it. */
  conversationId: id.nullable(),
})
export type ImportReport = z.infer<typeof importReport>

/** One file of another computer in the shared folder. */
export const syncedFile = z.object({
  name: z.string(),
  /** `refused`: not merged, and read again next time; `problem` says why. */
  outcome: z.enum(['merged', 'unchanged', 'refused']),
  problem: sentence.nullable(),
  /** Conversations. */
  added: whole,
  changed: whole,
  /** New messages. */
  messages: whole,
})
export type SyncedFile = z.infer<typeof syncedFile>

/** Result of a sync with the other computers of a shared folder. */
export const syncReport = z.object({
  /** Path of this computer's file. */
  file: z.string(),
  /** False when its content has not changed. */
  written: z.boolean(),
  /** False when something was not merged. The next sync tries again. Absent in stored reports of earlier versions. */
  isComplete: z.boolean().default(true),
  files: z.array(syncedFile),
  /** What could not be merged, one sentence each; at most 101. */
  notes: z.array(sentence),
})
export type SyncReport = z.infer<typeof syncReport>

/** The result of a sync. Either `report` or `problem` is set. */
export const syncRun = z.object({
  /** When it ended. */
  at: instant,
  folder: z.string(),
  isAutomatic: z.boolean(),
  report: syncReport.nullable(),
  problem: problemOrNull,
})
export type SyncRun = z.infer<typeof syncRun>

export const syncState = z.object({
  isRunning: z.boolean(),
  /** The last sync of this data folder, also of an earlier run of the program. */
  last: syncRun.nullable(),
})
export type SyncState = z.infer<typeof syncState>

export const conversationExport = z.object({
  conversationId: id,
  format: z.enum(['markdown', 'json']),
  messageIds: z.array(id).max(100_000).optional(),
  pictures: z.boolean().optional(),
  documentText: z.boolean().optional(),
})
export type ConversationExport = z.infer<typeof conversationExport>

export const archiveProcedures = {
  /**
   * One conversation: as Markdown the active path, or the messages `messageIds` in their order, with the text of attached
   * files unless `documentText` is false; as JSON the whole tree, with its images
   * unless `pictures` is false.
   */
  exportConversation: procedure.input(conversationExport).output(download),
  /** Everything as one zip: conversations, folders, prompts, presets, images. */
  exportAll: procedure.output(download),
  /**
   * Detects the format from the content: our JSON, our archive, or an export of ChatGPT (zip or conversations.json).
   * Imports what is good, and lists what is not. After any other failure, for example a full disk, nothing is imported.
   */
  import: procedure.input(z.object({ uploadId: id })).output(importReport),
  /**
   * Merges the files of other computers in a folder of this computer, then writes the file of this one.
   * @throws `bad_input` for an unusable folder, `busy`, `disk_full`, `not_writable`
   */
  sync: procedure.input(z.object({ folder: z.string().min(1).max(4096) })).output(syncReport),
  /** Whether a sync runs, and the result of the last one, manual or automatic (`syncAutomatic` of the settings). Again after each change. */
  watchSync: procedure.output(eventIterator(syncState)),
}
