import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openChat } from '../../../../src-main/core/features/chat/chat.ts'
import { removeMessage } from '../../../../src-main/core/features/chat/removeMessage.ts'
import { restore } from '../../../../src-main/core/features/chat/restore.ts'
import type { Store } from '../../../../src-main/core/store/store.ts'
import { onlyLong, tries } from '../../../helpers/effort.ts'
import { freshFolder } from '../../helpers/core.ts'
import { addFolder, openStudio, type Studio } from './studio.ts'

const actions = [
  ...(['message', 'message', 'message', 'sync', 'sync', 'sync', 'chat', 'edit', 'branch', 'deleteMessage'] as const),
  ...(['rename', 'model', 'move', 'pin', 'archive', 'delete', 'restore', 'erase'] as const),
  ...(['folder', 'renameFolder', 'deleteFolder', 'prompt', 'editPrompt', 'deletePrompt'] as const),
  ...(['pinFile', 'pinFile', 'renameFile', 'removeFile'] as const),
]
type Action = (typeof actions)[number]

/** One step of a person on one of the computers. `pick` chooses among what exists there. */
const step = fc.record({ computer: fc.nat(2), pick: fc.nat(), action: fc.constantFrom(...actions) })
interface Step {
  pick: number
  action: Action
}

const among = <T>(all: readonly T[], pick: number): T | undefined => all[pick % Math.max(1, all.length)]

function say(store: Store, conversationId: string, parentId: string | null, text: string): void {
  const id = randomUUID()
  const now = new Date().toISOString()
  store.transaction(() => {
    store.messages.insert({
      id,
      conversationId,
      parentId,
      text,
      role: 'user',
      status: 'complete',
      model: null,
      createdAt: now,
    })
    store.conversations.setLeaf(conversationId, id)
    store.conversations.touch(conversationId, now)
  })
}

async function act(studio: Studio, { pick, action }: Step, written: Set<string>): Promise<void> {
  const { store, library } = studio
  const { conversations, messages } = store
  const now = new Date().toISOString()
  const name = randomUUID().slice(0, 8)
  const text = `text ${name}`
  const feature = openChat({ store, upstream: () => Promise.reject(new Error('No service.')), log: () => undefined })
  const removed = among(library.removed(), pick)
  const folder = among(store.folders.rows(), pick)
  const file = folder && among(store.pinnedFiles.entries(folder.id), pick >> 2)
  const prompt = among(store.prompts.list(), pick)
  const begin = (): void => {
    const id = randomUUID()
    conversations.insert({ id, title: name, model: null, now })
    say(store, id, null, text)
    written.add(text)
  }
  const inChat = (work: (id: string) => void) => (): void => {
    const id = among(store.archive.ids().sort(), pick)
    if (id !== undefined) work(id)
  }
  const atMessage = (work: (id: string, link: { id: string; parentId: string | null }) => void) =>
    inChat((id) => {
      const link = among(messages.links(id), pick >> 3)
      if (link) work(id, link)
    })
  const put = (id: string, parentId: string | null): void => {
    say(store, id, parentId, text)
    written.add(text)
  }
  const erase = async ({ id }: { id: string }): Promise<void> => {
    for (const { text: gone } of messages.many(messages.links(id).map((link) => link.id))) written.delete(gone)
    await library.erase([id])
  }
  const work: Record<Action, () => unknown> = {
    sync: () => undefined,
    chat: begin,
    message: inChat((id) => put(id, conversations.get(id).leafId)),
    edit: atMessage((id, { parentId }) => put(id, parentId)),
    branch: atMessage((id, link) => conversations.setLeaf(id, messages.leafBelow(link.id))),
    deleteMessage: atMessage((_, link) => removeMessage(feature, { messageId: link.id })),
    rename: inChat((id) => conversations.setName(id, name)),
    model: inChat((id) => conversations.use(id, name, now)),
    move: inChat((id) => conversations.setFolder(id, folder?.id ?? null)),
    pin: inChat((id) => conversations.setPinned(id, pick % 2 === 0)),
    archive: inChat((id) => conversations.setArchived(id, pick % 2 === 0 ? now : null)),
    delete: inChat((id) => conversations.setRemoved(id, now)),
    restore: () => removed && restore(feature, { removedId: removed.id }),
    erase: () => removed && erase(removed),
    folder: () => addFolder(store, name, now),
    renameFolder: () => folder && store.folders.update(folder.id, { name }),
    deleteFolder: () => folder && library.removeFolder(folder),
    // Few contents, so that several computers add the same file.
    pinFile: () => folder && studio.pin(folder.id, `${name}.txt`, `Content ${(pick >> 2) % 3}.`),
    renameFile: () =>
      folder &&
      file &&
      store.pinnedFiles.insert({ folderId: folder.id, mediaId: file.mediaId, name: `${name}.md`, addedAt: now }),
    removeFile: () => folder && file && studio.unpin(folder.id, file.mediaId),
    prompt: () => store.prompts.insert({ id: randomUUID(), name, text: name, updatedAt: now }),
    editPrompt: () => prompt && store.prompts.save({ ...prompt, text: name, updatedAt: now }),
    deletePrompt: () => prompt && store.prompts.remove(prompt.id),
  }
  await work[action]()
}

