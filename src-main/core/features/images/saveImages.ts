import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Image } from '../../../../src-preload/contract/images.ts'
import type { Download } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import { fileStem } from '../../shared/fileName.ts'
import type { ImagesParts } from './dependencies.ts'

const endings: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}
const longestName = 60

/** An image of the gallery, or a file with bytes that are not a whole image, whose `name` says so. */
type SavedFile = Pick<Image, 'prompt' | 'mime'> & { name?: string | null }

/** A file name from the beginning of the prompt, valid in every file system. */
export function fileNameOf({ prompt, mime, name }: SavedFile): string {
  const stem = fileStem(prompt, longestName, 'picture')
  return name ? `${stem} ${name}` : `${stem}.${endings[mime] ?? 'img'}`
}

/** Offers one image unchanged, or several as one zip. @throws StudioError `no_such_item`, `busy` */
export async function saveImages(
  { media, downloads, tempDir, zip }: ImagesParts,
  images: readonly (SavedFile & Pick<Image, 'mediaId'>)[],
): Promise<Download> {
  const [first] = images
  if (!first) throw new StudioError('no_such_item', 'That image no longer exists.')
  const path = join(tempDir, randomUUID())
  try {
    if (images.length === 1) {
      const { mime, bytes } = await media.copyTo(first.mediaId, path)
      return downloads.offer({ path, name: fileNameOf(first), mime, bytes })
    }
    const file = zip(path)
    try {
      const taken = new Set<string>()
      for (const image of images) {
        const kept = await media.open(image.mediaId)
        if (!kept) throw new StudioError('no_such_item', 'A file of these images no longer exists.')
        await file.add(unused(fileNameOf(image), taken), kept.read(0, kept.bytes - 1))
      }
      return downloads.offer({ path, name: 'pictures.zip', mime: 'application/zip', bytes: await file.end() })
    } catch (thrown) {
      await file.abandon()
      throw thrown
    }
  } catch (thrown) {
    await rm(path, { force: true })
    throw thrown
  }
}

/** Adds a number to a name that is taken. Compares without case, because many file systems do. */
function unused(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.')
  for (let count = 1; ; count += 1) {
    const tried = count === 1 ? name : `${name.slice(0, dot)} ${count}${name.slice(dot)}`
    if (taken.has(tried.toLowerCase())) continue
    taken.add(tried.toLowerCase())
    return tried
  }
}
