import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { emptySetup } from '../../../../src-preload/contract/chat.ts'
import type { Note, Sentence } from '../../../../src-preload/contract/note.ts'
import { badInput, note } from '../../shared/notes.ts'
import type { ArchivedConversation, ArchivedMessage } from '../../store/archive.ts'
import { instantOf, type MessageFaults, maxParts } from './chatgptContent.ts'
import { asMessage, type CarriedParts, type ExportedNode } from './chatgptMessage.ts'
import type { Notes } from './importNotes.ts'
import type { Incoming } from './staging.ts'
import { yieldRegularly } from './yieldToEventLoop.ts'

const seconds = z.union([z.number(), z.string()]).nullish().catch(null)
const flag = z.boolean().nullish().catch(null)
const word = z.string().nullish().catch(null)

/**
 * One conversation in an export of ChatGPT. OpenAI publishes no schema: this one follows exports of 2023 to 2026
 * (README.md). Only the essential fields are required; others may be missing or of another type.
 */
const exported = z.object({
  title: word,
  create_time: seconds,
  update_time: seconds,
  current_node: word,
  conversation_id: word,
  id: word,
  default_model_slug: word,
  is_archived: flag,
  is_starred: flag,
  pinned_time: seconds,
  mapping: z.record(z.string(), z.unknown()),
})
const exportedNode = z.object({
  parent: word,
  children: z.array(z.string()).nullish().catch(null),
  message: z.unknown().optional(),
})

/** The nodes of a conversation. Counts those that are none. */
async function nodesOf(mapping: Readonly<Record<string, unknown>>, faults: MessageFaults): Promise<Mapping> {
  const nodes: [string, ExportedNode][] = []
  const giveWay = yieldRegularly()
  for (const [id, value] of Object.entries(mapping)) {
    const node = exportedNode.safeParse(value)
    if (node.success) nodes.push([id, node.data])
    else faults.broken += 1
    await giveWay()
  }
  return Object.fromEntries(nodes)
}

/** Names a conversation of which some messages were left out. @throws StudioError `bad_input` if none remained */
function nameFaults({ broken, cut }: MessageFaults, name: Sentence, remaining: number, notes: Notes): void {
  if (broken > 0 && remaining === 0) throw badInput(note('file.noMessage'))
  if (broken > 0) notes.leaveOut(name, note('file.badMessages', { figure: broken }))
  if (cut > 0) notes.leaveOut(name, note('file.cutMessages', { figure: cut, most: maxParts }))
}

/** Why a value is no conversation. */
function reasonOf(value: unknown): Note {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject && (!('mapping' in value) || value.mapping === null)) return note('file.empty')
  return note('file.notChatgpt')
}

/** ISO instant of the last change, to sort the conversations of a file. Empty if unknown. */
export function updatedAt(value: unknown): string {
  const parsed = exported.pick({ update_time: true, create_time: true }).safeParse(value)
  return (parsed.success && (instantOf(parsed.data.update_time) ?? instantOf(parsed.data.create_time))) || ''
}

/**
 * Reads the tree with all branches. Nodes without content (roots, hidden and empty messages) are omitted, and their
 * children attached to the parent.
 * @throws StudioError `bad_input` if the value is not a conversation
 */
