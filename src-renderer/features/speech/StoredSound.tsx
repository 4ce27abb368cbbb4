import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { SpeechDetail } from '../../../src-preload/contract/speech.ts'
import { Waveform, type WaveformHandle } from '../../shared/audio/Waveform.tsx'
import { partStarts } from '../../stores/speech.ts'
import { voiceOf } from './labels.ts'
import { stopListening, useListening } from './listening.ts'
import { type Side, usePlayback } from './playback.ts'

/** The stored sound, complete or partial, as a waveform. Continues at the position of the live playback. */
export function StoredSound({
  speech,
  mediaId,
  side,
  large,
  onTime,
}: {
  speech: SpeechDetail
  mediaId: string
  side: Side
  large: boolean
  onTime?: (time: number) => void
}) {
  const { t } = useTranslation('speech')
  const { id, mime, seconds, pcmRate } = speech
  const register = useCallback((handle: WaveformHandle | null) => usePlayback.setState({ [side]: handle }), [side])
  const takeOver = (): void => {
    const { now } = useListening.getState()
    if (now?.id !== id) return
    const live = now.player?.state.getState()
    // A playback that started at a later part has another time base.
    if (live && live.state !== 'ended' && now.fromPart === 1) {
      const wave = usePlayback.getState()[side]
      wave?.seek(live.time)
      if (live.state !== 'paused' && live.state !== 'failed') wave?.play()
    }
    stopListening()
  }
  return (
    <Waveform
      key={mediaId}
      ref={register}
      mediaId={mediaId}
      mime={mime}
      seconds={seconds}
      pcmRate={pcmRate}
      label={t('waveform', { voice: voiceOf(speech), excerpt: speech.excerpt.slice(0, 80) })}
      large={large}
      marks={partStarts(speech).slice(1)}
      onReady={takeOver}
      onPlaying={(playing) => playing && usePlayback.setState({ lastPlayed: side })}
      {...(onTime && { onTime })}
    />
  )
}
