import * as z from 'zod'
import { create } from 'zustand'
import {
  type AddedDocument,
  type AttachedDocument,
  attachedDocument,
  maxDocumentBytes,
  maxDocuments,
  pageRange,
} from '../../../../src-preload/contract/documents.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { problemOf } from '../../../api/problem.ts'
import { upload } from '../../../api/transfer.ts'
import { localStore } from '../../../shared/storage.ts'
import { newChat, useChat } from '../../../stores/chat.ts'
import { client } from '../client.ts'
import { releaseFile } from '../releaseFile.ts'

/** Why a document cannot be sent. */
export type DocumentTrouble = { kind: 'large' } | { kind: 'problem'; problem: Problem }

/** A document of a draft: on its way, or converted. */
export interface DraftDocument {
  key: string
  name: string
  /** Size of the file. */
  bytes: number
  state: 'waiting' | 'uploading' | 'converting' | 'ready' | 'failed'
  /** Upload progress, 0 to 1. */
  sent: number
  trouble: DocumentTrouble | null
  /** Pages that were read so far. Null before the first one. */
  read: { done: number; all: number } | null
  /** Set once the document is converted, with the chosen pages. */
  stored: AttachedDocument | null
  /** Pages without text that can be sent as images. Empty once they were added as pictures. */
  scanned: AddedDocument['scanned']
}

interface DraftDocuments {
  /** By chat id, or `newChat`. */
  byDraft: Readonly<Record<string, readonly DraftDocument[]>>
  /** How many of the last given documents exceeded the limit, by draft. */
  leftOut: Readonly<Record<string, number>>
}

export const useDocuments = create<DraftDocuments>(() => ({ byDraft: {}, leftOut: {} }))

const none: readonly DraftDocument[] = []
/** The documents of a draft, without those that `recallDocuments` has not restored yet after a reload. */
export const documentsOf = ({ byDraft }: DraftDocuments, draft: string): readonly DraftDocument[] =>
  byDraft[draft] ?? none

const files = new Map<string, { file: File; ended: AbortController }>()
const storageKey = (draft: string): string => `chat.documents.${draft}`
const storedList = z.array(attachedDocument.extend({ scanned: z.array(pageRange).default([]) }))

/** Restores the stored documents of a draft after a reload. Call it when the draft enters the composer. */
export function recallDocuments(draft: string): void {
  if (useDocuments.getState().byDraft[draft]) return
  const list = storedList.safeParse(localStore.getJson(storageKey(draft)))
  if (list.success && list.data.length > 0) change(draft, () => list.data.slice(0, maxDocuments).map(asDraft))
}

const asDraft = ({ scanned, ...stored }: z.infer<typeof storedList>[number]): DraftDocument => ({
  ...{ key: crypto.randomUUID(), name: stored.name, bytes: stored.bytes, stored, scanned },
  ...{ state: 'ready', sent: 1, read: null, trouble: null },
})

/** Adds documents to a draft, uploads them and waits for their text, one after another. Files above the limit are skipped and counted. */
export function addDocuments(given: readonly File[], draft = useChat.getState().open?.id ?? newChat): void {
  const free = maxDocuments - documentsOf(useDocuments.getState(), draft).length
  const taken = given.slice(0, Math.max(0, free))
  useDocuments.setState(({ leftOut }) => ({ leftOut: { ...leftOut, [draft]: given.length - taken.length } }))
  for (const file of taken) {
    const key = crypto.randomUUID()
    files.set(key, { file, ended: new AbortController() })
    const fresh: DraftDocument = {
      ...{ key, name: file.name, bytes: file.size, state: 'waiting', sent: 0, trouble: null, stored: null },
      ...{ read: null, scanned: [] },
    }
    change(draft, (all) => [...all, fresh])
    queue = queue.then(() => bringUp(draft, key))
  }
}

/** One document at a time, as in the core. */
let queue: Promise<void> = Promise.resolve()

