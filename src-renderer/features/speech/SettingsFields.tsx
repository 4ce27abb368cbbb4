import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type SpeechRequest, speechFormats } from '../../../src-preload/contract/speech.ts'
import { isComposing } from '../../shared/isComposing.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { defaultModel, defaultSpeed } from './labels.ts'
import { VoiceField } from './VoiceField.tsx'

const rates = { least: 8_000, most: 192_000 }

/** The voice settings. Settings without a value use the service's default. */
export function SettingsFields({
  wish,
  onWish,
}: {
  wish: Omit<SpeechRequest, 'text'>
  onWish: (change: Partial<SpeechRequest>) => void
}) {
  const { t } = useTranslation('speech')
  return (
    <section aria-label={t('settings')} className="flex min-w-0 flex-col gap-4">
      <VoiceField voice={wish.voice} onVoice={(voice) => onWish({ voice })} />
      <div className="flex min-w-0 flex-col gap-1.5">
        <span className="font-[540] text-s">{t('format')}</span>
        <Segmented
          label={t('format')}
          value={wish.format}
          segments={speechFormats.map((value) => ({ value, label: value }))}
          onChange={(format) => onWish({ format })}
        />
      </div>
      {wish.format === 'pcm' && <RateField rate={wish.pcmRate} onRate={(pcmRate) => onWish({ pcmRate })} />}
      <div className="grid min-w-0 grid-cols-[repeat(auto-fit,minmax(min(220px,100%),1fr))] gap-4">
        <SpeedField speed={wish.speed} onSpeed={(speed) => onWish({ speed })} />
        <Field label={t('model')}>
          <TextInput
            value={wish.model ?? ''}
            maxLength={200}
            placeholder={t('defaultOf', { value: defaultModel })}
            onChange={({ target }) => onWish({ model: target.value.trim() === '' ? null : target.value })}
          />
        </Field>
      </div>
    </section>
  )
}

/** The speed, 0.25 to 4 (specification, TTS-04). Without a value, the service uses 1. */
function SpeedField({ speed, onSpeed }: { speed: number | null; onSpeed: (speed: number | null) => void }) {
  const { t } = useTranslation('speech')
  const shown =
    speed === null ? t('defaultOf', { value: t('speedValue', { speed: defaultSpeed }) }) : t('speedValue', { speed })
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <span className="-my-1 flex min-h-6 items-center gap-1 text-s">
        <label htmlFor="speech-speed" className="font-[540]">
          {t('speed')}
        </label>
        <span className="num ms-auto text-soft">{shown}</span>
        {speed !== null && <IconButton icon={X} size="small" label={t('speedReset')} onClick={() => onSpeed(null)} />}
      </span>
      <input
        id="speech-speed"
        type="range"
        min={0.25}
        max={4}
        step={0.05}
        value={speed ?? defaultSpeed}
        aria-valuetext={shown}
        onChange={({ target }) => onSpeed(Number(target.value))}
        className="h-5 w-full accent-accent"
      />
    </div>
  )
}

/** The sample rate of `pcm`. Saved on Enter or blur. */
export function RateField({ rate, onRate }: { rate: number; onRate: (rate: number) => void }) {
  const { t } = useTranslation('speech')
  const take = (field: HTMLInputElement): void => {
    const wanted = Math.round(Number(field.value))
    const kept = wanted > 0 ? Math.min(rates.most, Math.max(rates.least, wanted)) : rate
    field.value = String(kept)
    if (kept !== rate) onRate(kept)
  }
  return (
    <Field label={t('pcmRate')} hint={t('pcmHint')}>
      <TextInput
        key={rate}
        inputMode="numeric"
        defaultValue={String(rate)}
        className="max-w-40"
        onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && take(event.currentTarget)}
        onBlur={({ target }) => take(target)}
      />
    </Field>
  )
}