/** What a person sees, independent of the order in which rows were written. */
function seen({ store, pinned }: Studio) {
  const sorted = <T>(all: T[]): T[] => all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return {
    chats: sorted(
      store.archive.ids().map((id) => {
        const { importKey: _, ...conversation } = store.archive.conversation(id) ?? {}
        const messages = store.archive.seqs(id).map((seq) => {
          const { nextId: __, ...message } = store.archive.message(seq) ?? {}
          return message
        })
        return { ...conversation, named: store.conversations.isNamed(id), messages: sorted(messages) }
      }),
    ),
    folders: sorted(store.folders.rows().map((folder) => ({ ...folder, files: sorted(pinned(folder.id)) }))),
    prompts: sorted(store.prompts.list()),
  }
}

/** Every text on a computer, also of deleted messages and chats. */
function allTexts({ store }: Studio): string[] {
  const ids = [...store.archive.ids(), ...store.erasures.removed().map(({ id }) => id)]
  return ids.flatMap((id) =>
    store.messages.many(store.messages.links(id).map((link) => link.id)).map(({ text }) => text),
  )
}

/** Gives all computers the same two chats, folder with a file and prompt, so that later changes meet. */
async function share(studios: readonly Studio[], folder: string, written: Set<string>): Promise<void> {
  const [first] = studios
  if (!first) return
  for (const action of ['folder', 'pinFile', 'prompt', 'chat', 'chat', 'message', 'message', 'edit'] as const) {
    await act(first, { action, pick: 0 }, written)
  }
  for (const one of studios) await one.archive.sync({ folder })
}

/** Syncs in turn until a whole round brings nothing new. */
async function settle(studios: readonly Studio[], folder: string): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    const reports = []
    for (const one of studios) reports.push(await one.archive.sync({ folder }))
    if (reports.every(({ written, files }) => !written && files.every(({ outcome }) => outcome === 'unchanged'))) return
  }
  throw new Error('The computers do not settle.')
}

it.each([2, ...onlyLong(3)])(
  '%i data folders with random edits end equal, with nothing lost and nothing twice',
  { tags: 'long', timeout: tries(60_000, 900_000) },
  async (count) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const folder = freshFolder()
        const studios = Array.from({ length: count }, () => openStudio())
        const written = new Set<string>()
        try {
          await share(studios, folder, written)
          for (const { computer, action, pick } of steps) {
            const one = studios[computer % count] ?? studios[0]
            if (!one) continue
            if (action === 'sync') await one.archive.sync({ folder })
            else await act(one, { action, pick }, written)
          }
          await settle(studios, folder)
          const [first, ...others] = studios.map(seen)
          for (const other of others) expect(other).toEqual(first)
          const texts = studios.map(allTexts)
          for (const all of texts) expect(new Set(all).size).toBe(all.length)
          const anywhere = new Set(texts.flat())
          expect([...written].filter((text) => !anywhere.has(text))).toEqual([])
          for (const { store } of studios) {
            expect(store.erasures.planned('import')).toEqual([])
            // Each content once, and none without a project.
            const used = store.folders.rows().flatMap(({ id }) => store.pinnedFiles.entries(id))
            const ids = new Set(used.map(({ mediaId }) => mediaId))
            await expect.poll(() => [...store.media.ids()].sort()).toEqual([...ids].sort())
          }
        } finally {
          for (const one of studios) await one.close()
        }
      }),
      { numRuns: tries(5, 200), endOnFailure: false },
    )
  },
)
