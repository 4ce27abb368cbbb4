import { useTranslation } from 'react-i18next'
import { joinSentences } from '../../i18n/format.ts'
import { clockOf } from '../../shared/audio/durationText.ts'
import { LevelMeter } from '../../shared/audio/LevelMeter.tsx'
import { RecorderWave } from '../../shared/audio/RecorderWave.tsx'
import type { ActiveRecording } from '../../shared/audio/recorder.ts'
import { useTranscribe } from '../../stores/transcription.ts'
import { useElapsed } from './record.ts'

/** The running recording on the stage of a new recording: time, waveform and level. */
export function RecorderHero({ recording, paused }: { recording: ActiveRecording; paused: boolean }) {
  const { t } = useTranslation('transcribe')
  const atOnce = useTranscribe((now) => now.atOnce)
  const time = clockOf(useElapsed(recording) / 1000)
  const title = t(paused ? 'recordingPaused' : 'recording')
  return (
    <section
      aria-label={t('recordingStage')}
      className="m-auto flex w-full max-w-[720px] flex-col items-center gap-6 px-6 py-8"
    >
      <h2 data-paused={paused} className="flex items-center gap-2 font-semibold text-l data-[paused=true]:text-soft">
        <span aria-hidden data-paused={paused} className="size-2.5 rounded-full bg-bad data-[paused=true]:bg-faint" />
        {title}
      </h2>
      <p className="num font-[300] text-[64px] leading-none tracking-[-.02em] max-[800px]:text-[48px]">{time}</p>
      <RecorderWave recording={recording} label={t('recordingPicture')} className="h-28 w-full" />
      <LevelMeter recording={recording} label={t('level')} className="h-2.5 w-full max-w-[420px]" />
      <p className="text-center text-soft">
        {joinSentences([t(atOnce ? 'recordingAbout' : 'recordingAboutKept'), t('recordingSafe')])}
      </p>
    </section>
  )
}
