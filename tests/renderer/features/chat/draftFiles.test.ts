// @isolated Replaces globals of the process.
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import type { Client } from '../../../../src-renderer/api/connect.ts'
import { MemoryStorage } from '../../shared/storage/memoryStorage.ts'

beforeEach(() => vi.stubGlobal('localStorage', new MemoryStorage()))
afterEach(() => vi.unstubAllGlobals())

const idOf = (file: number): string => `00000000-0000-4000-8000-00000000000${file}`
const document = (mediaId: string): AttachedDocument => ({
  mediaId,
  name: 'a.txt',
  kind: 'text',
  mime: 'text/plain',
  bytes: 1,
  unit: 'text',
  parts: 1,
  tokens: 1,
  notes: [],
  pages: null,
})
const picture = (mediaId: string): Attachment => ({
  mediaId,
  detail: 'auto',
  name: 'a.png',
  mime: 'image/png',
  width: 1,
  height: 1,
  bytes: 1,
})
const drafts = ['newChat', 'chat-1', 'chat-2'] as const

/** A window after a reload, whose drafts have these files. `release` is the core's answer to the release of a file. */
async function openWindow(has: readonly (readonly number[])[], release: () => Promise<unknown> = async () => ({})) {
  vi.resetModules()
  const folder = '../../../../src-renderer/features/chat'
  const { setClient } = await import(`${folder}/client.ts`)
  const { draftDocuments }: typeof import('../../../../src-renderer/features/chat/documents/draftDocuments.ts') =
    await import(`${folder}/documents/draftDocuments.ts`)
  const {
    draftPictures,
    recallPictures,
  }: typeof import('../../../../src-renderer/features/chat/composer/draftPictures.ts') = await import(
    `${folder}/composer/draftPictures.ts`
  )
  const released: string[] = []
  const media = {
    release: ({ mediaId }: { mediaId: string }) => {
      released.push(mediaId)
      return release()
    },
  }
  setClient({ media } as unknown as Client)
  for (const [at, files] of has.entries()) {
    const draft = drafts[at] ?? 'newChat'
    // Even numbers are documents, odd ones pictures.
    const ids = (isDocument: boolean): string[] => files.filter((file) => (file % 2 === 0) === isDocument).map(idOf)
    localStorage.setItem(`chat.documents.${draft}`, JSON.stringify(ids(true).map(document)))
    localStorage.setItem(`chat.pictures.${draft}`, JSON.stringify(ids(false).map(picture)))
    draftDocuments.recall(draft)
    recallPictures(draft)
  }
  function remove(draft: string, mediaId: string): void {
    for (const { key, stored } of draftDocuments.of(draft)) {
      if (stored?.mediaId === mediaId) draftDocuments.remove(draft, key)
    }
    for (const { key, kept } of draftPictures.of(draft)) {
      if (kept?.mediaId === mediaId) draftPictures.remove(draft, key)
    }
  }
  return { released, remove, setClient }
}

test('a file that is removed from its last draft is released once, in whatever order drafts lose their files', async () => {
  const files = fc.uniqueArray(fc.nat(5), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.tuple(files, files, files), fc.infiniteStream(fc.nat()), async (has, order) => {
      localStorage.clear()
      const { released, remove } = await openWindow(has)
      const left = has.flatMap((own, at) => own.map((file) => ({ draft: drafts[at] ?? '', file })))
      while (left.length > 0) {
        const [gone] = left.splice((order.next().value ?? 0) % left.length, 1)
        if (!gone) break
        const before = [...released]
        remove(gone.draft, idOf(gone.file))
        const isLast = !left.some(({ file }) => file === gone.file)
        expect(released).toEqual(isLast ? [...before, idOf(gone.file)] : before)
      }
      expect([...released].sort()).toEqual([...new Set(has.flat())].map(idOf).sort())
    }),
    { numRuns: 25 },
  )
})

test('a file that another window has in its draft is not released', async () => {
  const { released, remove } = await openWindow([[2]])
  localStorage.setItem('chat.documents.other', JSON.stringify([document(idOf(2))]))
  remove('newChat', idOf(2))
  expect(released).toEqual([])
})

test('a core that cannot be reached leaves the file for its clean-up, without an error', async () => {
  const failures: unknown[] = []
  const note = (failure: unknown): void => void failures.push(failure)
  process.on('unhandledRejection', note)
  const { released, remove, setClient } = await openWindow([[2, 4]], () => Promise.reject(new Error('lost')))
  remove('newChat', idOf(2))
  expect(released).toEqual([idOf(2)])
  setClient(null)
  remove('newChat', idOf(4))
  expect(released).toEqual([idOf(2)])
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(failures).toEqual([])
})
