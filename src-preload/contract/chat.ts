import type { InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { attachedDocument, documentToSend, maxDocuments } from './documents.ts'
import { id, instant, problemOrNull, procedure, requestId, whole } from './problem.ts'
import { maxPassages, maxPinnedFiles, maxRemovedPassages, passage, passagePlace, passageToSend } from './projects.ts'
import { certainty, sc } from './requests.ts'

export const role = z.enum(['system', 'developer', 'user', 'assistant', 'tool'])

/** Where a chat is in the list. */
const conversationPlace = z.object({
  /** Null: in no folder. */
  folderId: id.nullable(),
  pinned: z.boolean(),
  archived: z.boolean(),
})

export const conversation = z.object({
  id,
  /** Null until the first reply or the person gives a name. */
  title: z.string().nullable(),
  /** Model of the latest reply, or the model chosen for the next one. */
  model: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
  messages: whole,
  /** Unsent text of the composer. */
  draft: z.string(),
  /** A reply is being generated. */
  running: z.boolean(),
  /** A tool call waits for approval or for a manual result. */
  waiting: z.boolean(),
  ...conversationPlace.shape,
})
export type Conversation = z.infer<typeof conversation>

export const usage = z.object({
  promptTokens: z.number().nullable(),
  completionTokens: z.number().nullable(),
  totalTokens: z.number().nullable(),
  /** Included in `promptTokens`. */
  cachedTokens: z.number().nullable(),
})
export type Usage = z.infer<typeof usage>

/** A tool call as the model wrote it. `arguments` is unchecked JSON text. */
export const toolCall = z.object({
  index: whole,
  id: z.string().nullable(),
  name: z.string(),
  arguments: z.string(),
})
export type ToolCall = z.infer<typeof toolCall>

/**
 * State of a tool call.
 * `awaiting`: waits for approval. `by_hand`: allowed, and the person enters the result. `running`. `done`: the tool
 * returned; `isError` says whether it returned an error. `denied`: refused by the person. `invalid`: the arguments are
 * not JSON or do not match the schema; never run, and the model receives the reason. `unknown_tool`: no such tool is
 * switched on. `stopped`: by the person. `timed_out`, `failed`: no result.
 * From `done` on the state is final, and the text of the message is sent to the model.
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
  /** From the model, or generated when the model gave none. */
  callId: z.string(),
  name: z.string(),
  /** JSON text as the model wrote it. */
  arguments: z.string(),
  state: toolRunState,
  /** The tool with that name at the time of the call; null for an unknown one. */
  tool: z
    .object({
      id: z.string(),
      kind: z.enum(['function', 'mcp']),
      server: z.string().nullable(),
      /** Hash of the definition (name, description, schema, server). An approval is valid for this definition only. */
      fingerprint: z.string().optional(),
    })
    .nullable(),
  /** Scope of the approval: once, this conversation, or always. */
  allowed: z.enum(['once', 'conversation', 'always']).nullable(),
  isError: z.boolean(),
  /** Faults of the arguments, or the reason of a failure; one English sentence each. */
  notes: z.array(z.string()),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
})
export type ToolRun = z.infer<typeof toolRun>

/** An image of a message. Its bytes are in the media store. */
export const attachment = z.object({
  mediaId: id,
  /** Requested level of detail; null is the default of the service. */
  detail: z.enum(['auto', 'low', 'high']).nullable(),
  name: z.string().max(300).nullable(),
  mime: z.string(),
  width: whole,
  height: whole,
  bytes: whole,
})
export type Attachment = z.infer<typeof attachment>

const extraValue = z.json()

/** Parameters of a chat completion (specification, POST /v1/chat/completions). Absent parameters are not sent. */
export const chatParams = z.object({
  // `temperature`, `topP` and the penalties have no bounds: the specification has none, and models differ.
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxTokens: z.number().int().min(1).max(10_000_000).optional(),
  stop: z.array(z.string().min(1).max(1000)).min(1).max(16).optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  /** Number of choices, shown side by side. */
  n: z.number().int().min(1).max(8).optional(),
  responseFormat: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        name: z.string().regex(/^[\w-]{1,64}$/),
        /** JSON text of the schema, stored as typed. */
        schema: z.string().max(200_000),
        strict: z.boolean(),
      }),
    ])
    .optional(),
  /** Additional members of the request body. They may not override members that this program sets. */
  extra: z.record(z.string(), extraValue).optional(),
})
export type ChatParams = z.infer<typeof chatParams>

