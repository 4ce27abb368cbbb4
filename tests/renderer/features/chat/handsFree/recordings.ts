import { execFileSync } from 'node:child_process'
import { synthesize } from '../../../../../src-main/sandbox/speech/speech.ts'

/** Samples per second of all test recordings. */
export const rate = 16_000

/** Real speech: the sandbox's synthesizer is made of recordings of human voices. */
export async function speech(
  text: string,
  voice: 'alloy' | 'nova' | 'onyx' | 'shimmer' = 'nova',
): Promise<Float32Array> {
  const { bytes } = await synthesize({ input: text, voice, format: 'wav', speed: 1 })
  return decode(['-i', 'pipe:0'], bytes)
}

/** Noise of a colour: white hisses, brown rumbles like an engine. @param db of full scale */
export const noise = (color: 'white' | 'pink' | 'brown', seconds: number, db: number): Float32Array =>
  atLevel(decode(['-f', 'lavfi', '-i', `anoisesrc=color=${color}:seed=7:duration=${seconds}:sample_rate=${rate}`]), db)

export const silence = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * rate))

/** Keys of a keyboard: bursts of 15 ms that decay, eight per second. */
export function clicks(seconds: number): Float32Array {
  const hiss = noise('white', seconds, -6)
  return hiss.map((sample, at) => {
    const within = (at % (rate / 8)) / rate
    return within < 0.015 ? sample * Math.exp(-within * 250) : 0
  })
}

/** @param db level (RMS) of the result, of full scale */
export function atLevel(samples: Float32Array, db: number): Float32Array {
  const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
  return samples.map((sample) => (sample * 10 ** (db / 20)) / rms)
}

export function joined(...parts: Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** @returns samples of the same length as `sound` */
export const mixed = (sound: Float32Array, background: Float32Array): Float32Array =>
  sound.map((sample, at) => sample + (background[at % background.length] ?? 0))

function decode(input: string[], bytes?: Uint8Array): Float32Array {
  const to = ['-f', 'f32le', '-ac', '1', '-ar', String(rate), 'pipe:1']
  const out = execFileSync('ffmpeg', ['-v', 'error', ...input, ...to], { input: bytes, maxBuffer: 1 << 28 })
  return new Float32Array(out.buffer.slice(out.byteOffset, out.byteOffset + out.byteLength))
}
