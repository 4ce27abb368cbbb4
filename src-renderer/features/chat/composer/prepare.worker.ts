import { type ImageType, imageTypeOf, jpegOrientation } from '../../../../src-preload/contract/imageHeader.ts'
import { fitOf, isImageType, largestBytes, mayMove } from './fit.ts'
import type { Prepared } from './prepare.ts'

// Decoding, drawing and encoding a large photo takes hundreds of ms, so a worker does it.

addEventListener('message', ({ data: { file } }: MessageEvent<{ file: Blob }>) => {
  prepare(file).then(
    (prepared) => postMessage(prepared),
    () => postMessage({ failed: 'damaged' }),
  )
})

/** Bytes to read for headers. Enough for every header, including 64 kB of EXIF. */
const headBytes = 256 * 1024

async function prepare(file: Blob): Promise<Prepared> {
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const type = imageTypeOf(head)
  const orientation = jpegOrientation(head)
  const bitmap = await createImageBitmap(file)
  const { width, height } = bitmap
  const fit = fitOf({ width, height, bytes: file.size, type, orientation })
  const from = { width, height, bytes: file.size }
  if (!fit.redraw) {
    bitmap.close()
    return { blob: null, from, to: from, converted: null, upright: false, lostFrames: false }
  }
  const canvas = new OffscreenCanvas(fit.width, fit.height)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('The canvas has no 2D context.')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, fit.width, fit.height)
  bitmap.close()
  const blob = await pack(canvas, context, type)
  if (!isImageType(blob.type)) throw new Error('The browser has no encoder for this type.')
  return {
    blob,
    from,
    to: { width: fit.width, height: fit.height, bytes: blob.size },
    converted: blob.type === type ? null : blob.type,
    upright: orientation !== 1,
    lostFrames: mayMove(head, type),
  }
}

/** Encodes photos as JPEG. Other pictures stay lossless, with transparency, if the size allows. */
async function pack(
  canvas: OffscreenCanvas,
  context: OffscreenCanvasRenderingContext2D,
  type: ImageType | null,
): Promise<Blob> {
  if (type !== 'image/jpeg') {
    const exact = await canvas.convertToBlob({ type: 'image/png' })
    if (exact.size <= largestBytes) return exact
    if (showsThrough(context, canvas)) return canvas.convertToBlob({ type: 'image/webp', quality: 0.9 })
  }
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 })
}

function showsThrough(context: OffscreenCanvasRenderingContext2D, { width, height }: OffscreenCanvas): boolean {
  const { data } = context.getImageData(0, 0, width, height)
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true
  return false
}
