import type { Image } from '../../../src-preload/contract/images.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { upload } from '../../api/transfer.ts'
import { imagesStore, withChange } from '../../stores/images.ts'
import { client } from './client.ts'

export interface ThumbAsked {
  id: string
  /** Absolute, because the worker's own address may be a blob: URL. */
  src: string
  width: number
  height: number
}

/** `file`: WebP. Null when it failed. */
export interface ThumbMade {
  id: string
  file: Blob | null
}

/** Number of workers. More workers are not faster on two cores. */
const atOnce = 2
/** Upper limit of pixels being decoded, four bytes each. A larger image is decoded alone. */
const pixelsAtOnce = 30_000_000
/** Time after which an idle worker is terminated, ms. */
const idleFor = 15_000
/** An image up to this size is its own thumbnail: pixels per side, bytes. */
const smallSide = 512
const smallBytes = 100_000

let worker: Worker | null = null
let idle: ReturnType<typeof setTimeout> | undefined
let waiting: Image[] = []
/** Images being processed: id and pixels. */
const processing = new Map<string, number>()

/** The address to show for an image: the thumbnail, or the full image when there is no thumbnail. Null until known. */
export function srcOf(image: Image, noThumb: ReadonlySet<string>): string | null {
  if (image.thumbId) return mediaPath(image.thumbId)
  return isSmall(image) || noThumb.has(image.id) ? mediaPath(image.mediaId) : null
}

const isSmall = ({ width, height, bytes }: Image): boolean =>
  Math.max(width, height) <= smallSide && bytes <= smallBytes

/** Creates missing thumbnails of the visible images, once for all windows. Images that leave the view are removed from the queue. */
export function wantThumbs(images: readonly Image[]): void {
  const { noThumb } = imagesStore.getState()
  waiting = images.filter((image) => srcOf(image, noThumb) === null && !processing.has(image.id))
  while (hasSpace()) next()
}

function hasSpace(): boolean {
  const [first] = waiting
  if (!first || processing.size >= atOnce) return false
  const pixels = [...processing.values()].reduce((sum, one) => sum + one, 0)
  return processing.size === 0 || pixels + first.width * first.height <= pixelsAtOnce
}

/** Stops all work. */
export function forgetThumbs(): void {
  waiting = []
  processing.clear()
  worker?.terminate()
  worker = null
  clearTimeout(idle)
}

function next(): void {
  const image = waiting.shift()
  if (!image) return
  clearTimeout(idle)
  const { id, width, height } = image
  processing.set(id, width * height)
  worker ??= open()
  const src = new URL(mediaPath(image.mediaId), location.href).href
  worker.postMessage({ id, src, width, height } satisfies ThumbAsked)
}

function open(): Worker {
  const fresh = new Worker(new URL('./thumb.worker.ts', import.meta.url), { type: 'module' })
  fresh.onmessage = ({ data }: MessageEvent<ThumbMade>) => void storeThumb(data)
  // When the worker fails to load, the gallery shows full images.
  fresh.onerror = () => {
    for (const id of processing.keys()) settle(id, false)
  }
  return fresh
}

async function storeThumb({ id, file }: ThumbMade): Promise<void> {
  try {
    const core = client()
    if (file === null || !core) throw new Error('The worker created no thumbnail.')
    const image = await core.images.saveThumbnail({ id, uploadId: await upload(core, file) })
    imagesStore.setState(withChange(imagesStore.getState(), { type: 'image', image }))
    settle(id, true)
  } catch {
    settle(id, false)
  }
}

function settle(id: string, made: boolean): void {
  if (!processing.delete(id)) return
  if (!made) imagesStore.setState(({ noThumb }) => ({ noThumb: new Set([...noThumb, id]) }))
  while (hasSpace()) next()
  if (processing.size === 0) idle = setTimeout(forgetThumbs, idleFor)
}
