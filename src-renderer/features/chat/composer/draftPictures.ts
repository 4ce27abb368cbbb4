import * as z from 'zod'
import { create } from 'zustand'
import { type Attachment, attachment } from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { problemOf } from '../../../api/problem.ts'
import { upload } from '../../../api/transfer.ts'
import { offeredPictures } from '../../../shared/newChatDraft.ts'
import { localStore } from '../../../shared/storage.ts'
import { newChat, useChat } from '../../../stores/chat.ts'
import { client } from '../client.ts'
import { releaseFile } from '../releaseFile.ts'
import { NoPicture, type Prepared, prepare } from './prepare.ts'

/** Upper limit of pictures per message (the contract's limit). */
export const maxPictures = 16
/** Maximum file size, bytes. No model accepts a larger picture. */
export const largestFile = 64 * 1024 * 1024

export type PictureTrouble =
  | { kind: 'not' }
  | { kind: 'damaged' }
  | { kind: 'large' }
  | { kind: 'problem'; problem: Problem }

/** A picture of a draft, uploading or stored. */
export interface DraftPicture {
  key: string
  name: string
  /** Bytes of the given file, or of the stored picture once it is stored. */
  bytes: number
  state: 'preparing' | 'uploading' | 'keeping' | 'ready' | 'failed'
  /** Upload progress, 0 to 1. */
  sent: number
  /** A blob: URL of this window. Null after a reload. */
  preview: string | null
  prepared: Prepared | null
  trouble: PictureTrouble | null
  detail: Attachment['detail']
  /** Set once the picture is stored. */
  kept: Omit<Attachment, 'detail'> | null
}

interface DraftPictures {
  /** By chat id, or `newChat`. */
  byDraft: Readonly<Record<string, readonly DraftPicture[]>>
  /** How many of the last given pictures exceeded the limit, by draft. */
  leftOut: Readonly<Record<string, number>>
}

export const usePictures = create<DraftPictures>(() => ({ byDraft: {}, leftOut: {} }))

/** The draft in the composer. */
export const draftKey = (): string => useChat.getState().open?.id ?? newChat

const none: readonly DraftPicture[] = []
/** The pictures of a draft, without those that `recallPictures` has not restored yet after a reload. */
export const picturesOf = ({ byDraft }: DraftPictures, draft: string): readonly DraftPicture[] => byDraft[draft] ?? none

const files = new Map<string, { file: File; ended: AbortController }>()
const storageKey = (draft: string): string => `chat.pictures.${draft}`
const storedList = z.array(attachment)

/** Restores the stored pictures of a draft after a reload. Call it when the draft enters the composer. */
export function recallPictures(draft: string): void {
  if (!usePictures.getState().byDraft[draft]) {
    const list = storedList.safeParse(localStore.getJson(storageKey(draft)))
    if (list.success && list.data.length > 0) change(draft, () => list.data.slice(0, maxPictures).map(asDraft))
  }
  if (draft === newChat) takeOffered()
}

function asDraft({ detail, ...kept }: Attachment): DraftPicture {
  const { name, bytes } = kept
  const rest = { sent: 1, preview: null, prepared: null, trouble: null, state: 'ready' as const }
  return { key: crypto.randomUUID(), name: name ?? '', bytes, detail, kept, ...rest }
}

/** Takes the pictures that another feature offered for a new chat. Skips those that the draft already has. */
function takeOffered(): void {
  const { pictures } = offeredPictures.getState()
  if (pictures.length === 0) return
  offeredPictures.setState({ pictures: [] })
  const held = picturesOf(usePictures.getState(), newChat)
  const fresh = pictures.filter(({ mediaId }) => !held.some(({ kept }) => kept?.mediaId === mediaId)).map(asDraft)
  const all = [...held, ...fresh]
  change(newChat, () => all.slice(0, maxPictures))
  usePictures.setState(({ leftOut }) => ({
    leftOut: { ...leftOut, [newChat]: Math.max(0, all.length - maxPictures) },
  }))
  remember(newChat)
}

/** Adds picked, pasted or dropped files to a draft. Files above the limit are skipped and counted. */
export function addPictures(given: readonly File[], draft = draftKey()): void {
  const feature = maxPictures - picturesOf(usePictures.getState(), draft).length
  const taken = given.slice(0, Math.max(0, feature))
  usePictures.setState(({ leftOut }) => ({ leftOut: { ...leftOut, [draft]: given.length - taken.length } }))
  for (const file of taken) {
    const key = crypto.randomUUID()
    files.set(key, { file, ended: new AbortController() })
    const fresh: DraftPicture = {
      ...{ key, name: file.name, bytes: file.size, state: 'preparing', sent: 0, detail: null, kept: null },
      ...{ preview: URL.createObjectURL(file), prepared: null, trouble: null },
    }
    change(draft, (all) => [...all, fresh])
    queue = queue.then(() => bringUp(draft, key))
  }
}

