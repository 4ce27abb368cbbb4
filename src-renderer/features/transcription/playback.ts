import { create } from 'zustand'
import type { WaveformHandle } from '../../shared/audio/Waveform.tsx'

/** The sound of the recording on the stage, and what is heard of it now. */
interface Playback {
  handle: WaveformHandle | null
  playing: boolean
  /** Place of the cue that is heard; -1: none. */
  cue: number
}
export const usePlayback = create<Playback>(() => ({ handle: null, playing: false, cue: -1 }))

/** Plays from there, in s. */
export function playFrom(time: number): void {
  const { handle } = usePlayback.getState()
  handle?.seek(time)
  handle?.play()
}
