import type { ThumbAsked, ThumbMade } from './thumbs.ts'

// Loading, decoding and encoding a large image takes hundreds of ms, so a worker does it.

/** The contract's limits: pixels per side, and bytes. */
const largestSide = 512
const largestBytes = 300_000

addEventListener('message', ({ data: asked }: MessageEvent<ThumbAsked>) => {
  make(asked).then(
    (made) => postMessage(made),
    () => postMessage({ id: asked.id, file: null } satisfies ThumbMade),
  )
})

async function make({ id, src, width, height }: ThumbAsked): Promise<ThumbMade> {
  const reply = await fetch(src)
  if (!reply.ok) throw new Error(`The image request failed with status ${reply.status}.`)
  const share = Math.min(1, largestSide / Math.max(width, height))
  const size = [Math.max(1, Math.round(width * share)), Math.max(1, Math.round(height * share))] as const
  const bitmap = await createImageBitmap(await reply.blob(), {
    resizeWidth: size[0],
    resizeHeight: size[1],
    resizeQuality: 'high',
  })
  const canvas = new OffscreenCanvas(...size)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  for (const quality of [0.82, 0.5, 0.2]) {
    const file = await canvas.convertToBlob({ type: 'image/webp', quality })
    if (file.size <= largestBytes) return { id, file }
  }
  throw new Error('The thumbnail exceeds the size limit.')
}
