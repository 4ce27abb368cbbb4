import type { Image } from '../../../src-preload/contract/images.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { imagesStore, withChange } from '../../stores/images.ts'
import { client } from './client.ts'

export interface ThumbAsked {
  id: string
  /** A whole address: a worker's own may be a blob's. */
  src: string
  width: number
  height: number
}

/** `data`: WebP as base64; null where none could be made. */
export interface ThumbMade {
  id: string
  data: string | null
}

/** More are not quicker on two cores. */
const atOnce = 2
/** Pixels that may be decoded at once, four bytes each; a larger picture is decoded alone. */
const pixelsAtOnce = 30_000_000
/** A thread that made nothing for so long is given up, in ms. */
const idleFor = 15_000
/** A picture as small as this is its own small one: pixels a side, bytes. */
const smallSide = 512
const smallBytes = 100_000

let worker: Worker | null = null
let idle: ReturnType<typeof setTimeout> | undefined
let waiting: Image[] = []
/** Being made: id and pixels. */
const under = new Map<string, number>()

/** What the gallery draws of a picture: the small one, or where there is none and none will be, the whole; null until then. */
export function srcOf(image: Image, noThumb: ReadonlySet<string>): string | null {
  if (image.thumbId) return mediaPath(image.thumbId)
  return isSmall(image) || noThumb.has(image.id) ? mediaPath(image.mediaId) : null
}

const isSmall = ({ width, height, bytes }: Image): boolean =>
  Math.max(width, height) <= smallSide && bytes <= smallBytes

/** The pictures in sight: of those without a small one it is made now, once for all windows. What has left the view waits no longer. */
export function wantThumbs(images: readonly Image[]): void {
  const { noThumb } = imagesStore.getState()
  waiting = images.filter((image) => srcOf(image, noThumb) === null && !under.has(image.id))
  while (hasSpace()) next()
}

function hasSpace(): boolean {
  const [first] = waiting
  if (!first || under.size >= atOnce) return false
  const pixels = [...under.values()].reduce((sum, one) => sum + one, 0)
  return under.size === 0 || pixels + first.width * first.height <= pixelsAtOnce
}

/** Nobody looks any more. */
export function forgetThumbs(): void {
  waiting = []
  under.clear()
  worker?.terminate()
  worker = null
  clearTimeout(idle)
}

function next(): void {
  const image = waiting.shift()
  if (!image) return
  clearTimeout(idle)
  const { id, width, height } = image
  under.set(id, width * height)
  worker ??= open()
  const src = new URL(mediaPath(image.mediaId), location.href).href
  worker.postMessage({ id, src, width, height } satisfies ThumbAsked)
}

function open(): Worker {
  const fresh = new Worker(new URL('./thumb.worker.ts', import.meta.url), { type: 'module' })
  fresh.onmessage = ({ data }: MessageEvent<ThumbMade>) => void keep(data)
  // It could not even be loaded: every picture is drawn whole.
  fresh.onerror = () => {
    for (const id of under.keys()) settle(id, false)
  }
  return fresh
}

async function keep({ id, data }: ThumbMade): Promise<void> {
  try {
    if (data === null) throw new Error('No small picture could be made.')
    const image = await client()?.images.keepThumb({ id, data })
    if (image) imagesStore.setState(withChange(imagesStore.getState(), { type: 'image', image }))
    settle(id, true)
  } catch {
    settle(id, false)
  }
}

function settle(id: string, made: boolean): void {
  if (!under.delete(id)) return
  if (!made) imagesStore.setState(({ noThumb }) => ({ noThumb: new Set([...noThumb, id]) }))
  while (hasSpace()) next()
  if (under.size === 0) idle = setTimeout(forgetThumbs, idleFor)
}
