import { type Attachment, attachment } from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { problemOf } from '../../../api/problem.ts'
import { upload } from '../../../api/transfer.ts'
import { offeredPictures } from '../../../shared/newChatDraft.ts'
import { newChat } from '../../../stores/chat.ts'
import { createDraftFiles, type DraftUploadOptions } from '../draftFiles.ts'
import { NoPicture, type Prepared, prepare } from './prepare.ts'

/** Upper limit of pictures per message (the contract's limit). */
export const maxPictures = 16
/** Maximum file size, bytes. No model accepts a larger picture. */
export const largestFile = 64 * 1024 * 1024

export type PictureTrouble = { kind: 'damaged' } | { kind: 'large' } | { kind: 'problem'; problem: Problem }

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

/** The pictures of all drafts. They are prepared one at a time, because sixteen decoded photos need gigabytes of memory. */
export const draftPictures = createDraftFiles<DraftPicture, Attachment>({
  storageName: 'chat.pictures',
  most: maxPictures,
  maxBytes: largestFile,
  tooLarge: { state: 'failed', trouble: { kind: 'large' } },
  stored: attachment,
  toStored: ({ kept, detail }) => kept && { ...kept, detail },
  fromStored: ({ detail, ...kept }) => ({
    key: crypto.randomUUID(),
    name: kept.name ?? '',
    bytes: kept.bytes,
    detail,
    kept,
    state: 'ready',
    sent: 1,
    preview: null,
    prepared: null,
    trouble: null,
  }),
  fromFile: (file, key) => ({
    key,
    name: file.name,
    bytes: file.size,
    state: 'preparing',
    sent: 0,
    detail: null,
    kept: null,
    preview: URL.createObjectURL(file),
    prepared: null,
    trouble: null,
  }),
  upload: uploadPicture,
  failed: (thrown) => ({ state: 'failed', trouble: troubleOf(thrown) }),
  discard: ({ preview }) => {
    if (preview) URL.revokeObjectURL(preview)
  },
})

/** Restores the pictures of a draft after a reload, and takes those that another feature offered for a new chat. */
export function recallPictures(draft: string): void {
  draftPictures.recall(draft)
  const { pictures } = offeredPictures.getState()
  if (draft !== newChat || pictures.length === 0) return
  offeredPictures.setState({ pictures: [] })
  const held = attachmentsOf(draftPictures.of(draft))
  const fresh = pictures.filter(({ mediaId }) => !held.some((known) => known.mediaId === mediaId))
  draftPictures.addStored(fresh, draft)
}

async function uploadPicture(
  file: File,
  { core, signal, set }: DraftUploadOptions<DraftPicture>,
): Promise<Partial<DraftPicture>> {
  set({ state: 'preparing', trouble: null, sent: 0 })
  const prepared = await prepare(file, signal)
  const { blob } = prepared
  const sent = blob ? new File([blob], renamed(file.name, blob.type), { type: blob.type }) : file
  set({ state: 'uploading', prepared, bytes: sent.size })
  const onProgress = (bytes: number): void => set({ sent: sent.size === 0 ? 1 : bytes / sent.size })
  const uploadId = await upload(core, sent, { signal, onProgress })
  set({ state: 'keeping' })
  const kept = await core.media.addImage({ uploadId }, { signal })
  return { state: 'ready', kept: { ...kept, name: sent.name.slice(0, 300) }, bytes: kept.bytes }
}

const troubleOf = (thrown: unknown): PictureTrouble =>
  thrown instanceof NoPicture ? { kind: 'damaged' } : { kind: 'problem', problem: problemOf(thrown) }

/** The stored pictures among these. */
export const attachmentsOf = (pictures: readonly DraftPicture[]): Attachment[] =>
  pictures.flatMap(({ kept, detail }) => (kept ? [{ ...kept, detail }] : []))

function renamed(name: string, type: string): string {
  const stem = name.replace(/\.[^.]{1,5}$/, '') || 'picture'
  return `${stem}.${type.slice('image/'.length).replace('jpeg', 'jpg')}`
}
