import type { Store } from '../../../store/store.ts'
import type { SyncMark } from '../../../store/syncMarks.ts'
import type { StoredTree } from '../readStored.ts'
import { storedTree } from '../readStored.ts'
import { type MarkedConversation, type SyncFile, syncEntry, syncFormat, syncVersion, writable } from './format.ts'

/** Most marks of one kind in a file. Without a bound, the marks of deleted items would exceed the size that readers accept. */
const mostMarks = 100_000

/** Marks as they are written: within the range of the format, and the newest ones if there are too many. */
function marksOf(all: Iterable<readonly [string, SyncMark]>): Record<string, SyncMark> {
  const marks = [...all].map(([id, mark]) => [id, writable(mark)] as const)
  if (marks.length <= mostMarks) return Object.fromEntries(marks)
  const oldest = marks.map(([, { at }]) => at).sort((a, b) => b - a)[mostMarks] ?? 0
  return Object.fromEntries(marks.filter(([, { at }]) => at > oldest))
}

/**
 * The options of `writeArchive` that make an archive the file of this computer: no drafts, no running replies, and an
 * entry with the times of all changes.
 */
export function syncOptions(store: Store, installation: string) {
  const conversations: Record<string, MarkedConversation> = {}

  function read(_: unknown, id: string): StoredTree | null {
    const tree = settledTree(store, id)
    if (!tree) return null
    const fields = marksOf(store.syncMarks.of('conversation', id))
    // The end of a running reply is not in the file, so its mark would name a message that no other computer has.
    if (tree.isShortened) delete fields.leaf
    delete fields.expired
    conversations[id] = {
      named: store.conversations.isNamed(id),
      fields,
      messages: marksOf(store.syncMarks.messagesOf(id)),
    }
    return tree
  }

  function more(): { name: string; value: SyncFile }[] {
    const removed = store.syncMarks.removed().filter(({ id }) => !Object.hasOwn(conversations, id))
    const removedMarks = marksOf(removed.map(({ id, at }) => [id, { at, value: '1' }]))
    const items = (what: 'folder' | 'prompt' | 'preset') => marksOf(store.syncMarks.items(what))
    const value: SyncFile = {
      format: syncFormat,
      version: syncVersion,
      installation,
      conversations,
      removed: Object.fromEntries(Object.entries(removedMarks).map(([id, { at }]) => [id, at])),
      folders: items('folder'),
      prompts: items('prompt'),
      presets: items('preset'),
      files: Object.fromEntries([...store.syncMarks.files()].map(([id, marks]) => [id, marksOf(marks)])),
    }
    return [{ name: syncEntry, value }]
  }

  return { read, more }
}

/** A conversation without its draft, running replies and waiting tool calls. Messages below these are left out too. */
function settledTree(store: Store, id: string): (StoredTree & { isShortened: boolean }) | null {
  const tree = storedTree(store, id)
  if (!tree) return null
  const links = store.messages.links(id)
  const left = new Set<string>()
  for (const { id: messageId, parentId, status } of links) {
    const isOpen = status === 'pending' || status === 'streaming'
    if (isOpen || (parentId !== null && left.has(parentId))) left.add(messageId)
  }
  const parents = new Map(links.map((link) => [link.id, link.parentId]))
  let { leafId } = tree.conversation
  while (leafId !== null && left.has(leafId)) leafId = parents.get(leafId) ?? null
  return {
    conversation: { ...tree.conversation, draft: '', leafId },
    // Links and rows have the same order.
    seqs: tree.seqs.filter((_, index) => !left.has(links[index]?.id ?? '')),
    isShortened: leafId !== tree.conversation.leafId,
  }
}
