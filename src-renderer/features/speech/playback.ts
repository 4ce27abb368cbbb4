import { create } from 'zustand'
import type { WaveformHandle } from '../../shared/audio/Waveform.tsx'
import { useSpeech } from '../../stores/speech.ts'
import { useListening } from './listening.ts'

/** The speech on the stage, and the one beside it. */
export type Side = 'open' | 'compared'

interface Playback {
  open: WaveformHandle | null
  compared: WaveformHandle | null
  /** Which of the two was heard last. */
  heard: Side
}
export const usePlayback = create<Playback>(() => ({ open: null, compared: null, heard: 'open' }))

/** Plays the speech on the stage from there, in s. */
export function playFrom(time: number): void {
  const { open } = usePlayback.getState()
  open?.seek(time)
  open?.play()
}

/** What keys are about: the waveform that was heard last, or what is heard while it comes. */
export function soundOnStage(): Pick<WaveformHandle, 'press'> | null {
  const playback = usePlayback.getState()
  const kept = playback[playback.heard] ?? playback.open
  if (kept) return kept
  const { now } = useListening.getState()
  const player = now && now.id === useSpeech.getState().open?.id ? now.player : null
  if (!player) return null
  return {
    press(key) {
      if (key !== ' ') return
      const { state } = player.state.getState()
      if (state === 'playing' || state === 'waiting') player.pause()
      else player.play()
    },
  }
}

/** Goes on with the other voice, at the same place of the text. */
export function swapVoices(from: Side): void {
  const to = from === 'open' ? 'compared' : 'open'
  const { [from]: left, [to]: right } = usePlayback.getState()
  const { [from]: one, [to]: other } = useSpeech.getState()
  if (!left || !right || !one?.detail?.seconds || !other?.detail?.seconds) return
  right.seek((left.time() / one.detail.seconds) * other.detail.seconds)
  right.play()
}
