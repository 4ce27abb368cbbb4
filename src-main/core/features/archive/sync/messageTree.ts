import type { Store } from '../../../store/store.ts'
import type { SyncMark } from '../../../store/syncMarks.ts'
import { wins } from './format.ts'

/** A conversation's messages on this computer, with those that were deleted and can still be restored. */
export interface LocalTree {
  /** Parent of each message in the conversation, also of deleted ones. */
  parents: Map<string, string | null>
  /** The removed conversation that has each deleted message, by message id. */
  deletedIn: Map<string, string>
}

export function readLocalTree({ messages, syncMarks }: Pick<Store, 'messages' | 'syncMarks'>, id: string): LocalTree {
  const parents = new Map(messages.links(id).map((link) => [link.id, link.parentId]))
  const deletedIn = new Map<string, string>()
  for (const part of syncMarks.partsOf(id)) {
    for (const link of messages.links(part.id)) {
      parents.set(link.id, link.parentId ?? part.parentId)
      deletedIn.set(link.id, part.id)
    }
  }
  return { parents, deletedIn }
}

/** The newer mark of each message. */
export function mergeMarks(
  ours: ReadonlyMap<string, SyncMark>,
  theirs: Readonly<Record<string, SyncMark>>,
): Map<string, SyncMark> {
  const merged = new Map(ours)
  for (const [id, mark] of Object.entries(theirs)) {
    const own = merged.get(id)
    if (!own || wins(mark, own)) merged.set(id, mark)
  }
  return merged
}

/** Messages to show: those that are not deleted, and the messages above them, so that no reply loses its question. */
export function visibleIn(
  parents: ReadonlyMap<string, string | null>,
  marks: ReadonlyMap<string, SyncMark>,
): ReadonlySet<string> {
  const visible = new Set<string>()
  for (const id of parents.keys()) {
    if (marks.get(id)?.value === '1') continue
    for (let at: string | null | undefined = id; at && !visible.has(at); at = parents.get(at)) visible.add(at)
  }
  return visible
}

/**
 * The end of the branch that every computer shows for the same messages: down from `leafId`, at each fork to the newest message. If
 * that message is not here, the branch of the newest message of all.
 */
export function shownLeaf(
  store: Pick<Store, 'archive' | 'messages'>,
  id: string,
  leafId: string | null,
): string | null {
  const links = store.messages.links(id)
  const created = store.archive.createdAt(id)
  const isNewer = (a: string, b: string): boolean => `${created.get(a)} ${a}` > `${created.get(b)} ${b}`
  const newest = new Map<string | null, string>()
  for (const { id: child, parentId } of links) {
    const other = newest.get(parentId)
    if (other === undefined || isNewer(child, other)) newest.set(parentId, child)
  }
  const isHere = links.some((link) => link.id === leafId)
  const everywhere = links.map((link) => link.id)
  let at = isHere ? leafId : everywhere.reduce<string | null>((a, b) => (a === null || isNewer(b, a) ? b : a), null)
  for (let below = newest.get(at ?? ''); below !== undefined; below = newest.get(below)) at = below
  return at
}
