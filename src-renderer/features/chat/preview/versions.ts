import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { OpenConversation } from '../../../stores/openChat.ts'
import type { PreviewTarget } from '../../../stores/preview.ts'
import { blocksOf, type PreviewBlock } from './blocks.ts'

/** One version of an artifact: a block of a reply. */
export interface PreviewVersion extends PreviewBlock {
  messageId: string
  /** Place among the previewable blocks of its message. */
  index: number
}

interface Chain {
  versions: PreviewVersion[]
  /** Place of the newest version among the blocks of its kind in its reply. */
  order: number
  /** Number of the newest version's reply, among the replies with a block of this kind. */
  reply: number
}

/**
 * Artifacts of a path, each with its versions, oldest first. A block is the next version of an earlier block of the same kind if both have
 * the same title. If one of them has no title, it is the next version if it has the same place (first, second …) among the blocks of its
 * kind, and no reply with such a block is between them.
 */
export function artifactsOf(messages: readonly Message[]): PreviewVersion[][] {
  const chains: Chain[] = []
  const replies = new Map<string, number>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    const orders = new Map<string, number>()
    const blocks = blocksOf(message).map((block, index) => {
      const order = orders.get(block.kind) ?? 0
      orders.set(block.kind, order + 1)
      return { ...block, messageId: message.id, index, order }
    })
    for (const kind of orders.keys()) replies.set(kind, (replies.get(kind) ?? 0) + 1)
    const taken = new Set<Chain>()
    const place = (version: PreviewVersion, order: number, chain: Chain | undefined): void => {
      const reply = replies.get(version.kind) ?? 0
      const used = chain ?? { versions: [], order, reply }
      if (!chain) chains.push(used)
      used.versions.push(version)
      used.order = order
      used.reply = reply
      taken.add(used)
    }
    const free = (chain: Chain, kind: string): boolean => !taken.has(chain) && chain.versions[0]?.kind === kind
    const untitled: typeof blocks = []
    for (const block of blocks) {
      const { order, ...version } = block
      const same = chains.findLast(
        (chain) => free(chain, version.kind) && version.title !== '' && sameTitle(chain.versions.at(-1), version),
      )
      if (same) place(version, order, same)
      else untitled.push(block)
    }
    // After the titles, so that a block without one does not take the place of a block with one.
    for (const { order, ...version } of untitled) {
      const before = (replies.get(version.kind) ?? 0) - 1
      const beside = chains.find(
        (chain) =>
          free(chain, version.kind) &&
          chain.order === order &&
          chain.reply === before &&
          (version.title === '' || chain.versions.at(-1)?.title === ''),
      )
      place(version, order, beside)
    }
  }
  return chains.map(({ versions }) => versions)
}

const sameTitle = (a: PreviewVersion | undefined, b: PreviewVersion): boolean =>
  a?.title.toLowerCase() === b.title.toLowerCase()

/** What the preview shows: the versions of its artifact and the shown one. */
export interface ShownArtifact {
  versions: readonly PreviewVersion[]
  at: number
}

/** Null when the path contains no block of the target's kind, for example before the chat has loaded. */
export function artifactFor(open: OpenConversation, target: PreviewTarget): ShownArtifact | null {
  const artifacts = artifactsOf(pathWith(open, target.messageId))
  for (const versions of artifacts) {
    const at = versions.findIndex(({ messageId, index }) => messageId === target.messageId && index === target.index)
    if (at >= 0) return { versions, at: target.follow ? versions.length - 1 : at }
  }
  // Another version of the reply is on the path now.
  const newest = artifacts.findLast((versions) => versions[0]?.kind === target.kind)
  return newest ? { versions: newest, at: newest.length - 1 } : null
}

/** The path that contains the message: the active one, or the one that ends with a reply beside it. */
function pathWith({ messages, beside }: OpenConversation, messageId: string): readonly Message[] {
  const other = messages.some(({ id }) => id === messageId) ? undefined : beside.find(({ id }) => id === messageId)
  if (!other) return messages
  return [...messages.slice(0, messages.findIndex(({ id }) => id === other.parentId) + 1), other]
}