/** The tools that a conversation offers to the model. */
export const toolSelection = z.object({
  /** Tool ids: `function:UUID` or `mcp:SERVER_UUID:NAME`. */
  enabled: z.array(z.string().max(500)).max(128),
  /** `auto` is not sent; a name forces that tool. */
  choice: z.union([z.enum(['auto', 'none', 'required']), z.object({ name: z.string().max(64) })]),
  /** Null is not sent. */
  parallel: z.boolean().nullable(),
})
export type ToolSelection = z.infer<typeof toolSelection>

/** The settings of a conversation. */
export const chatSetup = z.object({
  /** Sent first, with the role `instructionsRole`. Empty: not sent. */
  instructions: z.string().max(1_000_000),
  instructionsRole: z.enum(['system', 'developer']),
  params: chatParams,
  tools: toolSelection,
})
export type ChatSetup = z.infer<typeof chatSetup>

/** Settings of new conversations. */
export const emptySetup: ChatSetup = {
  instructions: '',
  instructionsRole: 'system',
  params: {},
  tools: { enabled: [], choice: 'auto', parallel: null },
}

/** The reason why a reply without output is waiting. */
export const wait = z.object({
  for: z.enum(['turn', 'connection', 'reply', 'first_token', 'retry']),
  since: instant,
  /** For `retry`: start of the next attempt, its number, and the last failure. */
  until: instant.nullable(),
  attempt: whole.nullable(),
  problem: problemOrNull,
})
export type Wait = z.infer<typeof wait>

/**
 * State of a reply.
 * `pending`: sent, no output yet. `streaming`: output is arriving. `complete`: ended normally. `stopped`: by the person.
 * `incomplete`: failed after some output. `failed`: failed before any output.
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
  problem: problemOrNull,
  model: z.string().nullable(),
  finishReason: z.string().nullable(),
  usage: usage.nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
  /** Time from sending to the first delta, and duration of the reasoning before the text, ms. */
  firstTokenMs: z.number().nullable(),
  reasoningMs: z.number().nullable(),
  requestId: z.string().nullable(),
  /** Position of the message among its siblings, from 1. Retried replies and edited turns have siblings. */
  sibling: whole,
  siblings: whole,
  /** `messages[].name`. */
  name: z.string().nullable(),
  attachments: z.array(attachment),
  /** Files whose text is sent before `text`. */
  documents: z.array(attachedDocument),
  /** Passages of the project's files, sent between the documents and `text`. */
  passages: z.array(passage),
  /** For role `tool`: the answered call and its state. */
  run: toolRun.nullable(),
  /** Shared by replies of one request or comparison (n choices, or several models). */
  askId: id.nullable(),
  /** The action that made this program write the turn; null for all other messages. */
  made: z.enum(['continue', 'summary']).nullable(),
  /** For a `summary`: how many messages it replaces on its branch. */
  summarised: whole.nullable(),
  /** Shown, and not sent. */
  leftOut: z.boolean(),
  /** Null when `costIs` is `unknown`. With several choices, each reply has the cost of the whole request. */
  cost: sc.nullable(),
  costIs: certainty,
  /** Row of the request log, which has the raw request and response while bodies are stored. */
  requestRow: whole.nullable(),
  /** The sent parameters. Null for other messages and for replies of earlier versions. */
  params: chatParams.nullable(),
  /** For `json_object` and `json_schema` replies: validation errors, one sentence each. Otherwise null. */
  jsonFaults: z.array(z.string()).nullable(),
})
export type Message = z.infer<typeof message>

/** Roles that a person can give to a message. */
const writtenRole = z.enum(['user', 'system', 'developer', 'assistant'])

/** A message that waits for the end of a reply of its conversation. */
export const queuedMessage = z.object({
  /** Becomes the id of the message. */
  id,
  role: writtenRole,
  ...message.pick({ name: true, text: true, attachments: true, documents: true, createdAt: true }).shape,
  models: z.array(z.string()),
  /** Waits until the person sends it. Otherwise it is sent when the reply that is running ends well. */
  held: z.boolean(),
  /** Why it could not be sent. */
  problem: problemOrNull,
})
export type QueuedMessage = z.infer<typeof queuedMessage>

// Rules for actions on a message, shared by window and core.

/** Whether a reply can be continued: it was stopped, cut or ended by its length, and has text. */
export function canContinue(reply: Pick<Message, 'role' | 'status' | 'text' | 'finishReason' | 'toolCalls'>): boolean {
  if (reply.role !== 'assistant' || reply.text === '' || reply.toolCalls.length > 0) return false
  if (reply.status === 'stopped' || reply.status === 'incomplete') return true
  return reply.status === 'complete' && reply.finishReason === 'length'
}

