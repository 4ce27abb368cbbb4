import { type Joiner, type Sound, skipId3 } from './joiner.ts'

interface AacFrame {
  bytes: Buffer
  samples: number
  rate: number
  like: string
}

const rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]
const perBlock = 1024

/** The complete ADTS frames of a file (ISO/IEC 13818-7, 6.2). Skips bytes between frames. */
function* framesOf(bytes: Buffer): Generator<AacFrame, undefined> {
  for (let at = skipId3(bytes); at + 7 <= bytes.length; ) {
    const frame = frameAt(bytes, at)
    if (frame === null) at += 1
    else {
      yield frame
      at += frame.bytes.length
    }
  }
}

function frameAt(bytes: Buffer, at: number): AacFrame | null {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return null
  const third = bytes[at + 2] ?? 0
  const fourth = bytes[at + 3] ?? 0
  const rate = rates[(third >> 2) & 15]
  const length = ((fourth & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5)
  if (rate === undefined || length < 7 || at + length > bytes.length) return null
  // Requires a second sync word after the frame, because audio may contain a sync word by chance.
  const after = at + length
  if (after + 2 <= bytes.length && (bytes[after] !== 0xff || ((bytes[after + 1] ?? 0) & 0xf6) !== 0xf0)) return null
  const channels = ((third & 1) << 2) | (fourth >> 6)
  const samples = perBlock * (((bytes[at + 6] ?? 0) & 3) + 1)
  const like = `aac (kind ${third >> 6}, ${rate} Hz, ${channels} channels)`
  return { bytes: bytes.subarray(at, after), samples, rate, like }
}

export function aacSound(bytes: Buffer): Sound | null {
  let seconds = 0
  let like = ''
  for (const frame of framesOf(bytes)) {
    like ||= frame.like
    seconds += frame.samples / frame.rate
  }
  return like === '' ? null : { format: 'aac', seconds, like }
}

/**
 * Copies frame after frame. ADTS cannot store an encoder's delay, so each part keeps the short silence at its start and end. The windows of
 * the frames overlap from silence to silence, so joins do not click.
 */
export function aacJoiner(): Joiner {
  let seconds = 0
  return {
    headBytes: 0,
    *add(part) {
      for (const frame of framesOf(part)) {
        seconds += frame.samples / frame.rate
        yield frame.bytes
      }
    },
    end: () => ({ rest: [], head: Buffer.alloc(0), seconds }),
  }
}
