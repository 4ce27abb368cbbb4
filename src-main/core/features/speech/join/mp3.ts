import type { Joiner, Sound } from './joiner.ts'
import { decoderDelay, enlarge, lengthOf, type Mp3, type Mp3Frame, reachesBack, readMp3 } from './mp3Frames.ts'

/** Start and length of the audio within the decoded samples. */
function soundIn({ frames, delay, padding }: Mp3, whole: boolean): { from: number; audible: number } {
  const decoded = frames.reduce((sum, { samples }) => sum + samples, 0)
  if (delay === null) return { from: 0, audible: decoded }
  // The end padding of a truncated part is missing.
  const audible = whole ? decoded - delay - padding : decoded - delay - decoderDelay
  return { from: delay + decoderDelay, audible: Math.max(0, audible) }
}

export function mp3Sound(bytes: Buffer): Sound | null {
  const mp3 = readMp3(bytes)
  const [first] = mp3?.frames ?? []
  if (!mp3 || !first || !mp3.frames.every((frame) => isLike(frame, first))) return null
  return { format: 'mp3', seconds: soundIn(mp3, true).audible / first.rate, like: likeOf(first) }
}

const isLike = (one: Mp3Frame, other: Mp3Frame): boolean =>
  one.mpeg1 === other.mpeg1 && one.rate === other.rate && one.mono === other.mono

const likeOf = ({ mpeg1, rate, mono }: Mp3Frame): string =>
  `mp3 (MPEG-${mpeg1 ? 1 : 2}, ${rate} Hz, ${mono ? 'mono' : 'stereo'})`

/** Frames at the end of a part that may still be dropped when the next part arrives. The longest padding is four frames. */
const maxPendingFrames = 12
/** The position of every 16th frame is remembered, for the seek table. */
const noteEvery = 16

/**
 * Copies frame after frame. If the encoder's delay is known (LAME tag), drops delay and padding between parts. Drops the number of last
 * frames of a part, and of first frames of the next part, that brings the next part nearest to its position. Positions count from the
 * start of the file, so that errors do not add up (at most half a frame). Without a known delay all frames stay. The windows of the
 * frames overlap, so that a join fades and never clicks.
 */
export function mp3Joiner(): Joiner {
  let first: Mp3 | null = null
  let start = 0
  let audible = 0
  let count = 0
  let bytes = 0
  const places: number[] = []
  const pending: Mp3Frame[] = []

  function give(frame: Mp3Frame): Buffer {
    if (count % noteEvery === 0) places.push(bytes)
    count += 1
    bytes += frame.bytes.length
    return frame.bytes
  }

  /** Drops the frames between the audio so far and the audio of the next part. Returns the frames of the next part to copy. */
  function lead(frames: readonly Mp3Frame[], from: number): readonly Mp3Frame[] {
    const [one] = frames
    if (!one) return frames
    const skip = from + 64 >= one.samples ? 1 : 0
    const kept = frames.slice(skip)
    // Number of frames that should precede the first copied one.
    const wanted = Math.round((start + audible - from) / one.samples) + skip
    const drop = Math.min(pending.length - 1, Math.max(0, count + pending.length - wanted))
    const last = pending.at(-1 - drop)
    const extra = skip === 0 ? Buffer.alloc(0) : mainDataNeeded(frames, skip)
    const enlarged = last && enlarge(last, extra)
    if (!enlarged) return frames
    pending.splice(pending.length - 1 - drop, drop + 1, enlarged)
    return kept
  }

  return {
    headBytes: headLength,
    *add(part, whole) {
      const mp3 = readMp3(part)
      if (!mp3) return
      const sound = soundIn(mp3, whole)
      let frames: readonly Mp3Frame[] = mp3.frames
      if (first === null) {
        first = mp3
        start = sound.from
      } else if (first.delay !== null && mp3.delay !== null) frames = lead(mp3.frames, sound.from)
      audible += sound.audible
      for (const frame of frames) {
        pending.push(frame)
        const ready = pending.length > maxPendingFrames ? pending.shift() : undefined
        if (ready) yield give(ready)
      }
    },
    end() {
      const rest = pending.map(give)
      const [frame] = first?.frames ?? []
      if (!first || !frame) return { rest, head: Buffer.alloc(headLength), seconds: 0 }
      const decoded = count * frame.samples
      const delay = first.delay
      // Players skip this many samples at the end. The decoder's own delay is part of it.
      const padding = delay === null ? 0 : Math.min(4095, Math.max(0, decoded - delay - audible))
      const head = tagFrame(frame, { count, bytes, delay, padding, places })
      const sound = delay === null ? decoded : Math.min(audible, decoded - delay - decoderDelay)
      return { rest, head, seconds: sound / frame.rate }
    },
  }
}

/** Main data of the dropped frames that later frames still refer to. */
function mainDataNeeded(frames: readonly Mp3Frame[], skip: number): Buffer {
  let need = 0
  let between = 0
  for (const frame of frames.slice(skip)) {
    need = Math.max(need, reachesBack(frame) - between)
    between += frame.bytes.length - frame.head
    if (between > 511) break
  }
  const before = Buffer.concat(frames.slice(0, skip).map(({ bytes, head }) => bytes.subarray(head)))
  return before.subarray(Math.max(0, before.length - need))
}

interface TagValues {
  count: number
  bytes: number
  delay: number | null
  padding: number
  places: readonly number[]
}

/** Bytes reserved for the tag frame, enough at every bit rate. An empty ID3 tag, which players skip, fills the rest. */
const headLength = 2048

/** The first frame, which is silent: number of frames and bytes, seek table, and delay (LAME tag). */
function tagFrame(frame: Mp3Frame, { count, bytes, delay, padding, places }: TagValues): Buffer {
  const side = frame.mpeg1 ? (frame.mono ? 17 : 32) : frame.mono ? 9 : 17
  const needs = 4 + side + 120 + 36
  let index = 1
  while (index < 14 && lengthOf(frame, index, false) < needs) index += 1
  const length = lengthOf(frame, index, false)
  const head = Buffer.alloc(headLength)
  const tag = head.subarray(headLength - length)
  frame.bytes.copy(tag, 0, 0, 4)
  // Sets the header: no checksum, this bit rate, no padding.
  tag.writeUInt8((tag[1] ?? 0) | 1, 1)
  tag.writeUInt8((index << 4) | ((tag[2] ?? 0) & 0x0c), 2)
  const at = 4 + side
  tag.write('Xing', at, 'latin1')
  tag.writeUInt32BE(7, at + 4)
  tag.writeUInt32BE(count, at + 8)
  tag.writeUInt32BE(Math.min(0xffff_ffff, bytes + length), at + 12)
  for (let percent = 0; percent < 100; percent++) {
    const place = places[Math.floor(((percent / 100) * count) / noteEvery)] ?? 0
    tag.writeUInt8(Math.min(255, Math.floor((256 * (place + length)) / (bytes + length))), at + 16 + percent)
  }
  if (delay !== null) {
    tag.write('Lavf', at + 116, 'latin1')
    tag.writeUIntBE(delay * 4096 + padding, at + 137, 3)
  }
  id3Filler(head.subarray(0, headLength - length))
  return head
}

/** An ID3v2.4 tag of exactly this length that only contains padding. */
function id3Filler(tag: Buffer): void {
  const length = tag.length - 10
  tag.write('ID3', 0, 'latin1')
  tag.writeUInt8(4, 3)
  for (const [index, shift] of [21, 14, 7, 0].entries()) tag.writeUInt8((length >> shift) & 127, 6 + index)
}
