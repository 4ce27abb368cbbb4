import * as z from 'zod'
import { id, procedure } from './problem.ts'

/** Maximum size of a part before base64, bytes. */
export const partBytes = 512 * 1024
const base64 = z.base64().max(Math.ceil(partBytes / 3) * 4 + 4)

/** Files between page and core in parts, the same under both hosts. Unused files are deleted after an hour. */
export const transfersProcedures = {
  /** Starts an upload. @throws `bad_input` above 2 GB */
  beginUpload: procedure
    .input(z.object({ name: z.string().max(300), bytes: z.number().int().min(0).max(2_147_483_648) }))
    .output(z.object({ uploadId: id })),
  /** Parts arrive in order; `at` is the offset of this part. */
  uploadPart: procedure
    .input(z.object({ uploadId: id, at: z.number().int(), data: base64 }))
    .output(z.object({ received: z.number().int() })),
  cancelUpload: procedure.input(z.object({ uploadId: id })).output(z.object({})),
  /** Reads a download. An empty part is the end. */
  readDownload: procedure
    .input(z.object({ downloadId: id, at: z.number().int() }))
    .output(z.object({ data: z.string() })),
  releaseDownload: procedure.input(z.object({ downloadId: id })).output(z.object({})),
}

/** A file of the core, to be read with `transfers.readDownload`. */
export const download = z.object({ downloadId: id, name: z.string(), mime: z.string(), bytes: z.number().int() })
export type Download = z.infer<typeof download>

/** Result of an import. */
export const importReport = z.object({
  kind: z.enum(['conversation', 'archive', 'chatgpt']),
  conversations: z.number().int(),
  messages: z.number().int(),
  pictures: z.number().int(),
  /** Conversations that already existed unchanged and were skipped. */
  known: z.number().int(),
  /** What could not be imported, one sentence each; at most 50. */
  notes: z.array(z.string()),
  /** The first imported conversation, to open it. */
  conversationId: id.nullable(),
})
export type ImportReport = z.infer<typeof importReport>

export const archiveProcedures = {
  /** One conversation: the active path as Markdown, or the whole tree with its images as JSON. */
  exportConversation: procedure
    .input(z.object({ conversationId: id, format: z.enum(['markdown', 'json']) }))
    .output(download),
  /** Everything as one zip: conversations, folders, prompts, presets, images. */
  exportAll: procedure.output(download),
  /**
   * Detects the format from the content: our JSON, our archive, or an export of ChatGPT (zip or conversations.json).
   * Imports all or nothing.
   */
  import: procedure.input(z.object({ uploadId: id })).output(importReport),
}
