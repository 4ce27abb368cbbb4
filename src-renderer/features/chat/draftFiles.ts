import * as z from 'zod'
import { create } from 'zustand'
import type { Client } from '../../api/connect.ts'
import { localStore } from '../../shared/storage.ts'
import { newChat, useChat } from '../../stores/chat.ts'
import { client } from './client.ts'

/** How one kind of files of a draft is limited, uploaded and stored. */
export interface DraftFileKind<Item extends { key: string }, Stored extends { mediaId: string }> {
  /** First part of the key of the list in the browser's storage. */
  storageName: 'chat.pictures' | 'chat.documents'
  /** Upper limit of files per message. */
  most: number
  maxBytes: number
  /** How an item changes when its file is larger than `maxBytes`. */
  tooLarge: Partial<Item>
  /** The stored form of a file in the browser's storage. Everything else there is ignored. */
  stored: z.ZodType<Stored>
  /** Returns the stored form of a file, or null until the core has stored the file. */
  toStored: (item: Item) => Stored | null
  /** A file that the core has stored, as an item of the draft. */
  fromStored: (stored: Stored) => Item
  /** A given file, before its upload. */
  fromFile: (file: File, key: string) => Item
  /** Brings a file to the core. Reports its progress through `set`, and returns how the item changes at the end. */
  upload: (file: File, options: DraftUploadOptions<Item>) => Promise<Partial<Item>>
  /** How an item changes when its upload throws. */
  failed: (thrown: unknown) => Partial<Item>
  /** Releases resources of this window for an item that left the draft for good. */
  discard?: (item: Item) => void
}

export interface DraftUploadOptions<Item> {
  core: Client
  /** Aborted when the person removes the file. */
  signal: AbortSignal
  set: (now: Partial<Item>) => void
}

export interface DraftFiles<Item, Stored> {
  /** The files of a draft, without those that `recall` has not restored yet after a reload. */
  of: (draft: string) => readonly Item[]
  /** The same as `of`, for a component. */
  useItems: (draft: string) => readonly Item[]
  /** How many of the last given files exceeded the limit. */
  useLeftOut: (draft: string) => number
  /** Restores the stored files of a draft after a reload. Call it when the draft enters the composer. */
  recall: (draft: string) => void
  /** Adds files to a draft and uploads them, one after another. Files above the limit are skipped and counted. */
  add: (given: readonly File[], draft?: string) => void
  /** Adds files that the core already has. Files above the limit are skipped and counted. */
  addStored: (given: readonly Stored[], draft: string) => void
  retry: (draft: string, key: string) => void
  /** Removes a file from a draft, in any state. Cancels its upload. */
  remove: (draft: string, key: string) => void
  /** Removes a stored file from a draft. */
  removeFile: (draft: string, mediaId: string) => void
  /** Changes one file of a draft and its stored form. */
  edit: (draft: string, key: string, by: (item: Item) => Item) => void
  /** Removes the files from a draft to send them. `restore` puts them back if the message is refused. */
  take: (draft: string) => readonly Item[]
  restore: (draft: string, taken: readonly Item[]) => void
  /** Discards taken files after the core has accepted the message. */
  forget: (draft: string, taken: readonly Item[]) => void
  /** Removes the files of a sent message from a draft, when the draft has no others. */
  forgetSent: (draft: string, sent: readonly { mediaId: string }[]) => void
}

/** The key of the draft in the composer: the id of the open chat, or `newChat`. */
export const draftKey = (): string => useChat.getState().open?.id ?? newChat