export async function readExported(value: unknown, notes: Notes): Promise<Incoming> {
  const parsed = exported.safeParse(value)
  if (!parsed.success) throw badInput(reasonOf(value), parsed.error)
  const { current_node: current, title } = parsed.data
  const faults: MessageFaults = { broken: 0, cut: 0 }
  const mapping = await nodesOf(parsed.data.mapping, faults)
  const createdAt = instantOf(parsed.data.create_time) ?? new Date(0).toISOString()
  const messages: ArchivedMessage[] = []
  const kept = new Map<string, ArchivedMessage>()
  const source = parsed.data.conversation_id ?? parsed.data.id ?? ''
  const hash = createHash('sha256').update(JSON.stringify([source, title, current]))
  let visited = 0
  const start: CarriedParts = { parent: null, reasoning: [], call: null, at: createdAt }
  const open = roots(mapping).map((id): [string, CarriedParts] => [id, start])
  const seen = new Set<string>()
  const giveWay = yieldRegularly()
  while (open.length > 0) {
    const [id, carried] = open.pop() ?? ['', start]
    const node = mapping[id]
    // A child of two parents belongs to the parent that is read first.
    if (!node || seen.has(id)) continue
    seen.add(id)
    visited += 1
    const { message, pass } = asMessage(node.message, carried, { notes, faults })
    if (message) {
      messages.push(message)
      kept.set(id, message)
      hash.update(JSON.stringify([id, message.role, message.text, message.attachments.length]))
    }
    // Reversed, because the stack returns the last one first.
    for (const child of childrenOf(mapping, id).reverse()) open.push([child, pass])
    await giveWay()
  }
  const lost = Object.keys(mapping).length - visited
  for (let at = 0; at < lost; at += 1) notes.add('import.detached')
  nameFaults(faults, title?.trim() || note('import.chatOf', { day: createdAt.slice(0, 10) }), messages.length, notes)
  const leafId = leafOf(mapping, current, kept) ?? messages.at(-1)?.id ?? null
  markPath(messages, leafId)
  return {
    conversation: {
      ...headOf(parsed.data, createdAt, messages.at(-1)?.createdAt ?? createdAt),
      model: modelOf(messages, leafId) ?? parsed.data.default_model_slug ?? null,
      leafId,
    },
    messages: () => messages,
    hash: '',
    importKey: `chatgpt:${hash.digest('hex')}`,
    messageIds: [],
  }
}

/** Fields of a conversation that do not depend on its messages. */
function headOf(
  {
    title,
    update_time: updated,
    pinned_time: pinnedAt,
    is_starred: starred,
    is_archived: archived,
  }: z.infer<typeof exported>,
  createdAt: string,
  last: string,
): Omit<ArchivedConversation, 'model' | 'leafId'> {
  const name = (title ?? '').trim().slice(0, 200).toWellFormed()
  const updatedAt = instantOf(updated) ?? last
  return {
    id: randomUUID(),
    title: name === '' ? null : name,
    createdAt,
    updatedAt,
    draft: '',
    folderId: null,
    pinned: starred === true || instantOf(pinnedAt) !== null,
    archivedAt: archived === true ? updatedAt : null,
    setup: emptySetup,
    importKey: null,
  }
}

type Mapping = Record<string, ExportedNode>

/** Nodes whose parent is missing. */
const roots = (mapping: Mapping): string[] =>
  Object.keys(mapping)
    .filter((id) => !mapping[id]?.parent || !mapping[mapping[id]?.parent ?? ''])
    .reverse()

/** Children in the order of the parent, then those that the parent does not list. */
function childrenOf(mapping: Mapping, id: string): string[] {
  const named = mapping[id]?.children ?? []
  const known = parentIndex(mapping).get(id) ?? []
  if (known.length === 0) return named.filter((child) => mapping[child]?.parent === id)
  const all = new Set(known)
  return [...new Set([...named.filter((child) => all.has(child)), ...known])]
}

const indexes = new WeakMap<Mapping, Map<string, string[]>>()
function parentIndex(mapping: Mapping): Map<string, string[]> {
  const before = indexes.get(mapping)
  if (before) return before
  const index = new Map<string, string[]>()
  for (const [id, { parent }] of Object.entries(mapping)) {
    if (!parent) continue
    const siblings = index.get(parent)
    if (siblings) siblings.push(id)
    else index.set(parent, [id])
  }
  indexes.set(mapping, index)
  return index
}

/** The nearest imported message, from the current node upwards. */
function leafOf(
  mapping: Mapping,
  current: string | null | undefined,
  kept: ReadonlyMap<string, ArchivedMessage>,
): string | null {
  const seen = new Set<string>()
  for (let at = current; at && !seen.has(at); at = mapping[at]?.parent) {
    const message = kept.get(at)
    if (message) return message.id
    seen.add(at)
  }
  return null
}

/** Sets `nextId` along the path to the leaf, so that this path counts as last active. */
function markPath(messages: readonly ArchivedMessage[], leafId: string | null): void {
  const byId = new Map(messages.map((message) => [message.id, message]))
  let below: string | null = null
  for (let at = leafId; at !== null; ) {
    const message = byId.get(at)
    if (!message) return
    message.nextId = below
    below = at
    at = message.parentId
  }
}

function modelOf(messages: readonly ArchivedMessage[], leafId: string | null): string | null {
  const byId = new Map(messages.map((message) => [message.id, message]))
  for (let at = leafId; at !== null; at = byId.get(at)?.parentId ?? null) {
    const model = byId.get(at)?.model
    if (model) return model
  }
  return null
}
