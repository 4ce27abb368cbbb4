import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { ArchivedMessage } from '../../store/archive.ts'
import { assetId, type ExportedContent, instantOf, type MessageFaults, readContent } from './chatgptContent.ts'
import type { Notes } from './importNotes.ts'

/** A node in the `mapping` of an exported conversation. */
export interface ExportedNode {
  parent?: string | null | undefined
  children?: string[] | null | undefined
  message?: unknown
}

/** State that a node passes to the nodes below it. */
export interface CarriedParts {
  /** Id of the nearest imported message above. */
  parent: string | null
  /** Reasoning from separate nodes above a reply. */
  reasoning: string[]
  /** The tool call that the next tool message answers. */
  call: { id: string; name: string; arguments: string } | null
  at: string
}

const word = z.string().nullish().catch(null)
const exportedMessage = z.object({
  id: word,
  author: z.object({ role: z.string(), name: word }),
  create_time: z.union([z.number(), z.string()]).nullish().catch(null),
  content: z.looseObject({ content_type: z.string() }),
  status: word,
  weight: z.number().nullish().catch(null),
  recipient: word,
  metadata: z
    .looseObject({
      model_slug: word,
      is_visually_hidden_from_conversation: z.boolean().nullish().catch(null),
      is_user_system_message: z.boolean().nullish().catch(null),
      finish_details: z.object({ type: z.string() }).nullish().catch(null),
      attachments: z
        .array(z.object({ id: word, name: word }))
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
})

const roles: Record<string, Message['role']> = { user: 'user', assistant: 'assistant', system: 'system', tool: 'tool' }

/** Converts the message of a node, or returns null if the message has no content or is broken (counted in `faults`). `pass` is the state for the nodes below. */
export function asMessage(
  value: unknown,
  carried: CarriedParts,
  { notes, faults }: { notes: Notes; faults: MessageFaults },
): { message: ArchivedMessage | null; pass: CarriedParts } {
  const nothing = { message: null, pass: carried }
  if (value === null || value === undefined) return nothing
  const parsed = exportedMessage.safeParse(value)
  if (!parsed.success) {
    faults.broken += 1
    return nothing
  }
  const role = roles[parsed.data.author.role] ?? 'assistant'
  if (isHidden(parsed.data, role)) return nothing
  const { recipient } = parsed.data
  const isShown = role === 'assistant' && (!recipient || recipient === 'all')
  const content = readContent(parsed.data.content, isShown, { notes, faults })
  if (content.thoughts) {
    return { message: null, pass: { ...carried, reasoning: [...carried.reasoning, ...content.thoughts] } }
  }
  const call = role === 'assistant' ? callOf(parsed.data, content) : null
  const isEmpty = content.text.trim() === '' && content.pictures.length === 0
  if (isEmpty && !call && role !== 'tool') return nothing
  const message = build(parsed.data, role, content, carried, call, notes)
  const reasoning = role === 'assistant' ? [] : carried.reasoning
  return { message, pass: { parent: message.id, reasoning, call, at: message.createdAt } }
}

type ExportedMessage = z.infer<typeof exportedMessage>

/** Whether a message is metadata of the service. Instructions that the person wrote are shown. */
function isHidden({ weight, metadata }: ExportedMessage, role: Message['role']): boolean {
  if (weight === 0 || metadata?.is_visually_hidden_from_conversation === true) return true
  return role === 'system' && metadata?.is_user_system_message !== true
}

/** A message to any recipient but the person is a tool call. */
function callOf({ id, recipient }: ExportedMessage, { text }: ExportedContent): CarriedParts['call'] {
  if (!recipient || recipient === 'all') return null
  return { id: id ?? randomUUID(), name: toolName(recipient), arguments: asArguments(text) }
}

function build(
  { author, content, create_time: time, metadata, status }: ExportedMessage,
  role: Message['role'],
  { text, pictures }: ExportedContent,
  carried: CarriedParts,
  call: CarriedParts['call'],
  notes: Notes,
): ArchivedMessage {
  const id = randomUUID()
  const at = instantOf(time) ?? carried.at
  const isReply = role === 'assistant'
  const finish = metadata?.finish_details?.type ?? null
  const names = namesOf(metadata, pictures, notes)
  return {
    id,
    parentId: carried.parent,
    role,
    name: role === 'tool' ? null : author.name?.slice(0, 64) || null,
    text: call ? '' : text,
    reasoning: isReply ? carried.reasoning.join('\n\n') : '',
    refusal: '',
    toolCalls: call ? [{ index: 0, ...call }] : [],
    documents: [],
    passages: [],
    attachments: pictures.map(({ asset, ...facts }) => ({
      mediaId: asset,
      detail: null,
      name: names.get(assetId(asset)) ?? null,
      mime: '',
      ...facts,
    })),
    run:
      role === 'tool' ? runOf(carried, author.name ?? 'tool', id, at, content.content_type === 'system_error') : null,
    status: statusOf(isReply, status ?? null, finish),
    problem: null,
    model: isReply ? (metadata?.model_slug ?? null) : null,
    finishReason: isReply ? finishReason(finish, call !== null) : null,
    usage: null,
    createdAt: at,
    finishedAt: at,
    firstTokenMs: null,
    reasoningMs: null,
    requestId: null,
    askId: null,
    made: null,
    summarised: null,
    leftOut: false,
    cost: null,
    costIs: 'unknown',
    params: null,
    jsonFaults: null,
    nextId: null,
  }
}

/** Names of attached images by asset id. Other attachments are counted in the notes. */
function namesOf(
  metadata: ExportedMessage['metadata'],
  pictures: ExportedContent['pictures'],
  notes: Notes,
): Map<string, string | null> {
  const names = new Map((metadata?.attachments ?? []).map(({ id, name }) => [id ?? '', name?.slice(0, 300) ?? null]))
  const shown = new Set(pictures.map(({ asset }) => assetId(asset)))
  for (const id of names.keys()) {
    if (!shown.has(id)) notes.add('import.attached')
  }
  return names
}

/** Function names consist of letters, digits, `_` and `-` at services with this API. */
const toolName = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'tool'

/** Tool arguments must be a JSON object. Plain code becomes its member `input`. */
function asArguments(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text
  } catch {
    // Not JSON, so it is wrapped below.
  }
  return JSON.stringify({ input: text })
}

function runOf(
  { call }: CarriedParts,
  name: string,
  id: string,
  at: string,
  isError: boolean,
): NonNullable<Message['run']> {
  return {
    callId: call?.id ?? id,
    name: call?.name ?? toolName(name),
    arguments: call?.arguments ?? '{}',
    state: 'done',
    tool: null,
    allowed: null,
    isError,
    notes: [],
    startedAt: null,
    finishedAt: at,
  }
}

function statusOf(isReply: boolean, status: string | null, finish: string | null): Message['status'] {
  if (!isReply) return 'complete'
  if (finish === 'interrupted') return 'stopped'
  return status === null || status === 'finished_successfully' || status === 'finished_partial_completion'
    ? 'complete'
    : 'incomplete'
}

function finishReason(finish: string | null, isCall: boolean): string | null {
  if (isCall) return 'tool_calls'
  return finish === 'stop' ? 'stop' : finish === 'max_tokens' ? 'length' : null
}
