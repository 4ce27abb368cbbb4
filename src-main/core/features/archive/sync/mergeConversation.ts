import { randomUUID } from 'node:crypto'
import type { ArchivedConversation, ArchivedMessage } from '../../../store/archive.ts'
import type { Store } from '../../../store/store.ts'
import { type MarkedField, markedFields, type SyncMark } from '../../../store/syncMarks.ts'
import type { Notes } from '../importNotes.ts'
import type { DocumentSource, Incoming, PictureSource, Staging } from '../staging.ts'
import { yieldRegularly } from '../yieldToEventLoop.ts'
import { latestAt, type MarkedConversation, markOr, timeOf, wins } from './format.ts'
import { mergeMarks, readLocalTree, shownLeaf, visibleIn } from './messageTree.ts'

export interface MergeContext {
  store: Store
  notes: Notes
  /** Imports the images and documents of new messages. */
  staging: Staging
  picture: PictureSource
  document: DocumentSource
  /** Whether a reply or tool is running in a conversation. */
  isRunning(conversationId: string): boolean
  now(): number
}

/** `postponed`: try again later. `refused`: the ids belong to something else here. */
export type Merged = {
  outcome: 'added' | 'changed' | 'unchanged' | 'postponed' | 'refused'
  messages: number
}

const rowsAtOnce = 20
const charactersAtOnce = 500_000
const nothing = (outcome: Merged['outcome']): Merged => ({ outcome, messages: 0 })

/**
 * Merges one conversation of another computer: the union of the messages by id, and the newest change of each field. New messages are
 * written a few rows at a time. Each state in between is a valid conversation, so an interrupted merge only has to be repeated.
 */
export async function mergeConversation(
  context: MergeContext,
  given: Incoming,
  marked: MarkedConversation,
): Promise<Merged> {
  const { store, notes } = context
  const incoming = { ...given, conversation: withBelievedTime(given.conversation, latestAt(context.now())) }
  const { archive, syncMarks } = store
  const { conversation } = incoming
  const { id } = conversation
  const state = archive.state(id)
  if (state === 'going' || context.isRunning(id)) {
    notes.add('sync.busy')
    return nothing('postponed')
  }
  if (state === null && isGone(store, conversation, marked)) return nothing('unchanged')
  const theirs = await readTheirs(context, incoming)
  if (!theirs) {
    notes.add('sync.sameId')
    return nothing('refused')
  }
  if (theirs.elsewhere > 0) notes.add('sync.elsewhere')
  if (state === null && theirs.elsewhere > 0 && theirs.parents.size === 0) return nothing('unchanged')
  if (state === null) {
    const at = new Date(context.now()).toISOString()
    // A new chat whose last change is in the future is one of now. Only here: later merges of the file would bring back what is deleted meanwhile.
    const updatedAt = conversation.updatedAt === given.conversation.updatedAt ? conversation.updatedAt : at
    archive.stage({ ...conversation, updatedAt, draft: '' }, at)
  }
  const marks = mergeMarks(syncMarks.messagesOf(id), marked.messages)
  const { parents } = readLocalTree(store, id)
  const visible = visibleIn(new Map([...parents, ...theirs.parents]), marks)
  const messages = await insertNew(context, incoming, ({ id: one }) => {
    return visible.has(one) && theirs.parents.has(one) && !parents.has(one)
  })
  // A reply may have started during the merge. The new messages are stored, the rest at the next synchronization.
  if (context.isRunning(id)) return { outcome: 'postponed', messages }
  const isChanged = syncMarks.merging(() => {
    if (state === null) {
      archive.finish(id, { leafId: null, length: 0, importKey: conversation.importKey })
      archive.reveal([{ id, folderId: conversation.folderId }], [])
    }
    const changes = [
      placeMessages(context, id, marked),
      ...theirs.uses.map((use) => useBetter(store, use)),
      mergeFields(context, conversation, marked, state === null),
    ]
    context.staging.forgetPlans()
    return changes.includes(true)
  })
  if (state === null) return { outcome: 'added', messages }
  return { outcome: isChanged || messages > 0 ? 'changed' : 'unchanged', messages }
}

/** A last change in the future would hide every deletion that follows, so it counts as unknown for what is decided. */
function withBelievedTime(conversation: ArchivedConversation, latest: number): ArchivedConversation {
  const { createdAt, updatedAt } = conversation
  if (Date.parse(updatedAt) <= latest) return conversation
  return { ...conversation, updatedAt: new Date(timeOf(createdAt, latest)).toISOString() }
}

/** Whether a conversation that does not exist here was deleted here or elsewhere after its last change. */
function isGone({ syncMarks }: Store, { id, updatedAt }: ArchivedConversation, marked: MarkedConversation): boolean {
  const ours = syncMarks.of('conversation', id)
  const changedAt = Date.parse(updatedAt)
  const expired = ours.get('expired')
  if (expired && expired.at >= changedAt) return true
  const removed = newest(ours.get('removed'), marked.fields.removed)
  return removed?.value === '1' && removed.at >= changedAt
}