async function bringUp(draft: string, key: string): Promise<void> {
  const given = files.get(key)
  const core = client()
  if (!given || !core) return
  const { file, ended } = given
  const { signal } = ended
  const set = (now: Partial<DraftDocument>): void =>
    change(draft, (all) => all.map((one) => (one.key === key ? { ...one, ...now } : one)))
  try {
    if (file.size > maxDocumentBytes) return set({ state: 'failed', trouble: { kind: 'large' } })
    set({ state: 'uploading', trouble: null, sent: 0 })
    const onProgress = (bytes: number): void => set({ sent: file.size === 0 ? 1 : bytes / file.size })
    const uploadId = await upload(core, file, { signal, onProgress })
    set({ state: 'converting', read: null })
    const { scanned, ...stored } = await withProgress(core.documents.add({ uploadId }, { signal }), async () =>
      set({ read: (await core.documents.progress({ uploadId }, { signal })).pages }),
    )
    if (signal.aborted) return
    set({ state: 'ready', stored: { ...stored, pages: null }, scanned })
    files.delete(key)
    remember(draft)
  } catch (thrown) {
    if (!signal.aborted) set({ state: 'failed', trouble: { kind: 'problem', problem: problemOf(thrown) } })
  }
}

/** How often the number of read pages is asked for, ms. */
const progressMs = 400

/** Calls `ask` from time to time until `work` ends. A failed question only leaves the number as it was: `work` reports the failure. */
async function withProgress<T>(work: Promise<T>, ask: () => Promise<void>): Promise<T> {
  let isAsking = false
  const timer = setInterval(() => {
    if (isAsking) return
    isAsking = true
    void ask().then(
      () => (isAsking = false),
      () => (isAsking = false),
    )
  }, progressMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}

export function retryDocument(draft: string, key: string): void {
  queue = queue.then(() => bringUp(draft, key))
}

/** Removes a document from a draft, in any state. Cancels its upload or conversion. */
export function removeDocument(draft: string, key: string): void {
  files.get(key)?.ended.abort()
  files.delete(key)
  const gone = documentsOf(useDocuments.getState(), draft).find((one) => one.key === key)
  change(draft, (all) => all.filter((one) => one.key !== key))
  useDocuments.setState(({ leftOut }) => ({ leftOut: { ...leftOut, [draft]: 0 } }))
  remember(draft)
  if (gone?.stored) releaseFile(gone.stored.mediaId)
}

/** Ends the offer to send the pages of a document without text as images, because they were added. */
export function scansAdded(draft: string, key: string): void {
  change(draft, (all) => all.map((one) => (one.key === key ? { ...one, scanned: [] } : one)))
  remember(draft)
}

/** Sets the pages that are sent, and their estimated tokens. */
export function choosePages(draft: string, key: string, pages: string | null, tokens: number): void {
  change(draft, (all) =>
    all.map((one) => (one.key === key && one.stored ? { ...one, stored: { ...one.stored, pages, tokens } } : one)),
  )
  remember(draft)
}

/** Removes the documents from a draft to send them. `restoreDocuments` puts them back if the message is refused. */
export function takeDocuments(draft: string): readonly DraftDocument[] {
  const taken = documentsOf(useDocuments.getState(), draft)
  if (taken.length > 0) change(draft, () => none)
  return taken
}

export function restoreDocuments(draft: string, taken: readonly DraftDocument[]): void {
  if (taken.length > 0) change(draft, (all) => [...taken, ...all].slice(0, maxDocuments))
  remember(draft)
}

/** Forgets the stored list of a draft after the core has accepted the message. */
export const forgetDocuments = (draft: string): void => remember(draft)

/** Removes the documents of a sent message from a draft, when the draft has no others. */
export function forgetSentDocuments(draft: string, sent: readonly AttachedDocument[]): void {
  const held = documentsOf(useDocuments.getState(), draft)
  const same = held.length === sent.length && held.every(({ stored }, at) => stored?.mediaId === sent[at]?.mediaId)
  if (!same) return
  takeDocuments(draft)
  remember(draft)
}

/** The converted documents among these. */
export const attachedOf = (documents: readonly DraftDocument[]): AttachedDocument[] =>
  documents.flatMap(({ stored }) => stored ?? [])

function remember(draft: string): void {
  const list = documentsOf(useDocuments.getState(), draft).flatMap(({ stored, scanned }) =>
    stored ? [{ ...stored, scanned }] : [],
  )
  if (list.length === 0) localStore.remove(storageKey(draft))
  else localStore.setJson(storageKey(draft), list)
}

function change(draft: string, by: (all: readonly DraftDocument[]) => readonly DraftDocument[]): void {
  useDocuments.setState(({ byDraft }) => ({ byDraft: { ...byDraft, [draft]: by(byDraft[draft] ?? none) } }))
}
