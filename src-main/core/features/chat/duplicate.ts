import { randomUUID } from 'node:crypto'
import type { ToolRun } from '../../../../src-preload/contract/chat.ts'
import { StudioError } from '../../errors.ts'
import type { MessageLink } from '../../store/messages.ts'
import type { ChatFeature } from './chat.ts'
import { statusOfRun, timed } from './toolRounds.ts'

/**
 * Copies a conversation: the whole tree, or with `upTo` only the path that ends there. Running replies are copied with
 * their current text and end as cancelled. Open tool calls are copied as stopped.
 * @throws StudioError `no_such_item`, `bad_input`
 */
export function duplicate(
  feature: ChatFeature,
  { conversationId, upTo }: { conversationId: string; upTo?: string | undefined },
): { conversationId: string } {
  const { store, runs } = feature
  const to = randomUUID()
  store.transaction(() => {
    const { title, model, folderId, leafId } = store.conversations.get(conversationId)
    const setup = store.conversations.setup(conversationId)
    store.conversations.insert({ id: to, title, model, folderId, setup, now: new Date().toISOString() })
    if (store.conversations.isNamed(conversationId)) store.conversations.setName(to, title)
    const links = linksOf(feature, conversationId, upTo)
    const ids = copyLinks(feature, links, to)
    const leaf = ids.get(upTo ?? leafId ?? '')
    if (leaf !== undefined) store.conversations.setLeaf(to, leaf)
    for (const { id, role, status } of links) {
      const copied = ids.get(id)
      if (copied === undefined || (status !== 'pending' && status !== 'streaming')) continue
      if (role === 'tool') endCall(feature, copied)
      else endReply(feature, id, copied)
    }
  })
  runs.view.changes.notify({ what: 'restored', conversationId: to })
  return { conversationId: to }
}

/** Parents before children. */
function linksOf({ store }: ChatFeature, conversationId: string, upTo: string | undefined): MessageLink[] {
  const links = store.messages.links(conversationId)
  if (upTo === undefined) return links
  if (store.messages.get(upTo).conversationId !== conversationId) {
    throw new StudioError('bad_input', 'That message belongs to another conversation.')
  }
  const path = new Set(store.messages.pathIds(upTo))
  // A path contains only one of the replies that were requested together.
  return links.filter(({ id }) => path.has(id)).map((link) => ({ ...link, askId: null }))
}

/** Returns new ids by old id. */
function copyLinks({ store }: ChatFeature, links: readonly MessageLink[], to: string): Map<string, string> {
  const ids = new Map(links.map(({ id }) => [id, randomUUID()]))
  const asks = new Map<string, string>()
  const copiedAskId = (askId: string): string => {
    const known = asks.get(askId) ?? randomUUID()
    asks.set(askId, known)
    return known
  }
  for (const { id, parentId, nextId, askId } of links) {
    store.messages.copy(id, {
      id: ids.get(id) ?? randomUUID(),
      conversationId: to,
      parentId: ids.get(parentId ?? '') ?? null,
      nextId: ids.get(nextId ?? '') ?? null,
      askId: askId === null ? null : copiedAskId(askId),
    })
  }
  return ids
}

function endReply({ store, runs }: ChatFeature, id: string, copied: string): void {
  const message = runs.view.message(id)
  if (!message) return
  const outputStarted = message.firstTokenMs !== null
  const words = 'The conversation was duplicated while this reply was still running.'
  store.messages.settle(copied, {
    ...message,
    status: outputStarted ? 'incomplete' : 'failed',
    problem: new StudioError('cancelled', words, { outputStarted }).toProblem(),
    finishedAt: new Date().toISOString(),
  })
}

function endCall({ store }: ChatFeature, copied: string): void {
  const { run } = store.messages.get(copied)
  if (!run) return
  const ended: ToolRun = timed({ ...run, state: 'stopped' })
  store.messages.setRun(copied, ended, 'This is a copy of an open tool call. The copy was not run.', statusOfRun(ended))
}