const newest = (a: SyncMark | undefined, b: SyncMark | undefined): SyncMark | undefined =>
  a && b ? (wins(b, a) ? b : a) : (a ?? b)

interface Theirs {
  /** Parents of the file's messages that belong to this conversation on this computer too, by message id. */
  parents: Map<string, string | null>
  /** Number of messages that belong to another conversation on this computer, with those below them. */
  elsewhere: number
  /** Stored messages whose cost the file may know more exactly. */
  uses: Pick<ArchivedMessage, 'id' | 'usage' | 'cost' | 'costIs'>[]
}

/**
 * Reads the messages of the file once. Null if an id is in use here for other content. Such a file does not come from this
 * person's data, and merging it would mix the content of two people.
 */
async function readTheirs({ store }: MergeContext, { conversation, messages }: Incoming): Promise<Theirs | null> {
  const { archive, syncMarks } = store
  const existing = archive.conversation(conversation.id)
  if (existing && existing.createdAt !== conversation.createdAt) return null
  const local = readLocalTree(store, conversation.id)
  const theirs: Theirs = { parents: new Map(), elsewhere: 0, uses: [] }
  for await (const message of messages()) {
    if (message.parentId !== null && !theirs.parents.has(message.parentId)) {
      theirs.elsewhere += 1
      continue
    }
    theirs.parents.set(message.id, message.parentId)
    const place = syncMarks.placeOf(message.id)
    if (!place) continue
    const seq = syncMarks.seqOf(message.id)
    const ours = seq === null ? null : archive.message(seq)
    if (!ours) continue
    if (identity(ours) !== identity(message)) return null
    if (place.home !== conversation.id) {
      theirs.parents.delete(message.id)
      theirs.elsewhere += 1
      continue
    }
    if (local.parents.get(message.id) !== message.parentId) return null
    if (rank[message.costIs] > rank[ours.costIs]) theirs.uses.push(message)
  }
  return theirs
}

const rank = { unknown: 0, estimated: 1, measured: 2 }

/** The fields that never change once a message is complete. */
const identity = ({ role, text, reasoning, refusal, createdAt }: ArchivedMessage): string =>
  JSON.stringify([role, text, reasoning, refusal, createdAt])

async function insertNew(
  { store: { archive }, staging, picture, document }: MergeContext,
  { conversation, messages }: Incoming,
  isNew: (message: ArchivedMessage) => boolean,
): Promise<number> {
  const giveWay = yieldRegularly()
  let batch: ArchivedMessage[] = []
  let characters = 0
  let inserted = 0
  const write = (): void => {
    archive.stageMessages(conversation.id, batch)
    inserted += batch.length
    batch = []
    characters = 0
  }
  for await (const message of messages()) {
    if (!isNew(message)) continue
    const attachments = await staging.attachments(message, picture)
    batch.push({ ...message, attachments, documents: await staging.documents(message, document) })
    characters += message.text.length + message.reasoning.length
    if (batch.length >= rowsAtOnce || characters >= charactersAtOnce) write()
    await giveWay()
  }
  write()
  return inserted
}

/** Restores and deletes messages as the newest marks say. Returns whether anything changed. */
function placeMessages({ store, now }: MergeContext, id: string, { messages }: MarkedConversation): boolean {
  const { syncMarks, conversations } = store
  const ours = syncMarks.messagesOf(id)
  const marks = mergeMarks(ours, messages)
  for (const [messageId, mark] of marks) {
    if (ours.get(messageId) !== mark) syncMarks.set('message', messageId, 'deleted', mark, id)
  }
  let isChanged = false
  const before = readLocalTree(store, id)
  const visible = visibleIn(before.parents, marks)
  const returning = new Set([...before.deletedIn].filter(([one]) => visible.has(one)).map(([, part]) => part))
  for (const part of syncMarks.partsOf(id)) {
    if (!returning.has(part.id)) continue
    const [top] = store.messages.children(part.id, null)
    if (!top) continue
    store.messages.moveTo(id, store.messages.idsFrom(top.id))
    store.messages.setParent(top.id, part.parentId)
    conversations.forget(part.id)
    isChanged = true
  }
  for (const { id: messageId, parentId } of store.messages.links(id)) {
    const isTop = !visible.has(messageId) && (parentId === null || visible.has(parentId))
    if (!isTop) continue
    setAside(store, { conversationId: id, messageId, parentId, now: now() })
    isChanged = true
  }
  return isChanged
}

/** Moves a message and all below it to a removed conversation, from which the person can restore it. */
function setAside(
  { conversations, messages }: Store,
  {
    conversationId,
    messageId,
    parentId,
    now,
  }: { conversationId: string; messageId: string; parentId: string | null; now: number },
): void {
  const removedId = randomUUID()
  // Not the time of the deletion elsewhere: the deadline for restoring it begins when this computer learns of it.
  const removedAt = new Date(now).toISOString()
  const title = messages.get(messageId).text.trim().split('\n', 1)[0]?.slice(0, 80).toWellFormed() || null
  const below = messages.leafBelow(messageId)
  conversations.insert({ id: removedId, title, model: null, now: removedAt })
  messages.moveTo(removedId, messages.idsFrom(messageId))
  messages.setParent(messageId, null)
  conversations.setLeaf(removedId, below)
  conversations.setPart(removedId, { of: conversationId, parentId })
  conversations.setRemoved(removedId, removedAt)
}