/** Whether a reply can be requested again: it has a parent. A reply added as the first message has none. */
export function canRetry({ role, parentId }: Pick<Message, 'role' | 'parentId'>): boolean {
  return role === 'assistant' && parentId !== null
}

type Author = Pick<Message, 'role' | 'made'>

/**
 * Whether a message belongs to the reply that its parent belongs to: the result of a tool call, what the model says after such results, the
 * request to continue the reply, and the continuation. A person reads all of them as one reply.
 */
export function isPartOfReply({ role, made }: Author, parent: Author): boolean {
  if (role === 'assistant') return parent.role === 'tool' || parent.made === 'continue'
  return (role === 'tool' || made === 'continue') && (parent.role === 'assistant' || parent.role === 'tool')
}

/** Whether a message can be edited. Tool results can't. */
export const canEdit = ({ role }: Pick<Message, 'role'>): boolean => role !== 'tool'

/**
 * Whether the end of a path is being generated, so that the conversation accepts no request.
 * @param path oldest first; the last reply and the tool calls below it suffice
 */
export function isBusy(path: readonly Pick<Message, 'role' | 'status' | 'run'>[]): boolean {
  const calls = path.slice(path.findLastIndex(({ role }) => role !== 'tool') + 1)
  if (calls.length > 0) return calls.some(({ run }) => run?.state === 'running')
  const last = path.at(-1)
  return last?.role === 'assistant' && (last.status === 'pending' || last.status === 'streaming')
}

