import { flacSplitter } from './liveFlac.ts'
import { oggSplitter } from './liveOgg.ts'
import { append, type Cut, nothing, packetSplitter, type Splitter } from './livePackets.ts'
import { adtsHead, afterTag, type Head, mp3Head } from './peaksFrames.ts'
import { type Layout, pcmLayout, readSample, wavLayout } from './peaksSamples.ts'

/**
 * Creates the splitter for one of the six formats.
 * @param rate of plain samples
 */
export function splitterFor(mime: string, rate: number | null): Splitter {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'audio/mpeg' || type === 'audio/mp3') return frameSplitter('mp3', mp3Head)
  if (type === 'audio/aac' || type === 'audio/aacp') return frameSplitter('mp4a.40.2', adtsHead)
  if (type === 'audio/opus' || type === 'audio/ogg') return oggSplitter()
  if (type === 'audio/flac' || type === 'audio/x-flac') return flacSplitter()
  if (type === 'audio/pcm') return sampleSplitter(pcmLayout(rate ?? 24_000))
  return sampleSplitter(null)
}

type HeadAt = (file: Uint8Array, at: number) => Head | null

/** MP3 and ADTS: each frame header contains the frame's length. */
function frameSplitter(codec: string, headAt: HeadAt): Splitter {
  let started = false
  let config: AudioDecoderConfig | null = null
  const cut = (received: Uint8Array<ArrayBuffer>, last: boolean): Cut => {
    let held = received
    if (!started) {
      const at = held.length < 10 ? Number.POSITIVE_INFINITY : afterTag(held)
      if (at > held.length) return { packets: [], rest: held }
      started = true
      held = held.slice(at)
    }
    const { packets, used, first } = framesIn(held, headAt, last || config !== null)
    if (first) config ??= { codec, sampleRate: first.rate, numberOfChannels: first.channels }
    return { packets, rest: held.slice(used) }
  }
  return packetSplitter(() => config, cut)
}

/**
 * Returns the whole frames at the start of `held` and skips other bytes. Unless `trusted`, the first frame counts only when a second one
 * follows: two bytes of sound can look like a frame header.
 */
function framesIn(held: Uint8Array, headAt: HeadAt, trusted: boolean) {
  const packets: Uint8Array[] = []
  let first: Head | null = null
  let at = 0
  while (at + 7 <= held.length) {
    const head = headAt(held, at)
    const next = at + (head?.bytes ?? 1)
    const sure = trusted || first !== null
    if (head && next + (sure ? 0 : 7) > held.length) break
    if (head && (sure || headAt(held, next))) {
      first ??= head
      packets.push(held.slice(at, next))
      at = next
    } else at++
  }
  return { packets, used: at, first }
}

/** Upper limit for the header of a WAVE file, bytes. */
const longestHead = 65_536

function sampleSplitter(known: Layout | null): Splitter {
  let layout = known
  let held = new Uint8Array(0)
  let left = layout?.bytes ?? 0
  return {
    config: () => null,
    rate: () => layout?.rate ?? null,
    skip: () => 0,
    push(bytes) {
      held = append(held, bytes)
      if (layout === null) {
        layout = wavLayout(held)
        if (layout === null) {
          if (held.length > longestHead) throw new Error('The received data is not WAVE.')
          return nothing()
        }
        held = held.slice(layout.from)
        left = layout.bytes
      }
      const { channels, bits } = layout
      const frames = Math.floor(Math.min(held.length, left) / ((bits / 8) * channels))
      const read = readSample(held, layout)
      const samples = Array.from({ length: channels }, () => new Float32Array(frames))
      for (let frame = 0; frame < frames; frame++) {
        for (let channel = 0; channel < channels; channel++) {
          const into = samples[channel]
          if (into) into[frame] = read(frame * channels + channel)
        }
      }
      const used = frames * (bits / 8) * channels
      left -= used
      held = held.slice(used)
      return frames === 0 ? nothing() : { packets: [], samples }
    },
    end: nothing,
  }
}
