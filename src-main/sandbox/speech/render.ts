import { encode, sampleRate } from './encode.ts'
import { fliteSpeak } from './flite.ts'
import type { SandboxSpeechRequest } from './request.ts'
import { resample } from './resample.ts'
import { speakable } from './text.ts'
import { voices } from './voices.ts'

export type Rendered = { bytes: Uint8Array; durationMs: number }

/** Renders text to a file on the speech thread. CPU time: 20 to 120 ms per sentence at speed 1. */
export const render = async (request: SandboxSpeechRequest): Promise<Rendered> => {
  const samples = toInt16(await speak(request))
  // The transcriber reads words from the comment tag only if the file has this artist tag.
  const tags = { comment: request.input, artist: `Inference Studio sandbox (${request.voice})` }
  const bytes = await encode(samples, request.format, tags)
  return { bytes, durationMs: Math.round((samples.length / sampleRate) * 1000) }
}

const speak = async ({ input, voice: name, speed }: SandboxSpeechRequest): Promise<Float32Array> => {
  const voice = voices[name]
  const text = speakable(input)
  if (text === '') return chime(speed)
  const spoken = await fliteSpeak(text, voice, voice.warp / speed)
  if (spoken.samples.length === 0) return chime(speed)
  return resample(spoken.samples, spoken.sampleRate * voice.warp, sampleRate)
}

/** Two soft notes (0.5 s at speed 1) for text that this synthesizer cannot say. */
const chime = (speed: number): Float32Array => {
  const length = Math.round((sampleRate * 0.5) / speed)
  const out = new Float32Array(length)
  for (let i = 0; i < length; i++) {
    const half = length / 2
    const into = (i % half) / half
    const pitch = i < half ? 659.25 : 523.25
    out[i] = 0.3 * Math.sin(Math.PI * into) ** 2 * Math.sin((2 * Math.PI * pitch * i) / sampleRate)
  }
  return out
}

/** Normalizes the loudness of all voices (RMS -20 dB of full scale if peaks allow). Flite's voices differ by 8 dB. */
const toInt16 = (samples: Float32Array): Int16Array<ArrayBuffer> => {
  let peak = 1e-6
  let power = 0
  for (const value of samples) {
    peak = Math.max(peak, Math.abs(value))
    power += value * value
  }
  const gain = Math.min(0.95 / peak, 0.1 / Math.max(1e-6, Math.sqrt(power / Math.max(1, samples.length))))
  return Int16Array.from(samples, (value) => Math.round(value * gain * 32_767))
}
