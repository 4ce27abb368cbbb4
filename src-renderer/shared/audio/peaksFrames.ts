import { FrameSum, flacHead, isFrame } from './liveFlac.ts'

/** A frame of a format whose frames follow each other directly. */
export interface Frame {
  at: number
  bytes: number
  /** Start, s. */
  time: number
}

/** The audio frames of a file and its length, s. */
export interface Frames {
  frames: Frame[]
  seconds: number
}

/** kbit/s by the four bits of a header: layer III of version 1, and of versions 2 and 2.5 (ISO 11172-3 2.4.2.3, ISO 13818-3). */
const rates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const samplesASecond = [44_100, 48_000, 32_000]
/** ISO 14496-3, 1.6.3.4. */
const adtsRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]

/** A frame, according to its header. */
export interface Head {
  bytes: number
  /** Samples per channel. */
  samples: number
  rate: number
  channels: number
}

/**
 * Reads all frames of an MP3 file, or of AAC in ADTS, from their headers alone: milliseconds per hour of sound, where decoding takes
 * seconds. Null for other files. Skips tags and damage between frames.
 */
export function framesOf(file: Uint8Array, kind: 'mp3' | 'adts'): Frames | null {
  const headAt = kind === 'mp3' ? mp3Head : adtsHead
  const frames: Frame[] = []
  let time = 0
  let at = afterTag(file)
  while (at + 7 <= file.length) {
    const head = headAt(file, at)
    // A frame counts only when another one follows or the file ends: two bytes of sound can look like a header.
    if (head === null || (at + head.bytes + 7 <= file.length && headAt(file, at + head.bytes) === null)) {
      at++
      continue
    }
    if (at + head.bytes > file.length) break
    frames.push({ at, bytes: head.bytes, time })
    time += head.samples / head.rate
    at += head.bytes
  }
  return frames.length === 0 ? null : { frames, seconds: time }
}

/** Skips an ID3v2 tag. Its length is coded in four times seven bits. */
export function afterTag(file: Uint8Array): number {
  if (file[0] !== 0x49 || file[1] !== 0x44 || file[2] !== 0x33) return 0
  const [a = 0, b = 0, c = 0, d = 0] = file.subarray(6, 10)
  return 10 + ((a & 127) << 21) + ((b & 127) << 14) + ((c & 127) << 7) + (d & 127)
}

export function mp3Head(file: Uint8Array, at: number): Head | null {
  const [sync = 0, second = 0, third = 0, fourth = 0] = file.subarray(at, at + 4)
  if (sync !== 0xff || (second & 0xe0) !== 0xe0 || ((second >> 1) & 3) !== 1) return null
  const version = (second >> 3) & 3
  const kbits = (version === 3 ? rates1 : rates2)[third >> 4]
  const base = samplesASecond[(third >> 2) & 3]
  if (version === 1 || !kbits || !base) return null
  const rate = version === 3 ? base : version === 2 ? base / 2 : base / 4
  const samples = version === 3 ? 1152 : 576
  const bytes = Math.floor(((samples / 8) * kbits * 1000) / rate) + ((third >> 1) & 1)
  return { bytes, samples, rate, channels: fourth >> 6 === 3 ? 1 : 2 }
}

export function adtsHead(file: Uint8Array, at: number): Head | null {
  const [sync = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = file.subarray(at, at + 7)
  if (sync !== 0xff || (second & 0xf6) !== 0xf0) return null
  const rate = adtsRates[(third >> 2) & 15]
  const bytes = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5)
  if (!rate || bytes < 8) return null
  const channels = ((third & 1) << 2) | (fourth >> 6)
  return { bytes, samples: 1024 * ((seventh & 3) + 1), rate, channels: channels || 1 }
}

/** Search range for a FLAC frame, bytes: longer than any frame that encoders produce. */
const longestFlacFrame = 1 << 20
/** Limit of false headers per place, because sound and damage may look like a header. */
const falseHeads = 4

/**
 * Finds FLAC frames at evenly spaced places. Each frame header contains its time (RFC 9639, 9.1.5) but no length, so a complete list would
 * need a scan of the whole file. Null for other files.
 */
export function flacFramesAt(file: Uint8Array, places: number): (Frame & { seconds: number })[] | null {
  const head = String.fromCharCode(...file.subarray(0, 4)) === 'fLaC' ? flacHead(file) : null
  if (!head) return null
  const rate = head.config.sampleRate
  const [high = 0, low = 0] = file.subarray(10, 12)
  const usual = (high << 8) | low
  const frames: (Frame & { seconds: number })[] = []
  let end = head.bytes
  for (let place = 0; place < places; place++) {
    const from = Math.max(end, Math.floor(head.bytes + (place * (file.length - head.bytes)) / places))
    const whole = wholeFlacFrame(file, from)
    if (whole === null) continue
    const { at } = whole
    end = whole.end
    const number = codedNumber(file, at + 4)
    // With a fixed block size, the coded number counts frames, otherwise samples.
    const sample = ((file[at + 1] ?? 0) & 1) === 1 ? number : number * usual
    frames.push({ at, bytes: end - at, time: sample / rate, seconds: usual / rate })
  }
  return frames.length === 0 ? null : frames
}

/** The first complete frame from `from` on. Ignores sound data that looks like a header. */
function wholeFlacFrame(file: Uint8Array, from: number): { at: number; end: number } | null {
  let at = nextFlacFrame(file, from)
  for (let tried = 0; at !== null && tried <= falseHeads; tried++) {
    const sum = new FrameSum(at)
    for (let end = at; end < file.length && end - at < longestFlacFrame; ) {
      end = nextFlacFrame(file, end + 1) ?? file.length
      if (sum.isWhole(file, end)) return { at, end }
    }
    at = nextFlacFrame(file, at + 1)
  }
  return null
}

function nextFlacFrame(file: Uint8Array, from: number): number | null {
  for (let at = from; at + 6 <= file.length; ) {
    const sync = file.indexOf(0xff, at)
    if (sync < 0) return null
    if (isFrame(file, sync)) return sync
    at = sync + 1
  }
  return null
}

/** Decodes a number of up to 36 bits in extended UTF-8. */
function codedNumber(file: Uint8Array, at: number): number {
  const first = file[at] ?? 0
  if (first < 0x80) return first
  const length = Math.clz32(~(first << 24))
  let value = first & (0x7f >> length)
  for (let index = 1; index < length; index++) value = value * 64 + ((file[at + index] ?? 0) & 0x3f)
  return value
}
