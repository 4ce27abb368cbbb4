import { encode } from 'fast-png'
import { sizeOf } from './pictureSizes.ts'

const made = new Map<string, Buffer>()
/** A third of the size, because only the page matters here. */
const share = 3

/** The bytes of a generated picture of the harness's core. Null for other paths. */
export function drawn(path: string): Buffer | null {
  const seed = /^\/media\/00000000-0000-4000-8000-([0-9a-f]{12})$/.exec(path)?.[1]
  if (seed === undefined) return null
  const at = Number.parseInt(seed, 16)
  const { width, height } = sizeOf(at)
  const key = `${width}x${height} ${at % 24}`
  const known = made.get(key) ?? picture(Math.round(width / share), Math.round(height / share), at % 24)
  made.set(key, known)
  return known
}

/** Sky, sun and hills, so that scaling and cropping are visible. */
function picture(width: number, height: number, seed: number): Buffer {
  const data = new Uint8Array(width * height * 3)
  const sun = { x: width * (0.2 + (seed % 7) / 10), y: height * 0.32, r: Math.min(width, height) * 0.13 }
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const hill = height * (0.68 + 0.1 * Math.sin((x / width) * 5 + seed) + 0.04 * Math.sin((x / width) * 17 + seed))
      const inSun = (x - sun.x) ** 2 + (y - sun.y) ** 2 < sun.r ** 2
      const depth = y / height
      const sky = [90 + seed * 6, 110 + depth * 90, 190 - seed * 3 + depth * 30]
      const land = [40 + seed * 4, 95 - depth * 40 + seed, 70 + seed * 2]
      const colour = y > hill ? land : inSun ? [250, 226, 170] : sky
      data.set(
        colour.map((value) => Math.min(255, Math.max(0, Math.round(value)))),
        (y * width + x) * 3,
      )
    }
  }
  return Buffer.from(encode({ width, height, data, channels: 3, depth: 8 }))
}
