import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problem, procedure } from './problem.ts'

export const role = z.enum(['system', 'developer', 'user', 'assistant', 'tool'])

export const conversation = z.object({
  id,
  /** Null until the first exchange names it or the person does. */
  title: z.string().nullable(),
  /** The model of the latest reply or the one picked for the next. */
  model: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
  messages: z.number().int(),
  /** What the person had typed and not sent. */
  draft: z.string(),
  /** A reply is being made now. */
  running: z.boolean(),
})
export type Conversation = z.infer<typeof conversation>

export const usage = z.object({
  promptTokens: z.number().nullable(),
  completionTokens: z.number().nullable(),
  totalTokens: z.number().nullable(),
  /** A part of `promptTokens`, not added to it. */
  cachedTokens: z.number().nullable(),
})
export type Usage = z.infer<typeof usage>

/** A tool call as the model wrote it; `arguments` is JSON text that nothing has checked yet. */
export const toolCall = z.object({
  index: z.number().int(),
  id: z.string().nullable(),
  name: z.string(),
  arguments: z.string(),
})
export type ToolCall = z.infer<typeof toolCall>

/** What a reply that has no output yet is waiting for. */
export const wait = z.object({
  for: z.enum(['turn', 'connection', 'reply', 'first_token', 'retry']),
  since: instant,
  /** For `retry`: when the next attempt starts, which one it is, and what failed. */
  until: instant.nullable(),
  attempt: z.number().int().nullable(),
  problem: problem.nullable(),
})
export type Wait = z.infer<typeof wait>

/**
 * `pending`: asked, nothing has come. `streaming`: output is coming. `complete`: ended as the service meant it to.
 * `stopped`: by the person. `incomplete`: output came, then a fault. `failed`: a fault before any output.
 */
export const messageStatus = z.enum(['pending', 'streaming', 'complete', 'stopped', 'incomplete', 'failed'])
export type MessageStatus = z.infer<typeof messageStatus>

export const message = z.object({
  id,
  conversationId: id,
  parentId: id.nullable(),
  role,
  text: z.string(),
  reasoning: z.string(),
  refusal: z.string(),
  toolCalls: z.array(toolCall),
  status: messageStatus,
  wait: wait.nullable(),
  problem: problem.nullable(),
  model: z.string().nullable(),
  finishReason: z.string().nullable(),
  usage: usage.nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
  /** From the send to the first delta of any kind, and how long reasoning went on before the text, in ms. */
  firstTokenMs: z.number().nullable(),
  reasoningMs: z.number().nullable(),
  requestId: z.string().nullable(),
  /** Which of its siblings this is (1 of n): a retried reply has more than one. */
  sibling: z.number().int(),
  siblings: z.number().int(),
})
export type Message = z.infer<typeof message>

export const conversationEvent = z.discriminatedUnion('type', [
  /** Always first; the messages of the active path, oldest first. */
  z.object({ type: z.literal('snapshot'), conversation, messages: z.array(message) }),
  /** A message is new or something of it besides its growing text changed: replace it whole. */
  z.object({ type: z.literal('message'), message }),
  /**
   * Text to append. `at` is the length of that field (UTF-16 units) before the appending: a receiver whose own length
   * differs has missed something and must watch anew.
   */
  z.object({
    type: z.literal('delta'),
    messageId: id,
    field: z.enum(['text', 'reasoning', 'refusal']),
    at: z.number().int(),
    append: z.string(),
  }),
  z.object({ type: z.literal('conversation'), conversation }),
  /** The active path changed (a retry replaced a reply): replace all messages. */
  z.object({ type: z.literal('path'), messages: z.array(message) }),
  z.object({ type: z.literal('removed') }),
])
export type ConversationEvent = z.infer<typeof conversationEvent>

export const conversationListEvent = z.discriminatedUnion('type', [
  /** Always first; newest first. */
  z.object({ type: z.literal('snapshot'), conversations: z.array(conversation) }),
  z.object({ type: z.literal('upsert'), conversation }),
  z.object({ type: z.literal('removed'), id }),
])
export type ConversationListEvent = z.infer<typeof conversationListEvent>

export const chatRoom = {
  /** All conversations, then changes. */
  watchList: procedure.output(eventIterator(conversationListEvent)),
  /** One conversation, then changes, until the caller aborts. */
  watch: procedure.input(z.object({ conversationId: id })).output(eventIterator(conversationEvent)),
  /**
   * Stores the person's turn, then asks the model. A null `conversationId` starts a new conversation. `requestId` is made by
   * the caller and becomes the turn's id, so that sending the same request twice sends it once.
   */
  send: procedure
    .input(
      z.object({
        requestId: id,
        conversationId: id.nullable(),
        text: z.string().min(1).max(1_000_000),
        model: z.string().min(1),
      }),
    )
    .output(z.object({ conversationId: id, turnId: id, replyId: id })),
  /** Stops a reply that is being made. Answers before the service does. `stopped` is false when it had ended already. */
  stop: procedure.input(z.object({ replyId: id })).output(z.object({ stopped: z.boolean() })),
  /** Asks again for a reply, as a sibling of the one given, which stays. */
  retry: procedure
    .input(z.object({ replyId: id, model: z.string().min(1).optional() }))
    .output(z.object({ replyId: id })),
  rename: procedure.input(z.object({ conversationId: id, title: z.string().max(200) })).output(z.object({})),
  saveDraft: procedure.input(z.object({ conversationId: id, draft: z.string().max(1_000_000) })).output(z.object({})),
  /** Takes it out of sight; `restore` brings it back. A running reply is stopped first. */
  remove: procedure.input(z.object({ conversationId: id })).output(z.object({})),
  restore: procedure.input(z.object({ conversationId: id })).output(z.object({})),
}
