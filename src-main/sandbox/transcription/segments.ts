// The package has no types. Without this reference, TypeScript projects that only import this file would not find our declarations.
// oxlint-disable-next-line typescript/triple-slash-reference -- an import cannot bring in an ambient module
/// <reference path="./fvad-wasm.d.ts" />
import loadFvad from '@echogarden/fvad-wasm'

export type SpeechSegment = { startMs: number; endMs: number }

/** Sample rate that the detector reads, Hz. */
export const vadRate = 16_000
const frameMs = 20
const frame = (vadRate * frameMs) / 1000
/** Shorter gaps are breaths within a sentence, and sounds shorter than `shortestMs` are clicks. */
const joinMs = 240
const shortestMs = 100

/** Finds speech in a mono signal at 16 kHz with WebRTC's voice-activity detector. */
export const findSpeech = async (samples: Float32Array): Promise<SpeechSegment[]> => {
  const vad = await loadFvad()
  const handle = vad._fvad_new()
  const pointer = vad._malloc(frame * 2)
  const segments: SpeechSegment[] = []
  try {
    vad._fvad_set_mode(handle, 3)
    vad._fvad_set_sample_rate(handle, vadRate)
    for (let at = 0, count = 0; at + frame <= samples.length; at += frame, count++) {
      for (let i = 0; i < frame; i++) {
        const value = Math.max(-1, Math.min(1, samples[at + i] ?? 0))
        vad.setValue(pointer + i * 2, Math.round(value * 32_767), 'i16')
      }
      if (vad._fvad_process(handle, pointer, frame) !== 1) continue
      const startMs = count * frameMs
      const last = segments.at(-1)
      if (last && startMs - last.endMs < joinMs) last.endMs = startMs + frameMs
      else segments.push({ startMs, endMs: startMs + frameMs })
    }
  } finally {
    vad._free(pointer)
    vad._fvad_free(handle)
  }
  return segments.filter(({ startMs, endMs }) => endMs - startMs >= shortestMs)
}
