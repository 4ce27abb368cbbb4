import type { RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import type { SpeechDetail } from '../../../src-preload/contract/speech.ts'
import { Waveform, type WaveformHandle } from '../../audio/Waveform.tsx'
import { partStarts } from '../../stores/speech.ts'
import { stopListening, useListening } from './listening.ts'
import { voiceOf } from './words.ts'

/** The whole of it (or what came), as a waveform. What was heard while it came goes on here, at the same place. */
export function KeptSound({
  speech,
  mediaId,
  wave,
  onTime,
}: {
  speech: SpeechDetail
  mediaId: string
  wave: RefObject<WaveformHandle | null>
  onTime?: (time: number) => void
}) {
  const { t } = useTranslation('speech')
  const { id, mime, seconds, pcmRate } = speech
  const takeOver = (): void => {
    const { now } = useListening.getState()
    if (now?.id !== id) return
    const live = now.player?.state.getState()
    // What began in the middle has another clock.
    if (live && live.state !== 'ended' && now.fromPart === 1) {
      wave.current?.seek(live.time)
      if (live.state !== 'paused' && live.state !== 'failed') wave.current?.play()
    }
    stopListening()
  }
  return (
    <Waveform
      key={mediaId}
      ref={wave}
      mediaId={mediaId}
      mime={mime}
      seconds={seconds}
      pcmRate={pcmRate}
      label={t('waveform', { voice: voiceOf(speech), excerpt: speech.excerpt.slice(0, 80) })}
      marks={partStarts(speech).slice(1)}
      onReady={takeOver}
      {...(onTime && { onTime })}
    />
  )
}
