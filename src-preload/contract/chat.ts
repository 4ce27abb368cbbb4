import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problem, procedure, requestId } from './problem.ts'
import { certainty, sc } from './requests.ts'

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
  /** A tool call waits for the person's yes, or for a result by hand. */
  waiting: z.boolean(),
  /** Null: in no folder. */
  folderId: id.nullable(),
  pinned: z.boolean(),
  archived: z.boolean(),
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

/**
 * How one call of a tool stands. `awaiting`: for the person's yes. `by_hand`: allowed; the person gives the result. `running`.
 * `done`: the tool answered (`isError` tells whether with an error of its own). `denied`: the person said no. `invalid`: its arguments are not
 * JSON, or not what the schema asks; never run, and the model is told so. `unknown_tool`: no such tool is switched on. `stopped`: by the
 * person. `timed_out`, `failed`: no answer came. Everything from `done` on is settled, and its message's text is what the model gets.
 */
export const toolRunState = z.enum([
  'awaiting',
  'by_hand',
  'running',
  'done',
  'denied',
  'invalid',
  'unknown_tool',
  'stopped',
  'timed_out',
  'failed',
])
export type ToolRunState = z.infer<typeof toolRunState>

export const toolRun = z.object({
  /** As the model gave it, or one made up where it gave none. */
  callId: z.string(),
  name: z.string(),
  /** As the model wrote them. */
  arguments: z.string(),
  state: toolRunState,
  /** The tool that stands behind the name, as it was when the call came; null for an unknown one. */
  tool: z
    .object({
      id: z.string(),
      kind: z.enum(['function', 'mcp']),
      server: z.string().nullable(),
      /** Stands for the tool's whole form (name, description, schema, server) at that time: a yes holds for no other. */
      fingerprint: z.string().optional(),
    })
    .nullable(),
  /** Who allowed it: this once, for this conversation, or always for this tool. */
  allowed: z.enum(['once', 'conversation', 'always']).nullable(),
  isError: z.boolean(),
  /** What is wrong with the arguments, or what failed; one English sentence each. */
  notes: z.array(z.string()),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
})
export type ToolRun = z.infer<typeof toolRun>

/** A picture that goes with a message; its bytes lie in the media store. */
export const attachment = z.object({
  mediaId: id,
  /** How closely the model should look; null leaves it to the service. */
  detail: z.enum(['auto', 'low', 'high']).nullable(),
  name: z.string().max(300).nullable(),
  mime: z.string(),
  width: z.number().int(),
  height: z.number().int(),
  bytes: z.number().int(),
})
export type Attachment = z.infer<typeof attachment>

const extraValue = z.json()

/** Parameters of a chat completion (specification, Chat completions). What is absent is not sent. */
export const chatParams = z.object({
  // The specification shows no bounds of these four: what a model takes is the model's to say.
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxTokens: z.number().int().min(1).max(10_000_000).optional(),
  stop: z.array(z.string().min(1).max(1000)).min(1).max(16).optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  /** How many choices; they stand side by side. */
  n: z.number().int().min(1).max(8).optional(),
  responseFormat: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        name: z.string().regex(/^[\w-]{1,64}$/),
        /** JSON text of the schema, kept as typed. */
        schema: z.string().max(200_000),
        strict: z.boolean(),
      }),
    ])
    .optional(),
  /** More members of the request body, as they are; none that this program sets itself. */
  extra: z.record(z.string(), extraValue).optional(),
})
export type ChatParams = z.infer<typeof chatParams>

/** Which tools a conversation offers, and how. */
export const toolUseOfChat = z.object({
  /** Ids of tools: `function:UUID` or `mcp:SERVER_UUID:NAME`. */
  enabled: z.array(z.string().max(500)).max(128),
  /** `auto` is not sent; a name forces that tool. */
  choice: z.union([z.enum(['auto', 'none', 'required']), z.object({ name: z.string().max(64) })]),
  /** Null is not sent. */
  parallel: z.boolean().nullable(),
})
export type ToolUseOfChat = z.infer<typeof toolUseOfChat>

