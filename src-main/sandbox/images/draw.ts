import { createHash } from 'node:crypto'
import { encode } from 'fast-png'

type Rgb = readonly [number, number, number]
const sizes = [
  [1024, 1024],
  [1024, 768],
  [768, 1024],
] as const

/** Mulberry32: the same image for the same prompt on every machine. */
const randomFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const hsl = (hue: number, saturation: number, light: number): Rgb => {
  const part = (n: number): number => {
    const k = (n + hue * 12) % 12
    return 255 * (light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [part(0), part(8), part(4)]
}

/**
 * Draws a landscape of ridges under a sky with a sun, from the hash of prompt and index. Returns a PNG of 1024x1024, 1024x768 or 768x1024,
 * depending on the hash: a requested size does not set it (specification, IMG-02).
 */
export const drawImage = (prompt: string, index: number): Uint8Array => {
  const random = randomFrom(createHash('sha256').update(`${index}\n${prompt}`).digest().readUInt32LE(0))
  const [width, height] = sizes[Math.floor(random() * sizes.length)] ?? sizes[0]
  const hue = random()
  const turn = 0.08 + random() * 0.3
  const high = hsl((hue + turn) % 1, 0.55, 0.2 + random() * 0.2)
  const low = hsl(hue, 0.75, 0.68 + random() * 0.12)
  const sun = {
    x: width * (0.2 + random() * 0.6),
    y: height * (0.18 + random() * 0.27),
    r: width * (0.05 + random() * 0.08),
  }
  const ridges = Array.from({ length: 5 + Math.floor(random() * 4) }, (_, i) => ridge(random, width, height, i / 7))
  const far = hsl(hue, 0.45, 0.62)
  const near = hsl((hue + turn + 0.45) % 1, 0.5, 0.1)
  const data = new Uint8Array(width * height * 3)
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      const distance = Math.hypot(x - sun.x, y - sun.y)
      const disc = Math.max(0, Math.min(1, sun.r - distance + 0.5))
      const glow = Math.min(0.75, 0.75 * (sun.r / Math.max(sun.r, distance)) ** 1.3)
      const depth = ridges.findLastIndex((line) => y >= (line[x] ?? height))
      const under = y - (ridges[depth]?.[x] ?? y)
      const at = (y * width + x) * 3
      for (let c = 0; c < 3; c++) {
        let value = mix(high[c] ?? 0, low[c] ?? 0, Math.min(1, (y / height) * 1.6))
        value = mix(value, 252, Math.max(disc * 0.96, glow * 0.6))
        if (depth >= 0) {
          const shade = mix(far[c] ?? 0, near[c] ?? 0, (depth + 1) / ridges.length)
          // Each ridge has mist at its foot and warmer colours on the sun's side.
          const mist = Math.min(0.35, under / height) * (1 - depth / ridges.length)
          value = mix(mix(shade, low[c] ?? 0, mist), 252, glow * 0.12) + Math.max(0, 3 - under) * 4
        }
        data[at + c] = Math.max(0, Math.min(255, value))
      }
    }
  }
  return encode({ width, height, data, channels: 3, depth: 8 }, { zlib: { level: 4 } })
}

const mix = (a: number, b: number, share: number): number => a + (b - a) * share

/** The height of one ridge: a sum of sines with halving wavelengths, sharper in front. */
const ridge = (random: () => number, width: number, height: number, depth: number): Float32Array => {
  const base = height * (0.46 + depth * 0.46)
  const waves = Array.from({ length: 7 }, (_, i) => ({
    size: height * (0.055 + depth * 0.03) * 0.52 ** i * (0.6 + random()),
    length: (1.1 + random()) * 2 ** i,
    phase: random() * 7,
  }))
  return Float32Array.from({ length: width }, (_, x) =>
    waves.reduce(
      (y, { size, length, phase }) => y - size * (1 - 2 * Math.abs(Math.sin((x / width) * length + phase))),
      base,
    ),
  )
}
