import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { chatParams, role } from './chat.ts'
import { id, instant, procedure } from './problem.ts'

export const folder = z.object({ id, name: z.string().min(1).max(100), conversations: z.number().int() })
export type Folder = z.infer<typeof folder>

/** A text to reuse. `{{name}}` in it is a variable, asked for when it is used; `{{name=default}}` has a value to begin with. */
export const prompt = z.object({
  id,
  name: z.string().min(1).max(100),
  text: z.string().min(1).max(100_000),
  updatedAt: instant,
})
export type Prompt = z.infer<typeof prompt>

/** Parameters, and if wanted a model and instructions, under a name. */
export const preset = z.object({
  id,
  name: z.string().min(1).max(100),
  model: z.string().nullable(),
  instructions: z.string().max(1_000_000).nullable(),
  params: chatParams,
  updatedAt: instant,
})
export type Preset = z.infer<typeof preset>

export const library = z.object({
  /** By name. */
  folders: z.array(folder),
  prompts: z.array(prompt),
  presets: z.array(preset),
  /** Conversations that were deleted and can still be brought back. */
  removed: z.number().int(),
})
export type Library = z.infer<typeof library>

export const removedConversation = z.object({
  id,
  title: z.string().nullable(),
  messages: z.number().int(),
  removedAt: instant,
  /** When it is erased for good. */
  erasedAt: instant,
})
export type RemovedConversation = z.infer<typeof removedConversation>

/** A place where the text was found. */
export const searchHit = z.object({
  conversationId: id,
  title: z.string().nullable(),
  archived: z.boolean(),
  /** Null: found in the title. */
  messageId: id.nullable(),
  role: role.nullable(),
  at: instant,
  /** Text around the first match, in pieces; `hit` pieces are what was looked for. At most 300 characters. */
  snippet: z.array(z.object({ text: z.string(), hit: z.boolean() })),
  /** Whether the message lies on the conversation's active path; `choose` brings it there. */
  onPath: z.boolean(),
})
export type SearchHit = z.infer<typeof searchHit>

const named = { id: id.optional(), name: z.string().trim().min(1).max(100) }

export const libraryProcedures = {
  /** The whole of it first, then the whole again after each change. */
  watch: procedure.output(eventIterator(library)),
  saveFolder: procedure.input(z.object(named)).output(z.object({ id })),
  /** Its conversations are in no folder afterwards. */
  removeFolder: procedure.input(z.object({ id })).output(z.object({})),
  savePrompt: procedure.input(z.object({ ...named, text: prompt.shape.text })).output(z.object({ id })),
  removePrompt: procedure.input(z.object({ id })).output(z.object({})),
  savePreset: procedure
    .input(
      z.object({ ...named, model: preset.shape.model, instructions: preset.shape.instructions, params: chatParams }),
    )
    .output(z.object({ id })),
  removePreset: procedure.input(z.object({ id })).output(z.object({})),
  /** Newest removal first. */
  removed: procedure.output(z.object({ conversations: z.array(removedConversation) })),
  /** Erases removed conversations for good, with pictures and logged bodies that nothing else uses. Without ids: all of them. */
  erase: procedure.input(z.object({ ids: z.array(id).optional() })).output(z.object({ erased: z.number().int() })),
  /**
   * Everything ever said, and titles: all words must occur (the last one may be a beginning), newest first, titles before messages. Works for
   * scripts without spaces. `more` is true where `limit` cut it.
   */
  search: procedure
    .input(
      z.object({
        text: z.string().max(500),
        conversationId: id.optional(),
        limit: z.number().int().min(1).max(200).default(50),
      }),
    )
    .output(z.object({ hits: z.array(searchHit), more: z.boolean() })),
}