/** What a person set for a conversation. */
export const chatSetup = z.object({
  /** Sent first, as a message of `instructionsRole`; empty: none. */
  instructions: z.string().max(1_000_000),
  instructionsRole: z.enum(['system', 'developer']),
  params: chatParams,
  tools: toolUseOfChat,
})
export type ChatSetup = z.infer<typeof chatSetup>

/** What a new conversation begins with. */
export const emptySetup: ChatSetup = {
  instructions: '',
  instructionsRole: 'system',
  params: {},
  tools: { enabled: [], choice: 'auto', parallel: null },
}

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
  /** Which of its siblings this is (1 of n): a retried reply or an edited turn has more than one. */
  sibling: z.number().int(),
  siblings: z.number().int(),
  /** `messages[].name`. */
  name: z.string().nullable(),
  attachments: z.array(attachment),
  /** For role `tool`: the call that it answers, and how that stands. */
  run: toolRun.nullable(),
  /** Replies that were asked for together (n choices, or several models) share it. */
  askId: id.nullable(),
  /** A turn that this program wrote on a person's click, such as Continue. */
  made: z.enum(['continue']).nullable(),
  /** Null where `costIs` is `unknown`. Of a request with several choices, each reply says the whole. */
  cost: sc.nullable(),
  costIs: certainty,
  /** Its row in the log of requests, which has the raw request and reply while they are kept. */
  requestRow: z.number().int().nullable(),
  /** What it was asked with; null for what is no reply and for replies of earlier versions. */
  params: chatParams.nullable(),
  /** For a reply with `json_object` or `json_schema`: what is wrong with it, one sentence each; empty: nothing. Else null. */
  jsonFaults: z.array(z.string()).nullable(),
})
export type Message = z.infer<typeof message>

// What can be done with a message: the window offers what the core accepts.

/** Whether a reply can be continued: it was stopped, cut or ended by its length, with some text to continue from. */
export function canContinue(reply: Pick<Message, 'role' | 'status' | 'text' | 'finishReason' | 'toolCalls'>): boolean {
  if (reply.role !== 'assistant' || reply.text === '' || reply.toolCalls.length > 0) return false
  if (reply.status === 'stopped' || reply.status === 'incomplete') return true
  return reply.status === 'complete' && reply.finishReason === 'length'
}

/** Whether a reply can be asked for again: it stands below something. One that a person added first in a conversation answers nothing. */
export function canRetry({ role, parentId }: Pick<Message, 'role' | 'parentId'>): boolean {
  return role === 'assistant' && parentId !== null
}

/** Whether a message can be edited: what a tool answered cannot. */
export const canEdit = ({ role }: Pick<Message, 'role'>): boolean => role !== 'tool'

/**
 * Whether the end of a path is being made, so that nothing can be asked for in its conversation.
 * @param path oldest first; the last reply and the tool calls below it are enough
 */
export function isBusy(path: readonly Pick<Message, 'role' | 'status' | 'run'>[]): boolean {
  const calls = path.slice(path.findLastIndex(({ role }) => role !== 'tool') + 1)
  if (calls.length > 0) return calls.some(({ run }) => run?.state === 'running')
  const last = path.at(-1)
  return last?.role === 'assistant' && (last.status === 'pending' || last.status === 'streaming')
}

