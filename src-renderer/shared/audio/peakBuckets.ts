/** Upper limit of buckets per file. Each bucket is one byte. */
export const maxBuckets = 24_000
const bucketsASecond = 20

/** Number of buckets for a file of this length. */
export const bucketsOf = (seconds: number): number =>
  Math.min(maxBuckets, Math.max(200, Math.ceil(seconds * bucketsASecond)))

/** The peak of each bucket of time. Unknown buckets have the last known value before them. */
export class Peaks {
  readonly seconds: number
  readonly bucketSeconds: number
  readonly #values: Float32Array
  readonly #known: Uint8Array
  readonly #before: Peaks | null

  /** @param before values for buckets that are not known yet */
  constructor(buckets: number, seconds: number, before: Peaks | null = null) {
    this.#before = before
    this.seconds = seconds
    this.bucketSeconds = Math.max(seconds, 1e-3) / buckets
    this.#values = new Float32Array(buckets)
    this.#known = new Uint8Array(buckets)
  }

  /** @param value 0 to 1. Ignored outside of the file's time. */
  add(bucket: number, value: number): void {
    const index = Math.min(bucket, this.#values.length - 1)
    if (index < 0) return
    this.#known[index] = 1
    if (value > (this.#values[index] ?? 0)) this.#values[index] = value
  }

  /** Adds samples of one channel that start at `time` (s). */
  addSamples(samples: Float32Array, time: number, rate: number): void {
    const bucketFrames = this.bucketSeconds * rate
    const first = Math.round(time * rate)
    for (let frame = 0; frame < samples.length; ) {
      const bucket = Math.floor((first + frame) / bucketFrames)
      const until = Math.min(samples.length, Math.max(frame + 1, Math.ceil((bucket + 1) * bucketFrames) - first))
      let top = 0
      for (let index = frame; index < until; index++) {
        const value = Math.abs(samples[index] ?? 0)
        if (value > top) top = value
      }
      this.add(bucket, top)
      frame = until
    }
  }

  /** One byte per bucket: 255 is full scale. */
  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#values.length)
    const before = this.#before?.bytes()
    let last = 0
    for (let index = 0; index < bytes.length; index++) {
      if (this.#known[index] === 1) last = Math.min(255, Math.round((this.#values[index] ?? 0) * 255))
      else if (before) last = before[Math.floor((index * before.length) / bytes.length)] ?? 0
      bytes[index] = last
    }
    return bytes
  }
}