export const conversationEvent = z.discriminatedUnion('type', [
  /**
   * Always first: messages of the active path, oldest first. Of a long path, only the newest messages are sent. `earlier`
   * is the number of messages that follow in `earlier` events, newest batch first. `beside` has all replies of the last
   * request, in order, when there are several and none was continued (n choices, compared models). Otherwise it is empty.
   */
  z.object({
    type: z.literal('snapshot'),
    conversation,
    setup: chatSetup,
    messages: z.array(message),
    beside: z.array(message),
    earlier: whole,
    /** In the order in which they will be sent. Absent: none. */
    queue: z.array(queuedMessage).optional(),
  }),
  /** Older messages of the path, oldest first, to prepend. `left`: number still to come. */
  z.object({ type: z.literal('earlier'), messages: z.array(message), left: whole }),
  /** A message of the path or of `beside` is new or changed other than by appended text. Replace it. */
  z.object({ type: z.literal('message'), message }),
  /**
   * Text to append. `at` is the length of the field before appending, in UTF-16 units. A receiver with another length
   * has missed an event and must watch again.
   */
  z.object({
    type: z.literal('delta'),
    messageId: id,
    field: z.enum(['text', 'reasoning', 'refusal']),
    at: whole,
    append: z.string(),
  }),
  z.object({ type: z.literal('conversation'), conversation }),
  z.object({ type: z.literal('setup'), setup: chatSetup }),
  z.object({ type: z.literal('queue'), queue: z.array(queuedMessage) }),
  /**
   * The active path changed. Its first `unchanged` messages, counted from the root, are those of the former path and are not sent again.
   * `messages` are the rest of the path. A window that still waits for an `earlier` event gets only those of the unchanged messages.
   */
  z.object({
    type: z.literal('path'),
    unchanged: whole,
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
/** One model, or two to four models to compare. */
const models = z.array(z.string().min(1)).min(1).max(4)
/** A message as the person wrote it. */
const writtenMessage = z.object({
  text: messageText,
  attachments: z
    .array(z.object({ mediaId: id, detail: attachment.shape.detail }))
    .max(16)
    .default([]),
  models,
  role: writtenRole.default('user'),
  name: z.string().max(64).nullable().default(null),
})
/** Maximum number of queued messages of one conversation. */
export const maxQueued = 50

export const chatProcedures = {
  /** All conversations that are not deleted, archived ones included, then changes. */
  watchList: procedure.output(eventIterator(conversationListEvent)),
  /** One conversation, then changes, until the caller aborts. */
  watch: procedure.input(z.object({ conversationId: id })).output(eventIterator(conversationEvent)),
  /**
   * Stores the message of the person, then sends it to the models. A null `conversationId` starts a conversation with
   * `setup`. `requestId` comes from the caller and becomes the id of the message, so a repeated call sends once. With
   * `ask: false` the message is only added (any role but `tool`). With `edits`, the message becomes a sibling
   * of the named message, which makes a branch.
   */
  send: procedure
    .input(
      writtenMessage.extend({
        requestId,
        conversationId: id.nullable(),
        // Those of the person, and the whole files of the project.
        documents: z
          .array(documentToSend)
          .max(maxDocuments + maxPinnedFiles)
          .default([]),
        passages: z.array(passageToSend).max(maxPassages).default([]),
        ask: z.boolean().default(true),
        edits: id.optional(),
        setup: chatSetup.optional(),
        folderId: id.nullable().default(null),
      }),
    )
    .output(z.object({ conversationId: id, turnId: id, replyIds: z.array(id) })),
  /**
   * Stores a message that is sent when the running reply ends well, after those queued before it. `requestId` becomes its id. What the project
   * of the chat adds is determined when it is sent; `without` are passages that the person removed. Messages of other roles than `user` are
   * only added. After any other end of the reply, the queue is held until `sendQueued`.
   */
  queue: procedure
    .input(
      writtenMessage.extend({
        requestId,
        conversationId: id,
        documents: z.array(documentToSend).max(maxDocuments).default([]),
        without: z.array(passagePlace).max(maxRemovedPassages).default([]),
      }),
    )
    .output(z.object({})),
  /** Sends a queued message now. While a reply is running, the message is sent when that reply ends well. */
  sendQueued: procedure.input(z.object({ id })).output(z.object({})),
  /**
   * Removes a queued message. With `draft`, which becomes the draft of the conversation in the same transaction, the message returns to the
   * composer with its files. `removed` is false when it is not queued any more.
   */
  removeQueued: procedure
    .input(z.object({ id, draft: messageText.optional() }))
    .output(z.object({ removed: z.boolean() })),
  /**
   * Stops a running reply and all choices of its request. Resolves before the service responds. `stopped` is false when
   * the reply had ended.
   */
  stop: procedure.input(z.object({ replyId: id })).output(z.object({ stopped: z.boolean() })),
  /** Requests a reply again as a sibling of the given one. `requestId` becomes the id of the first new reply. */
  retry: procedure
    .input(z.object({ requestId, replyId: id, models: models.optional() }))
    .output(z.object({ replyIds: z.array(id) })),
  /** Asks the model to continue a reply that was stopped, cut or ended by its length. Adds a user turn with this request. */
  continueReply: procedure
    .input(z.object({ requestId, replyId: id, model: z.string().min(1).optional() }))
    .output(z.object({ turnId: id, replyId: id })),
  /**
   * Activates the path through this message, down to its most recent end. With `sibling` (1 to `siblings`), activates
   * that sibling instead.
   */
  activatePath: procedure
    .input(z.object({ messageId: id, sibling: z.number().int().min(1).optional() }))
    .output(z.object({})),
  saveSetup: procedure.input(z.object({ conversationId: id, setup: chatSetup })).output(z.object({})),
  /** Changes title, folder, pin or archive state; absent members stay. An empty title deletes the title. */
  update: procedure
    .input(
      z.object({
        conversationId: id,
        title: z.string().max(200).optional(),
        ...conversationPlace.partial().shape,
      }),
    )
    .output(z.object({})),
  /** Copies the whole tree, or with `upTo` the path that ends there. */
  duplicate: procedure
    .input(z.object({ conversationId: id, upTo: id.optional() }))
    .output(z.object({ conversationId: id })),
  saveDraft: procedure.input(z.object({ conversationId: id, draft: messageText })).output(z.object({})),
  /** Deletes the conversation; `restore` undoes it for 30 days. Stops a running reply first. */
  remove: procedure.input(z.object({ conversationId: id })).output(z.object({})),
  /**
   * Undoes `remove` or `removeMessage`. `removedId` is the id of the deleted conversation, or the id that `removeMessage` returned. Returns the
   * conversation that shows the messages again.
   */
  restore: procedure.input(z.object({ removedId: id })).output(z.object({ conversationId: id })),
  /** Returns the number of messages below a message, on all branches. `removeMessage` deletes them too. */
  messagesBelow: procedure.input(z.object({ messageId: id })).output(z.object({ messages: whole })),
  /** Deletes a message with everything below it. `restore` undoes it for 30 days. */
  removeMessage: procedure.input(z.object({ messageId: id })).output(z.object({ removedId: id })),
}

/** What callers pass to each procedure: members with a default may be absent. */
export type ChatInputs = InferContractRouterInputs<typeof chatProcedures>
export type ChatOutputs = InferContractRouterOutputs<typeof chatProcedures>
