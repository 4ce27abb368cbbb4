import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { chatParams, role } from './chat.ts'
import { id, instant, procedure, whole } from './problem.ts'
import { maxWholeTokens, pinnedFile } from './projects.ts'

/** Defaults of new chats in a folder, which the interface calls a project. Null: the default of all chats. */
const folderDefaults = {
  model: z.string().max(300).nullable(),
  instructions: z.string().max(100_000).nullable(),
  params: chatParams.nullable(),
  /** Tokens of its pinned files together that are sent whole. The other files are searched. */
  wholeTokens: z.number().int().min(0).max(maxWholeTokens),
}
export const folder = z.object({
  id,
  name: z.string().min(1).max(100),
  conversations: whole,
  ...folderDefaults,
  /** In the order of their names. */
  files: z.array(pinnedFile),
})
export type Folder = z.infer<typeof folder>

/** A prompt to reuse. `{{name}}` is a variable, filled in on use; `{{name=default}}` has a default. */
export const prompt = z.object({
  id,
  name: z.string().min(1).max(100),
  text: z.string().min(1).max(100_000),
  updatedAt: instant,
})
export type Prompt = z.infer<typeof prompt>

/** Named parameters, optionally with a model and instructions. */
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
  /** Sorted by name. */
  folders: z.array(folder),
  prompts: z.array(prompt),
  presets: z.array(preset),
  /** Deleted conversations that can be restored. */
  removed: whole,
})
export type Library = z.infer<typeof library>

export const removedConversation = z.object({
  id,
  title: z.string().nullable(),
  messages: whole,
  removedAt: instant,
  /** When it is deleted permanently. */
  erasedAt: instant,
})
export type RemovedConversation = z.infer<typeof removedConversation>

/** A search result. */
export const searchHit = z.object({
  conversationId: id,
  title: z.string().nullable(),
  archived: z.boolean(),
  /** Message that matches; null when the title matches. */
  messageId: id.nullable(),
  role: role.nullable(),
  at: instant,
  /** Text around the first match in segments, at most 300 characters; `hit` marks matches. */
  snippet: z.array(z.object({ text: z.string(), hit: z.boolean() })),
  /** Whether the message is on the active path of the conversation. `activatePath` makes it so. */
  onPath: z.boolean(),
})
export type SearchHit = z.infer<typeof searchHit>

const named = { id: id.optional(), name: z.string().trim().min(1).max(100) }

export const libraryProcedures = {
  /** The whole library, again after each change. */
  watch: procedure.output(eventIterator(library)),
  /** Absent members stay. */
  saveFolder: procedure
    .input(
      z.object({
        ...named,
        model: folderDefaults.model.optional(),
        instructions: folderDefaults.instructions.optional(),
        params: folderDefaults.params.optional(),
        wholeTokens: folderDefaults.wholeTokens.optional(),
      }),
    )
    .output(z.object({ id })),
  /** Deletes a folder. Its conversations stay, in no folder. */
  removeFolder: procedure.input(z.object({ id })).output(z.object({})),
  savePrompt: procedure.input(z.object({ ...named, text: prompt.shape.text })).output(z.object({ id })),
  removePrompt: procedure.input(z.object({ id })).output(z.object({})),
  savePreset: procedure
    .input(
      z.object({ ...named, model: preset.shape.model, instructions: preset.shape.instructions, params: chatParams }),
    )
    .output(z.object({ id })),
  removePreset: procedure.input(z.object({ id })).output(z.object({})),
  /** Most recently deleted first. */
  listDeleted: procedure.output(z.object({ conversations: z.array(removedConversation) })),
  /**
   * Deletes conversations permanently, with images and stored bodies that nothing else uses. Without ids, deletes all
   * deleted conversations.
   */
  deletePermanently: procedure.input(z.object({ ids: z.array(id).optional() })).output(z.object({ erased: whole })),
  /**
   * Searches all messages and titles. All words must occur; the last one may be a prefix. Titles first, then messages,
   * newest first. Works for scripts without spaces. `more` is true when `limit` cut the results.
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
