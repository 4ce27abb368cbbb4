import { create } from 'zustand'
import type { WaveformHandle } from '../../shared/audio/Waveform.tsx'
import { useSpeech } from '../../stores/speech.ts'
import { useListening } from './listening.ts'

/** The open speech, and the one beside it. */
export type Side = 'open' | 'compared'

interface Playback {
  open: WaveformHandle | null
  compared: WaveformHandle | null
  /** The side that played last. */
  lastPlayed: Side
}
export const usePlayback = create<Playback>(() => ({ open: null, compared: null, lastPlayed: 'open' }))

/** Plays the open speech from a time, s. */
export function playFrom(time: number): void {
  const { open } = usePlayback.getState()
  open?.seek(time)
  open?.play()
}

/** The target of playback keys: the waveform that played last, or the live playback. */
export function soundOnStage(): Pick<WaveformHandle, 'press'> | null {
  const playback = usePlayback.getState()
  const kept = playback[playback.lastPlayed] ?? playback.open
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

/** Continues with the other voice at the same position of the text. */
export function swapVoices(from: Side): void {
  const to = from === 'open' ? 'compared' : 'open'
  const { [from]: left, [to]: right } = usePlayback.getState()
  const { [from]: one, [to]: other } = useSpeech.getState()
  if (!left || !right || !one?.detail?.seconds || !other?.detail?.seconds) return
  right.seek((left.time() / one.detail.seconds) * other.detail.seconds)
  right.play()
}
