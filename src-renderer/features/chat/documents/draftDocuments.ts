import * as z from 'zod'
import {
  type AddedDocument,
  type AttachedDocument,
  attachedDocument,
  maxDocumentBytes,
  maxDocuments,
  pageRange,
  type TextEncoding,
} from '../../../../src-preload/contract/documents.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { problemOf } from '../../../api/problem.ts'
import { upload } from '../../../api/transfer.ts'
import { client } from '../client.ts'
import { createDraftFiles, type DraftUploadOptions } from '../draftFiles.ts'
import { stopDrawing } from './scans/drawings.ts'

/** Why a document cannot be sent. */
export type DocumentTrouble = { kind: 'large' } | { kind: 'problem'; problem: Problem }

/** A document of a draft: on its way, or converted. `drawing`: converted, and its pages become images that the message waits for. */
export interface DraftDocument {
  key: string
  name: string
  /** Size of the file. */
  bytes: number
  state: 'waiting' | 'uploading' | 'converting' | 'drawing' | 'ready' | 'failed'
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

/** Whether another try may succeed. A file that the program can't read fails again. */
export const canRetryDocument = ({ state, trouble }: DraftDocument): boolean =>
  state === 'failed' && trouble?.kind === 'problem' && trouble.problem.kind !== 'bad_input'

const storedDocument = attachedDocument.extend({ scanned: z.array(pageRange).default([]) })

/** The documents of all drafts. They are converted one at a time, as in the core. */
export const draftDocuments = createDraftFiles<DraftDocument, z.infer<typeof storedDocument>>({
  storageName: 'chat.documents',
  most: maxDocuments,
  maxBytes: maxDocumentBytes,
  tooLarge: { state: 'failed', trouble: { kind: 'large' } },
  stored: storedDocument,
  toStored: ({ stored, scanned }) => stored && { ...stored, scanned },
  fromStored: ({ scanned, ...stored }) => ({
    key: crypto.randomUUID(),
    name: stored.name,
    bytes: stored.bytes,
    stored,
    scanned,
    state: 'ready',
    sent: 1,
    read: null,
    trouble: null,
  }),
  fromFile: (file, key) => ({
    key,
    name: file.name,
    bytes: file.size,
    state: 'waiting',
    sent: 0,
    trouble: null,
    stored: null,
    read: null,
    scanned: [],
  }),
  upload: uploadDocument,
  failed: (thrown) => ({ state: 'failed', trouble: { kind: 'problem', problem: problemOf(thrown) } }),
  discard: ({ key }) => stopDrawing(key),
})

async function uploadDocument(
  file: File,
  { core, signal, set }: DraftUploadOptions<DraftDocument>,
): Promise<Partial<DraftDocument>> {
  set({ state: 'uploading', trouble: null, sent: 0 })
  const onProgress = (bytes: number): void => set({ sent: file.size === 0 ? 1 : bytes / file.size })
  const uploadId = await upload(core, file, { signal, onProgress })
  set({ state: 'converting', read: null })
  const { scanned, ...stored } = await withProgress(core.documents.add({ uploadId }, { signal }), async () =>
    set({ read: (await core.documents.progress({ uploadId }, { signal })).pages }),
  )
  return { state: 'ready', stored: { ...stored, pages: null }, scanned }
}

/** Interval between two requests for the number of pages read, ms. */
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

/** Ends the offer to send the pages of a document without text as images, because they were added. */
export const scansAdded = (draft: string, key: string): void =>
  draftDocuments.edit(draft, key, (document) => ({ ...document, scanned: [] }))

/** Whether pages of a document are becoming images. */
export const scansDrawing = (draft: string, key: string, drawing: boolean): void =>
  draftDocuments.edit(draft, key, (document) => ({ ...document, state: drawing ? 'drawing' : 'ready' }))

/** Sets the pages that are sent, and their estimated tokens. */
export const choosePages = (draft: string, key: string, pages: string | null, tokens: number): void =>
  draftDocuments.edit(draft, key, (document) => ({
    ...document,
    stored: document.stored && { ...document.stored, pages, tokens },
  }))

/** Reads the stored original of a text again in another encoding. @throws what the core throws */
export async function rereadDocument(
  draft: string,
  { key, stored }: DraftDocument,
  encoding: TextEncoding,
): Promise<void> {
  const core = client()
  if (!core || !stored) return
  const { mediaId, name } = stored
  const fresh = await core.documents.reread({ mediaId, name, encoding })
  draftDocuments.edit(draft, key, (document) => ({ ...document, stored: { ...fresh, pages: null } }))
}

/** The converted documents among these. */
export const attachedOf = (documents: readonly DraftDocument[]): AttachedDocument[] =>
  documents.flatMap(({ stored }) => stored ?? [])
