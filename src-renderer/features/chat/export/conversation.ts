import { isPartOfReply, type Message } from '../../../../src-preload/contract/chat.ts'
import { mediaPath } from '../../../../src-preload/contract/media.ts'
import { transferPath } from '../../../../src-preload/contract/transfers.ts'
import type { Client } from '../../../api/connect.ts'

/** A message as the JSON export has it. */
export type ExportedMessage = Pick<
  Message,
  | 'id'
  | 'parentId'
  | 'role'
  | 'name'
  | 'text'
  | 'reasoning'
  | 'refusal'
  | 'toolCalls'
  | 'attachments'
  | 'documents'
  | 'run'
  | 'status'
  | 'problem'
  | 'model'
  | 'createdAt'
  | 'made'
>

/** A conversation with all its branches. */
export interface ExportedConversation {
  id: string
  title: string | null
  model: string | null
  createdAt: string
  instructions: string
  leafId: string | null
  /** Parents before children. */
  messages: readonly ExportedMessage[]
}

/** Reads a conversation without its images. @throws ORPCError `PROBLEM`, TypeError when the connection is lost, the signal's reason */
export async function loadConversation(
  client: Client,
  conversationId: string,
  signal: AbortSignal,
): Promise<ExportedConversation> {
  const request = { conversationId, format: 'json' as const, pictures: false }
  const { downloadId } = await client.archive.exportConversation(request, { signal })
  const reply = await fetch(transferPath(downloadId), { signal, cache: 'no-store' })
  if (!reply.ok) throw new Error('The chat could not be read. Try again.')
  // Written by the core of this program, whose export the contract defines.
  const { conversation, messages } = (await reply.json()) as {
    conversation: Omit<ExportedConversation, 'instructions' | 'messages'> & { setup: { instructions: string } }
    messages: ExportedMessage[]
  }
  const { id, title, model, createdAt, leafId, setup } = conversation
  return { id, title, model, createdAt, leafId, instructions: setup.instructions, messages }
}

/** The messages of the shown branch, oldest first. */
export function branchOf({ messages, leafId }: ExportedConversation): ExportedMessage[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const path: ExportedMessage[] = []
  for (let at = byId.get(leafId ?? ''); at; at = byId.get(at.parentId ?? '')) path.push(at)
  return path.reverse()
}

/** Messages of a branch as the window shows them: a whole reply, with its tool calls and continuations, is one. */
export function asShown(branch: readonly ExportedMessage[]): ExportedMessage[][] {
  const shown: ExportedMessage[][] = []
  for (const message of branch) {
    const card = shown.at(-1)
    const before = card?.at(-1)
    if (card && before?.id === message.parentId && isPartOfReply(message, before)) card.push(message)
    else shown.push([message])
  }
  return shown
}

/** All messages, each branch to its end before the next begins. */
export function everyBranchOf({ messages }: ExportedConversation): ExportedMessage[] {
  const below = new Map<string | null, ExportedMessage[]>()
  for (const message of messages) {
    const versions = below.get(message.parentId)
    if (versions) versions.push(message)
    else below.set(message.parentId, [message])
  }
  const ordered: ExportedMessage[] = []
  const rest = [...(below.get(null) ?? [])].reverse()
  for (let next = rest.pop(); next; next = rest.pop()) {
    ordered.push(next)
    for (const message of below.get(next.id)?.toReversed() ?? []) rest.push(message)
  }
  return ordered
}

/** Position among the versions of a message, such as 2 of 3. */
export interface MessageVersion {
  at: number
  of: number
}

/** Returns a function for the position among the versions of a message, which is null for the only version. */
export function versionsOf({ messages }: ExportedConversation): (message: ExportedMessage) => MessageVersion | null {
  const siblings = new Map<string | null, string[]>()
  for (const { id, parentId } of messages) siblings.set(parentId, [...(siblings.get(parentId) ?? []), id])
  return ({ id, parentId }) => {
    const all = siblings.get(parentId) ?? []
    return all.length < 2 ? null : { at: all.indexOf(id) + 1, of: all.length }
  }
}

/** An image as every browser and word processor shows it. */
export interface ExportedPicture {
  /** `data:` address with an allowed image type. */
  address: string
  blob: Blob
}

/** Address of an image inside this page, which loads it again. Null for another type. */
export const pageAddress = ({ mediaId, mime }: ExportedMessage['attachments'][number]): string | null =>
  shownTypes.has(mime) ? mediaPath(mediaId) : null

const shownTypes = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

/** Reads an image; null if it is missing or of another type. @throws the signal's reason */
export async function loadPicture(mediaId: string, mime: string, signal: AbortSignal): Promise<ExportedPicture | null> {
  if (!shownTypes.has(mime)) return null
  const reply = await fetch(mediaPath(mediaId), { signal })
  if (!reply.ok) return null
  const blob = new Blob([await reply.arrayBuffer()], { type: mime })
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '')
    reader.onerror = () => reject(reader.error ?? new Error('The image could not be read.'))
    reader.readAsDataURL(blob)
  })
  return { address, blob }
}