/** Prepares one picture at a time, because sixteen decoded photos need gigabytes of memory. */
let queue: Promise<void> = Promise.resolve()

async function bringUp(draft: string, key: string): Promise<void> {
  const given = files.get(key)
  const core = client()
  if (!given || !core) return
  const { file, ended } = given
  const { signal } = ended
  const set = (now: Partial<DraftPicture>): void =>
    change(draft, (all) => all.map((one) => (one.key === key ? { ...one, ...now } : one)))
  try {
    set({ state: 'preparing', trouble: null, sent: 0 })
    if (file.size > largestFile) return set({ state: 'failed', trouble: { kind: 'large' } })
    const prepared = await prepare(file, signal)
    const { blob } = prepared
    const sent = blob ? new File([blob], renamed(file.name, blob.type), { type: blob.type }) : file
    set({ state: 'uploading', prepared, bytes: sent.size })
    const onProgress = (bytes: number): void => set({ sent: sent.size === 0 ? 1 : bytes / sent.size })
    const uploadId = await upload(core, sent, { signal, onProgress })
    set({ state: 'keeping' })
    const kept = await core.media.addImage({ uploadId }, { signal })
    if (signal.aborted) return
    set({ state: 'ready', kept: { ...kept, name: sent.name.slice(0, 300) }, bytes: kept.bytes })
    files.delete(key)
    remember(draft)
  } catch (thrown) {
    if (!signal.aborted) set({ state: 'failed', trouble: troubleOf(thrown, file) })
  }
}

function troubleOf(thrown: unknown, { type }: File): PictureTrouble {
  if (!(thrown instanceof NoPicture)) return { kind: 'problem', problem: problemOf(thrown) }
  return type.startsWith('image/') ? { kind: 'damaged' } : { kind: 'not' }
}

export function retryPicture(draft: string, key: string): void {
  queue = queue.then(() => bringUp(draft, key))
}

/** Removes a picture from a draft, in any state. */
export function removePicture(draft: string, key: string): void {
  files.get(key)?.ended.abort()
  files.delete(key)
  const gone = picturesOf(usePictures.getState(), draft).find((one) => one.key === key)
  if (gone?.preview) URL.revokeObjectURL(gone.preview)
  change(draft, (all) => all.filter((one) => one.key !== key))
  usePictures.setState(({ leftOut }) => ({ leftOut: { ...leftOut, [draft]: 0 } }))
  remember(draft)
  if (gone?.kept) releaseFile(gone.kept.mediaId)
}

export function setDetail(draft: string, key: string, detail: Attachment['detail']): void {
  change(draft, (all) => all.map((one) => (one.key === key ? { ...one, detail } : one)))
  remember(draft)
}

/** Removes the pictures from a draft to send them. `restorePictures` puts them back if the message is refused. */
export function takePictures(draft: string): readonly DraftPicture[] {
  const taken = picturesOf(usePictures.getState(), draft)
  if (taken.length > 0) change(draft, () => none)
  return taken
}

export function restorePictures(draft: string, taken: readonly DraftPicture[]): void {
  change(draft, (all) => [...taken, ...all].slice(0, maxPictures))
  remember(draft)
}

/** Releases the draft's pictures after the core has accepted the message. */
export function forgetPictures(draft: string, taken: readonly DraftPicture[]): void {
  for (const { preview } of taken) if (preview) URL.revokeObjectURL(preview)
  remember(draft)
}

/** Removes the pictures of a sent message from a draft, when the draft has no other pictures. */
export function forgetSentPictures(draft: string, sent: readonly Attachment[]): void {
  const held = picturesOf(usePictures.getState(), draft)
  const same = held.length === sent.length && held.every(({ kept }, at) => kept?.mediaId === sent[at]?.mediaId)
  if (same) forgetPictures(draft, takePictures(draft))
}

export const attachmentsOf = (pictures: readonly DraftPicture[]): Attachment[] =>
  pictures.flatMap(({ kept, detail }) => (kept ? [{ ...kept, detail }] : []))

function remember(draft: string): void {
  const list = attachmentsOf(picturesOf(usePictures.getState(), draft))
  if (list.length === 0) localStore.remove(storageKey(draft))
  else localStore.setJson(storageKey(draft), list)
}

function change(draft: string, by: (all: readonly DraftPicture[]) => readonly DraftPicture[]): void {
  usePictures.setState(({ byDraft }) => ({ byDraft: { ...byDraft, [draft]: by(byDraft[draft] ?? none) } }))
}

function renamed(name: string, type: string): string {
  const stem = name.replace(/\.[^.]{1,5}$/, '') || 'picture'
  return `${stem}.${type.slice('image/'.length).replace('jpeg', 'jpg')}`
}
