import { create } from 'zustand'
import type { WaveformHandle } from '../../shared/audio/Waveform.tsx'

/** The player of the open recording, and the playing cue. */
interface Playback {
  handle: WaveformHandle | null
  playing: boolean
  /** Index of the playing cue. -1: none. */
  cue: number
}
export const usePlayback = create<Playback>(() => ({ handle: null, playing: false, cue: -1 }))

/** Plays from a time, s. */
export function playFrom(time: number): void {
  const { handle } = usePlayback.getState()
  handle?.seek(time)
  handle?.play()
}