export const conversationEvent = z.discriminatedUnion('type', [
  /**
   * Always first; messages of the active path, oldest first. Of a long path the newest come with it; `earlier` says how many follow
   * in `earlier` events, newest batch first. `beside` are all replies of the last ask of the path where it has several and none
   * was gone on with (n choices, compared models), the one on the path too, in their order; else it is empty.
   */
  z.object({
    type: z.literal('snapshot'),
    conversation,
    setup: chatSetup,
    messages: z.array(message),
    beside: z.array(message),
    earlier: z.number().int(),
  }),
  /** Older messages of the path, oldest first, to be put before those known. `left`: how many are still to come. */
  z.object({ type: z.literal('earlier'), messages: z.array(message), left: z.number().int() }),
  /** A message of the path or of `beside` is new or something of it besides its growing text changed: replace it whole. */
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
  z.object({ type: z.literal('setup'), setup: chatSetup }),
  /**
   * The active path changed: it is the first `keep` messages of the one known, then these. `keep` counts from the root, so that
   * a receiver with fewer than `keep` (earlier ones still to come) has missed nothing.
   */
  z.object({
    type: z.literal('path'),
    keep: z.number().int(),
    messages: z.array(message),
    beside: z.array(message),
  }),
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

const messageText = z.string().max(1_000_000)
const attachments = z.array(z.object({ mediaId: id, detail: attachment.shape.detail })).max(16)
/** One model, or two to four whose replies stand side by side. */
const models = z.array(z.string().min(1)).min(1).max(4)

export const chatProcedures = {
  /** All conversations in sight (archived ones too), then changes. */
  watchList: procedure.output(eventIterator(conversationListEvent)),
  /** One conversation, then changes, until the caller aborts. */
  watch: procedure.input(z.object({ conversationId: id })).output(eventIterator(conversationEvent)),
  /**
   * Stores the person's turn, then asks the models. A null `conversationId` starts a new conversation, with `setup`. `requestId` is made
   * by the caller and becomes the turn's id, so that sending the same request twice sends it once. With `ask: false` the message is
   * only added (any role but `tool`). `edits` names a message that this one takes the place of, as its sibling: a branch.
   */
  send: procedure
    .input(
      z.object({
        requestId,
        conversationId: id.nullable(),
        text: messageText,
        attachments: attachments.default([]),
        models,
        role: z.enum(['user', 'system', 'developer', 'assistant']).default('user'),
        name: z.string().max(64).nullable().default(null),
        ask: z.boolean().default(true),
        edits: id.optional(),
        setup: chatSetup.optional(),
        folderId: id.nullable().default(null),
      }),
    )
    .output(z.object({ conversationId: id, turnId: id, replyIds: z.array(id) })),
  /** Stops a reply that is being made (all choices of its request). Answers before the service does. `stopped` is false when it had ended already. */
  stop: procedure.input(z.object({ replyId: id })).output(z.object({ stopped: z.boolean() })),
  /** Stops everything that is going on in a conversation: replies and running tool calls. */
  stopAll: procedure.input(z.object({ conversationId: id })).output(z.object({ stopped: z.number().int() })),
  /** Asks again for a reply, as a sibling of the one given, which stays. `requestId` becomes the id of the first new reply. */
  retry: procedure
    .input(z.object({ requestId, replyId: id, models: models.optional() }))
    .output(z.object({ replyIds: z.array(id) })),
  /** Asks the model to go on from a reply that was stopped, cut or ended by its length: a turn that says so, then a reply. */
  goOn: procedure
    .input(z.object({ requestId, replyId: id, model: z.string().min(1).optional() }))
    .output(z.object({ turnId: id, replyId: id })),
  /**
   * Makes the path through this message the active one, down to where it was last gone on with. With `sibling` (1 of `siblings`) it is
   * that sibling of the message instead.
   */
  choose: procedure
    .input(z.object({ messageId: id, sibling: z.number().int().min(1).optional() }))
    .output(z.object({})),
  saveSetup: procedure.input(z.object({ conversationId: id, setup: chatSetup })).output(z.object({})),
  /** Title, folder, pin, archive: what is given. An empty title takes the name away. */
  update: procedure
    .input(
      z.object({
        conversationId: id,
        title: z.string().max(200).optional(),
        folderId: id.nullable().optional(),
        pinned: z.boolean().optional(),
        archived: z.boolean().optional(),
      }),
    )
    .output(z.object({})),
  /** A copy with its own life: the whole tree, or with `upTo` the path that ends there. */
  duplicate: procedure
    .input(z.object({ conversationId: id, upTo: id.optional() }))
    .output(z.object({ conversationId: id })),
  saveDraft: procedure.input(z.object({ conversationId: id, draft: messageText })).output(z.object({})),
  /** Takes it out of sight; `restore` brings it back for 30 days. A running reply is stopped first. */
  remove: procedure.input(z.object({ conversationId: id })).output(z.object({})),
  restore: procedure.input(z.object({ conversationId: id })).output(z.object({})),
}
