import type { SpeechFormat } from '../../../../../src-preload/contract/speech.ts'
import { aacJoiner, aacSound } from './aac.ts'
import { flacJoiner, flacSound } from './flac.ts'
import type { Joiner, Sound } from './joiner.ts'
import { mp3Joiner, mp3Sound } from './mp3.ts'
import { opusJoiner, opusSound } from './ogg.ts'
import { pcmJoiner, pcmSound, wavJoiner, wavSound } from './wav.ts'

export type { Sound } from './joiner.ts'

/**
 * Detects the format from the first bytes; `pcm` if they match no format. Plain samples may look like frames by chance, but not like a file
 * signature.
 */
export function soundOf(bytes: Uint8Array, requested: SpeechFormat): SpeechFormat {
  const name = Buffer.from(bytes.subarray(0, 4)).toString('latin1')
  if (name === 'RIFF') return 'wav'
  if (name === 'OggS') return 'opus'
  if (name === 'fLaC') return 'flac'
  if (requested === 'pcm') return 'pcm'
  if (name.startsWith('ID3')) return requested === 'aac' ? 'aac' : 'mp3'
  const [first = 0, second = 0] = bytes
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return 'pcm'
  // Layer 0 is ADTS, layer III is MP3.
  return (second & 6) === 0 ? 'aac' : 'mp3'
}

/** Format and length of a complete part; null if it has none of the six formats. The service may send another format than requested. */
export function readSound(bytes: Buffer, requested: SpeechFormat, pcmRate: number): Sound | null {
  const format = soundOf(bytes, requested)
  if (format === 'pcm') return requested === 'pcm' ? pcmSound(bytes, pcmRate) : null
  return readers[format](bytes)
}

const readers = { mp3: mp3Sound, aac: aacSound, flac: flacSound, opus: opusSound, wav: wavSound }

export function joinerOf(format: SpeechFormat, first: Buffer, pcmRate: number): Joiner {
  if (format === 'pcm') return pcmJoiner(pcmRate)
  if (format === 'wav') return wavJoiner(first)
  return { mp3: mp3Joiner, aac: aacJoiner, flac: flacJoiner, opus: opusJoiner }[format]()
}