/** Creates the list of one kind of files, for the drafts of all chats. It is remembered in the browser's storage. */
export function createDraftFiles<Item extends { key: string }, Stored extends { mediaId: string }>(
  kind: DraftFileKind<Item, Stored>,
): DraftFiles<Item, Stored> {
  interface State {
    /** By chat id, or `newChat`. */
    byDraft: Readonly<Record<string, readonly Item[]>>
    leftOut: Readonly<Record<string, number>>
  }
  const useFiles = create<State>(() => ({ byDraft: {}, leftOut: {} }))
  const none: readonly Item[] = []
  const itemsIn = ({ byDraft }: State, draft: string): readonly Item[] => byDraft[draft] ?? none
  const of = (draft: string): readonly Item[] => itemsIn(useFiles.getState(), draft)
  const storedOf = (draft: string): Stored[] => of(draft).flatMap((item) => kind.toStored(item) ?? [])

  const change = (draft: string, by: (all: readonly Item[]) => readonly Item[]): void =>
    useFiles.setState(({ byDraft }) => ({ byDraft: { ...byDraft, [draft]: by(byDraft[draft] ?? none) } }))
  const changeOne = (draft: string, key: string, by: (item: Item) => Item): void =>
    change(draft, (all) => all.map((item) => (item.key === key ? by(item) : item)))
  const setLeftOut = (draft: string, count: number): void =>
    useFiles.setState(({ leftOut }) => ({ leftOut: { ...leftOut, [draft]: count } }))

  const storageKey = (draft: string): string => `${kind.storageName}.${draft}`
  const storedList = z.array(kind.stored)
  const remember = (draft: string): void => {
    const list = storedOf(draft)
    if (list.length === 0) localStore.remove(storageKey(draft))
    else localStore.setJson(storageKey(draft), list)
  }

  /** The files whose upload has not succeeded, by key of their item. */
  const uploads = new Map<string, { file: File; ended: AbortController }>()
  /** One upload at a time. */
  let queue: Promise<void> = Promise.resolve()
  const enqueue = (draft: string, key: string): void => {
    queue = queue.then(() => upload(draft, key))
  }

  async function upload(draft: string, key: string): Promise<void> {
    const given = uploads.get(key)
    const core = client()
    if (!given || !core) return
    const { file, ended } = given
    const { signal } = ended
    const set = (now: Partial<Item>): void => changeOne(draft, key, (item) => ({ ...item, ...now }))
    if (file.size > kind.maxBytes) return set(kind.tooLarge)
    try {
      const done = await kind.upload(file, { core, signal, set })
      if (signal.aborted) return
      set(done)
      uploads.delete(key)
      remember(draft)
    } catch (thrown) {
      if (!signal.aborted) set(kind.failed(thrown))
    }
  }

  function remove(draft: string, key: string): void {
    uploads.get(key)?.ended.abort()
    uploads.delete(key)
    const gone = of(draft).find((item) => item.key === key)
    change(draft, (all) => all.filter((item) => item !== gone))
    setLeftOut(draft, 0)
    remember(draft)
    if (!gone) return
    kind.discard?.(gone)
    const stored = kind.toStored(gone)
    if (stored) releaseFile(stored.mediaId)
  }

  function take(draft: string): readonly Item[] {
    const taken = of(draft)
    if (taken.length > 0) change(draft, () => none)
    return taken
  }

  function forget(draft: string, taken: readonly Item[]): void {
    for (const item of taken) kind.discard?.(item)
    remember(draft)
  }

  return {
    of,
    useItems: (draft) => useFiles((state) => itemsIn(state, draft)),
    useLeftOut: (draft) => useFiles(({ leftOut }) => leftOut[draft] ?? 0),
    recall: (draft) => {
      if (useFiles.getState().byDraft[draft]) return
      const list = storedList.safeParse(localStore.getJson(storageKey(draft)))
      if (list.success && list.data.length > 0) {
        change(draft, () => list.data.slice(0, kind.most).map(kind.fromStored))
      }
    },
    add: (given, draft = draftKey()) => {
      const taken = given.slice(0, Math.max(0, kind.most - of(draft).length))
      setLeftOut(draft, given.length - taken.length)
      for (const file of taken) {
        const key = crypto.randomUUID()
        uploads.set(key, { file, ended: new AbortController() })
        change(draft, (all) => [...all, kind.fromFile(file, key)])
        enqueue(draft, key)
      }
    },
    addStored: (given, draft) => {
      const all = [...of(draft), ...given.map(kind.fromStored)]
      change(draft, () => all.slice(0, kind.most))
      setLeftOut(draft, Math.max(0, all.length - kind.most))
      remember(draft)
    },
    retry: enqueue,
    remove,
    removeFile: (draft, mediaId) => {
      const item = of(draft).find((one) => kind.toStored(one)?.mediaId === mediaId)
      if (item) remove(draft, item.key)
    },
    edit: (draft, key, by) => {
      changeOne(draft, key, by)
      remember(draft)
    },
    take,
    restore: (draft, taken) => {
      if (taken.length > 0) change(draft, (all) => [...taken, ...all].slice(0, kind.most))
      remember(draft)
    },
    forget,
    forgetSent: (draft, sent) => {
      const held = of(draft)
      const isSame =
        held.length === sent.length && held.every((item, at) => kind.toStored(item)?.mediaId === sent[at]?.mediaId)
      if (isSame) forget(draft, take(draft))
    },
  }
}

/** Prefixes of the stored lists of files of drafts. */
const lists = /^chat\.(?:documents|pictures)\./

/**
 * Lets the core delete a file that was removed from a draft. Does nothing while another draft of this browser has the file. When the core
 * cannot be reached, the file stays until it is cleaned up.
 */
export function releaseFile(mediaId: string): void {
  // Every list of a draft contains the ids of its files as they are.
  if (localStore.keys().some((key) => lists.test(key) && localStore.get(key)?.includes(mediaId))) return
  client()
    ?.media.release({ mediaId })
    // The file stays until it is cleaned up, and nobody waits for it.
    .catch(() => undefined)
}
