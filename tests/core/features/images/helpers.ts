import { ZipWriter } from '../../../../src-main/core/features/archive/zipWriter.ts'
import type { ImagesUpstream } from '../../../../src-main/core/features/images/dependencies.ts'
import { coreBusyMs } from '../../../../src-main/core/store/database.ts'
import type { Drawing, ImageRequest, ImagesChange } from '../../../../src-preload/contract/images.ts'
import { closesOnce } from '../../helpers/closeMedia.ts'
import { freshFolder } from '../../helpers/core.ts'
import { createStoredImages, type StoredImages } from '../../helpers/imagesFeature.ts'

export interface Feature extends StoredImages {
  dataDir: string
  lines: string[]
  close(): Promise<void>
}

export const wish = (more: Partial<ImageRequest> = {}): ImageRequest & { fromImageId: string | null } => ({
  prompt: 'A harbour at dawn',
  n: 1,
  model: null,
  size: null,
  responseFormat: null,
  fromImageId: null,
  ...more,
})

/** The images feature with a real store and real files. Closed when the test ends. */
export function openImages(
  upstream: () => Promise<ImagesUpstream>,
  { dataDir = freshFolder(), cost = '0.04' }: { dataDir?: string; cost?: string } = {},
): Feature {
  const lines: string[] = []
  const parts = createStoredImages(dataDir, upstream, {
    open: { busyMs: coreBusyMs },
    costOf: () => ({ cost, costIs: 'estimated' }),
    zip: (path) => new ZipWriter(path),
    log: (line) => lines.push(line),
  })
  const close = closesOnce(parts.images, parts)
  return { ...parts, dataDir, lines, close }
}

/** Reads changes, including the snapshot, until one satisfies `enough`. */
export async function changesUntil(
  { images }: Pick<Feature, 'images'>,
  enough: (change: ImagesChange, all: ImagesChange[]) => boolean,
): Promise<ImagesChange[]> {
  const all: ImagesChange[] = []
  for await (const change of images.watch()) {
    all.push(change)
    if (enough(change, all)) return all
  }
  throw new Error('The changes ended before what was waited for.')
}

/** The image request, once it has ended. */
export async function ended(feature: Pick<Feature, 'images'>, { id }: { id: string }): Promise<Drawing> {
  const of = (change: ImagesChange): Drawing[] =>
    change.type === 'snapshot' ? change.drawings : change.type === 'drawing' ? [change.drawing] : []
  const over = (change: ImagesChange): Drawing | undefined =>
    of(change).find((one) => one.id === id && one.state !== 'making' && one.costIs !== 'unknown')
  const changes = await changesUntil(feature, (change) => over(change) !== undefined)
  const found = changes.map(over).find((one) => one !== undefined)
  if (!found) throw new Error('It has not ended.')
  return found
}
