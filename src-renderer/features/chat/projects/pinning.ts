import { create } from 'zustand'
import { maxDocumentBytes } from '../../../../src-preload/contract/documents.ts'
import { maxPinnedFiles, type PinnedFile } from '../../../../src-preload/contract/projects.ts'
import { problemOf } from '../../../api/problem.ts'
import { upload } from '../../../api/transfer.ts'
import { showSize } from '../../../i18n/format.ts'
import { i18n } from '../../../i18n/index.ts'
import { libraryStore } from '../../../stores/library.ts'
import { attempt, client } from '../client.ts'

/** A file on its way into a project. */
export interface PinningFile {
  key: string
  name: string
  state: 'waiting' | 'uploading' | 'converting'
  /** Id of the converted file. The project may report the file before the reply to its pinning arrives. */
  mediaId: string | null
  /** Why it could not be added. */
  trouble: string | null
}

interface PinningFiles {
  byFolder: Readonly<Record<string, readonly PinningFile[]>>
  /** How many of the last given files exceeded the limit. */
  leftOut: number
}

export const usePinning = create<PinningFiles>(() => ({ byFolder: {}, leftOut: 0 }))

const running = new Map<string, AbortController>()
let queue: Promise<void> = Promise.resolve()

/** Uploads, converts and pins files, one after another. */
export function addPinned(folderId: string, given: readonly File[]): void {
  const known = libraryStore.getState().folders.find(({ id }) => id === folderId)?.files.length ?? 0
  const waiting = usePinning.getState().byFolder[folderId]?.length ?? 0
  const files = given.slice(0, Math.max(0, maxPinnedFiles - known - waiting))
  usePinning.setState({ leftOut: given.length - files.length })
  for (const file of files) {
    const key = crypto.randomUUID()
    running.set(key, new AbortController())
    change(folderId, (all) => [...all, { key, name: file.name, state: 'waiting', mediaId: null, trouble: null }])
    queue = queue.then(() => bringIn(folderId, key, file))
  }
}

async function bringIn(folderId: string, key: string, file: File): Promise<void> {
  const core = client()
  const signal = running.get(key)?.signal
  if (!core || !signal) return
  const set = (now: Partial<PinningFile>): void =>
    change(folderId, (all) => all.map((one) => (one.key === key ? { ...one, ...now } : one)))
  try {
    if (file.size > maxDocumentBytes) {
      return set({ trouble: i18n.t('projects:tooLarge', { most: showSize(maxDocumentBytes) }) })
    }
    set({ state: 'uploading' })
    const uploadId = await upload(core, file, { signal })
    set({ state: 'converting' })
    const { mediaId, name } = await core.documents.add({ uploadId }, { signal })
    set({ mediaId })
    await core.projects.pin({ folderId, mediaId, name }, { signal })
    cancelPinned(folderId, key)
  } catch (thrown) {
    if (!signal.aborted) set({ trouble: problemOf(thrown).message })
  }
}

/** Cancels a file, or removes one that failed. */
export function cancelPinned(folderId: string, key: string): void {
  running.get(key)?.abort()
  running.delete(key)
  change(folderId, (all) => all.filter((one) => one.key !== key))
}

export async function unpin(folderId: string, { mediaId }: PinnedFile): Promise<void> {
  await attempt((core) => core.projects.unpin({ folderId, mediaId }))
}

function change(folderId: string, by: (all: readonly PinningFile[]) => readonly PinningFile[]): void {
  usePinning.setState(({ byFolder }) => ({ byFolder: { ...byFolder, [folderId]: by(byFolder[folderId] ?? []) } }))
}
