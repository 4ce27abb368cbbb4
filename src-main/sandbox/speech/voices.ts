export const voiceNames = ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'] as const
export type VoiceName = (typeof voiceNames)[number]

/**
 * `warp` plays the recording faster or slower. Pitch and formants move together, as with a smaller or larger head, and Flite's duration
 * stretch compensates for the tempo.
 */
export type Voice = { flite: 'slt' | 'rms' | 'awb' | 'kal16'; warp: number; settings: readonly string[] }

export const voices: Record<VoiceName, Voice> = {
  alloy: { flite: 'slt', warp: 1, settings: [] },
  echo: { flite: 'rms', warp: 1.06, settings: [] },
  fable: { flite: 'awb', warp: 1.1, settings: [] },
  onyx: { flite: 'kal16', warp: 0.88, settings: ['--setf', 'int_f0_target_mean=85'] },
  nova: { flite: 'slt', warp: 1.18, settings: ['--setf', 'f0_shift=1.15'] },
  shimmer: { flite: 'awb', warp: 1.5, settings: ['--setf', 'f0_shift=1.35'] },
}
