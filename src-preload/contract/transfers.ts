import * as z from 'zod'
import { id, procedure } from './problem.ts'

/** Bytes of one part, before base64. */
export const partBytes = 512 * 1024
const base64 = z.base64().max(Math.ceil(partBytes / 3) * 4 + 4)

/** Files between page and core, in parts, the same over both hosts. What nobody takes is gone after an hour. */
export const transfersProcedures = {
  /** Announces a file that comes up. @throws `bad_input` above 2 GB */
  begin: procedure
    .input(z.object({ name: z.string().max(300), bytes: z.number().int().min(0).max(2_147_483_648) }))
    .output(z.object({ uploadId: id })),
  /** Parts come in order; `at` is the offset of this one. */
  part: procedure
    .input(z.object({ uploadId: id, at: z.number().int(), data: base64 }))
    .output(z.object({ received: z.number().int() })),
  drop: procedure.input(z.object({ uploadId: id })).output(z.object({})),
  /** Reads a file that goes down. An empty answer is its end. */
  read: procedure.input(z.object({ downloadId: id, at: z.number().int() })).output(z.object({ data: z.string() })),
  release: procedure.input(z.object({ downloadId: id })).output(z.object({})),
}

/** A file that the core made, to be read by `transfers.read`. */
export const download = z.object({ downloadId: id, name: z.string(), mime: z.string(), bytes: z.number().int() })
export type Download = z.infer<typeof download>

/** What became of a file that was read in. */
export const importReport = z.object({
  kind: z.enum(['conversation', 'archive', 'chatgpt']),
  conversations: z.number().int(),
  messages: z.number().int(),
  pictures: z.number().int(),
  /** Conversations that were here already, unchanged, and were not added twice. */
  known: z.number().int(),
  /** What could not be taken over, one sentence each; at most 50. */
  notes: z.array(z.string()),
  /** The first of them, to be opened. */
  conversationId: id.nullable(),
})
export type ImportReport = z.infer<typeof importReport>

export const archiveProcedures = {
  /** One conversation: the active path as Markdown, or the whole tree with its pictures as JSON. */
  exportConversation: procedure
    .input(z.object({ conversationId: id, format: z.enum(['markdown', 'json']) }))
    .output(download),
  /** Everything as one zip: conversations, folders, prompts, presets, pictures. */
  exportAll: procedure.output(download),
  /** Told apart by what is in it: our JSON, our archive, ChatGPT's export (zip or conversations.json). All of it or nothing. */
  import: procedure.input(z.object({ uploadId: id })).output(importReport),
}
