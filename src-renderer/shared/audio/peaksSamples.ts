import { bucketsOf, Peaks } from './peakBuckets.ts'

export interface Layout {
  /** Offset and length of the samples in bytes. `Infinity` when the length is unknown. */
  from: number
  bytes: number
  channels: number
  rate: number
  bits: 8 | 16 | 24 | 32
  float: boolean
}

export const pcmLayout = (rate: number): Layout => ({
  from: 0,
  bytes: Number.POSITIVE_INFINITY,
  channels: 1,
  rate,
  bits: 16,
  float: false,
})

type Form = Pick<Layout, 'channels' | 'rate' | 'bits' | 'float'>

/** Parses the header of a RIFF WAVE file from its first bytes. Null when it does not contain plain samples. */
export function wavLayout(head: Uint8Array): Layout | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const word = (at: number) => (at + 4 <= head.length ? String.fromCharCode(...head.subarray(at, at + 4)) : '')
  if (word(0) !== 'RIFF' || word(8) !== 'WAVE') return null
  let form: Form | null = null
  for (let at = 12; at + 8 <= head.length; ) {
    const bytes = view.getUint32(at + 4, true)
    if (word(at) === 'fmt ') form = formAt(view, at)
    if (word(at) === 'data') {
      // A file that was written as a stream has the length 0 or all ones. Its data reaches to the end.
      const all = bytes === 0 || bytes === 0xff_ff_ff_ff
      return form && { from: at + 8, bytes: all ? Number.POSITIVE_INFINITY : bytes, ...form }
    }
    at += 8 + bytes + (bytes & 1)
  }
  return null
}

function formAt(view: DataView, at: number): Form | null {
  if (at + 24 > view.byteLength) return null
  const tag = view.getUint16(at + 8, true)
  // 0xFFFE: the extension contains the actual format tag.
  const kind = tag === 0xfffe && at + 34 <= view.byteLength ? view.getUint16(at + 32, true) : tag
  const [channels, rate, bits] = [
    view.getUint16(at + 10, true),
    view.getUint32(at + 12, true),
    view.getUint16(at + 22, true),
  ]
  if ((kind !== 1 && kind !== 3) || channels === 0 || rate === 0) return null
  if (bits !== 8 && bits !== 16 && bits !== 24 && bits !== 32) return null
  return { channels, rate, bits, float: kind === 3 }
}

/**
 * Measures plain samples while they are read: exact, and without the whole file in memory.
 * @param bytes length of the file
 * @param onSome called from time to time with the progress
 */
export async function measureSamples(
  stream: ReadableStream<Uint8Array>,
  layout: Layout,
  bytes: number,
  onSome: (peaks: Peaks) => void,
): Promise<Peaks> {
  const each = (layout.bits / 8) * layout.channels
  const count = Math.floor(Math.min(layout.bytes, bytes - layout.from) / each)
  const seconds = Math.max(0, count / layout.rate)
  const peaks = new Peaks(bucketsOf(seconds), seconds)
  let at = -layout.from
  let left = new Uint8Array(0)
  let reported = performance.now()
  for await (const chunk of chunksOf(stream)) {
    const skip = at < 0 ? Math.min(-at, chunk.length) : 0
    at += skip
    const fresh = chunk.subarray(skip)
    if (fresh.length === 0) continue
    const data = left.length === 0 ? fresh : joined(left, fresh)
    const frames = Math.min(Math.floor(data.length / each), count - Math.floor(at / each))
    addSamples(peaks, data, frames, Math.floor(at / each), layout)
    at += frames * each
    left = data.slice(frames * each)
    if (performance.now() - reported > 150) {
      reported = performance.now()
      onSome(peaks)
    }
  }
  return peaks
}

function addSamples(peaks: Peaks, data: Uint8Array, frames: number, first: number, layout: Layout): void {
  const { channels, rate } = layout
  const read = readSample(data, layout)
  const bucketFrames = peaks.bucketSeconds * rate
  for (let frame = 0; frame < frames; ) {
    const bucket = Math.floor((first + frame) / bucketFrames)
    const until = Math.min(frames, Math.max(frame + 1, Math.ceil((bucket + 1) * bucketFrames) - first))
    let top = 0
    for (let index = frame * channels; index < until * channels; index++) {
      const value = Math.abs(read(index))
      if (value > top) top = value
    }
    peaks.add(bucket, top)
    frame = until
  }
}

/** Reads samples one after another, channels interleaved, as -1 to 1. */
export function readSample(
  data: Uint8Array,
  { bits, float }: Pick<Layout, 'bits' | 'float'>,
): (index: number) => number {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  if (bits === 8) return (index) => (view.getUint8(index) - 128) / 128
  if (bits === 16) {
    // Aligned samples in the machine's byte order are read through a typed array: one hour in a tenth of a second.
    const shorts =
      data.byteOffset % 2 === 0 && littleEndian && new Int16Array(data.buffer, data.byteOffset, data.length >> 1)
    if (shorts) return (index) => (shorts[index] ?? 0) / 32_768
    return (index) => view.getInt16(index * 2, true) / 32_768
  }
  if (bits === 24)
    return (index) => (view.getInt8(index * 3 + 2) * 65_536 + view.getUint16(index * 3, true)) / 8_388_608
  if (float) return (index) => view.getFloat32(index * 4, true)
  return (index) => view.getInt32(index * 4, true) / 2_147_483_648
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
