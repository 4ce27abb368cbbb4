import { type AddedDocument, type AttachedDocument, readPages } from '../../../../../src-preload/contract/documents.ts'
import { mediaPath } from '../../../../../src-preload/contract/media.ts'
import { draftPictures } from '../../composer/draftPictures.ts'
import { type DraftDocument, scansAdded, scansDrawing } from '../draftDocuments.ts'
import { beginDrawing, endDrawing, setDrawing } from './drawings.ts'
import { drawPages } from './drawPages.ts'

/** Estimated tokens of one picture: 765 to 1,105 in the usual tiling. The core estimates requests with the same number. */
export const tokensOfPicture = 1000

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
 * Draws pages of a document and adds them to the draft as pictures. Call it only when the person has agreed to the cost. The message waits for
 * them. Adds nothing when a page fails, the person stops it, or the document leaves the draft.
 */
export async function sendAsImages(draft: string, { key, name, stored }: DraftDocument, pages: readonly number[]) {
  if (stored === null) return
  const signal = beginDrawing(key)
  if (!signal) return
  const files: File[] = []
  const stem = name.replace(/\.pdf$/i, '')
  const next = (): void => setDrawing(key, { state: 'drawing', done: files.length, all: pages.length })
  next()
  scansDrawing(draft, key, true)
  try {
    const onPage = ({ page, image }: { page: number; image: Blob }): void => {
      files.push(new File([image], `${stem} - page ${page}.jpg`, { type: image.type }))
      if (files.length < pages.length) next()
    }
    await drawPages({ mediaUrl: mediaPath(stored.mediaId), pages }, onPage, signal)
    setDrawing(key, null)
    draftPictures.add(files, draft)
    scansAdded(draft, key)
  } catch {
    setDrawing(key, signal.aborted ? null : { state: 'failed', page: pages[files.length] ?? 0 })
  } finally {
    endDrawing(key)
    scansDrawing(draft, key, false)
  }
}