function useBetter({ messages }: Store, { id, usage, cost, costIs }: Theirs['uses'][number]): boolean {
  messages.setUse(id, { usage, cost, costIs })
  return true
}

/** Fields whose value is stored in their mark, because the row may have another value. */
const valueInMark: ReadonlySet<MarkedField> = new Set<MarkedField>(['folder', 'leaf', 'removed'])

/** Applies the newest change of each field. Returns whether a field changed on this computer. */
function mergeFields(
  { store, now }: MergeContext,
  theirs: ArchivedConversation,
  marked: MarkedConversation,
  isNew: boolean,
): boolean {
  const { id } = theirs
  const before = stateOf(store, id)
  if (!before) return false
  const { taken, marks } = newestFields(store, {
    ours: before,
    theirs: { ...theirs, named: marked.named },
    marked,
    isNew,
    latest: latestAt(now()),
  })
  const { conversations, syncMarks } = store
  if (taken.has('title')) syncMarks.setTitle(id, theirs.title, marked.named)
  if (taken.has('model')) syncMarks.setModel(id, theirs.model)
  if (taken.has('setup')) conversations.setSetup(id, theirs.setup)
  if (taken.has('pinned')) conversations.setPinned(id, theirs.pinned)
  if (taken.has('archived')) conversations.setArchived(id, theirs.archivedAt)
  if (taken.has('folder')) conversations.setFolder(id, knownFolder(store, marks.folder.value))
  const leafId = shownLeaf(store, id, marks.leaf.value)
  if (leafId !== before.leafId) conversations.setLeaf(id, leafId)
  syncMarks.raiseUpdatedAt(id, theirs.updatedAt)
  const updatedAt = before.updatedAt > theirs.updatedAt ? before.updatedAt : theirs.updatedAt
  // A conversation that was continued elsewhere after its deletion here returns.
  const isRemoved = marks.removed.value === '1' && marks.removed.at >= Date.parse(updatedAt)
  if (isRemoved !== before.removed) {
    // The deadline for restoring it begins when this computer learns of the deletion.
    conversations.setRemoved(id, isRemoved ? new Date(now()).toISOString() : null)
  }
  return JSON.stringify(before) !== JSON.stringify(stateOf(store, id))
}

type Fields = ArchivedConversation & { named: boolean }

function stateOf({ archive, conversations }: Store, id: string): (Fields & { removed: boolean }) | null {
  const found = archive.conversation(id)
  return found && { ...found, named: conversations.isNamed(id) }
}

/** Decides each field, and stores the mark of each field that the other computer changed last. */
function newestFields(
  { syncMarks }: Store,
  {
    ours,
    theirs,
    marked,
    isNew,
    latest,
  }: { ours: Fields; theirs: Fields; marked: MarkedConversation; isNew: boolean; latest: number },
): { taken: ReadonlySet<MarkedField>; marks: Record<MarkedField, SyncMark> } {
  const ourMarks = syncMarks.of('conversation', ours.id)
  const theirMarks = new Map(Object.entries(marked.fields))
  const [own, other] = [valuesOf(ours), valuesOf(theirs)]
  const taken = new Set<MarkedField>()
  const decide = (field: MarkedField): SyncMark => {
    const inMark = valueInMark.has(field)
    const ourMark = markOr(ourMarks, field, { createdAt: ours.createdAt, latest }, inMark ? idOrNull(own[field]) : null)
    const theirMark = markOr(
      theirMarks,
      field,
      { createdAt: theirs.createdAt, latest },
      inMark ? idOrNull(other[field]) : null,
    )
    const isTheirs =
      (isNew && !ourMarks.has(field)) ||
      (inMark
        ? wins(theirMark, ourMark)
        : wins({ at: theirMark.at, value: other[field] }, { at: ourMark.at, value: own[field] }))
    if (!isTheirs) return ourMark
    if (theirMarks.has(field) || !isNew) syncMarks.set('conversation', ours.id, field, theirMark)
    taken.add(field)
    return theirMark
  }
  const marks = Object.fromEntries(markedFields.map((field) => [field, decide(field)])) as Record<MarkedField, SyncMark>
  return { taken, marks }
}

const valuesOf = ({
  title,
  named,
  model,
  setup,
  pinned,
  archivedAt,
  folderId,
  leafId,
}: Fields): Record<MarkedField, unknown> => ({
  title: [title, named],
  model,
  setup,
  pinned,
  archived: archivedAt,
  folder: folderId,
  leaf: leafId,
  removed: null,
})

const idOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const knownFolder = ({ folders }: Store, folderId: string | null): string | null =>
  folders.rows().some((folder) => folder.id === folderId) ? folderId : null
