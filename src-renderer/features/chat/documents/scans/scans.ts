import { create } from 'zustand'
import { type AddedDocument, type AttachedDocument, readPages } from '../../../../../src-preload/contract/documents.ts'
import { mediaPath } from '../../../../../src-preload/contract/media.ts'
import { draftPictures } from '../../composer/draftPictures.ts'
import { type DraftDocument, scansAdded } from '../draftDocuments.ts'
import { drawPages } from './drawPages.ts'

/** Estimated tokens of one picture: 765 to 1,105 in the usual tiling. The core estimates requests with the same number. */
export const tokensOfPicture = 1000

/** The state of drawing pages of a document. Absent: the person has not agreed, or all pages were added. */
export type PageDrawing = { state: 'drawing'; done: number; all: number } | { state: 'failed'; page: number }

/** By key of the document in the draft. */
export const useDrawings = create<{ byKey: Readonly<Record<string, PageDrawing>> }>(() => ({ byKey: {} }))

const running = new Map<string, AbortController>()

function set(key: string, drawing: PageDrawing | null): void {
  useDrawings.setState(({ byKey: { [key]: _, ...others } }) => ({
    byKey: drawing === null ? others : { ...others, [key]: drawing },
  }))
}

/** The numbers of the pages without text among the chosen ones, at most `most`, and how many there are. */
export function pagesToDraw(
  scanned: AddedDocument['scanned'],
  { pages, parts }: Pick<AttachedDocument, 'pages' | 'parts'>,
  most: number,
): { pages: number[]; all: number } {
  const chosen = pages === null ? null : readPages(pages, parts)
  const found: number[] = []
  let all = 0
  for (const { from, to } of scanned) {
    for (let page = from; page <= to; page += 1) {
      if (chosen && !chosen.some((range) => page >= range.from && page <= range.to)) continue
      all += 1
      if (found.length < most) found.push(page)
    }
  }
  return { pages: found, all }
}

/**
 * Draws pages of a document and adds them to the draft as pictures. Call it only when the person has agreed to the cost. Adds nothing when a
 * page fails or the person stops it.
 */
export async function sendAsImages(draft: string, { key, name, stored }: DraftDocument, pages: readonly number[]) {
  if (stored === null || running.has(key)) return
  const ended = new AbortController()
  running.set(key, ended)
  const files: File[] = []
  const stem = name.replace(/\.pdf$/i, '')
  const next = (): void => set(key, { state: 'drawing', done: files.length, all: pages.length })
  next()
  try {
    const onPage = ({ page, image }: { page: number; image: Blob }): void => {
      files.push(new File([image], `${stem} - page ${page}.jpg`, { type: image.type }))
      if (files.length < pages.length) next()
    }
    await drawPages({ mediaUrl: mediaPath(stored.mediaId), pages }, onPage, ended.signal)
    set(key, null)
    draftPictures.add(files, draft)
    scansAdded(draft, key)
  } catch {
    if (ended.signal.aborted) return set(key, null)
    set(key, { state: 'failed', page: pages[files.length] ?? 0 })
  } finally {
    running.delete(key)
  }
}

/** Stops drawing the pages of a document. */
export const stopDrawing = (key: string): void => running.get(key)?.abort()
