import { Square, Volume2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { voices } from '../../../src-preload/contract/speech.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { defaultVoice } from './labels.ts'
import { playSample, useSample } from './preview.ts'

const other = '\0other'

/** Selects a voice: one of six, none, or a typed name for other services. Plays a sample. */
export function VoiceField({ voice, onVoice }: { voice: string | null; onVoice: (voice: string | null) => void }) {
  const { t } = useTranslation('speech')
  const studio = useStudio()
  const sample = useSample(({ now }) => now)
  const known: readonly string[] = voices
  const [typing, setTyping] = useState(voice !== null && !known.includes(voice))
  const sampled = voice ?? defaultVoice
  const samplePlays = sample?.voice === sampled && sample.state === 'playing'
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-x-3">
        <span className="font-[540] text-s">{t('voice')}</span>
        {!(typing && voice === null) && (
          <Button
            variant="plain"
            size="small"
            className="-me-2"
            icon={samplePlays ? Square : Volume2}
            busy={sample?.voice === sampled && sample.state === 'asking'}
            onClick={() => void playSample(studio, sampled)}
          >
            {samplePlays ? t('hearStop') : t('hear', { voice: sampled })}
          </Button>
        )}
      </div>
      <Segmented
        label={t('voice')}
        value={typing ? other : (voice ?? '')}
        segments={[
          { value: '', label: t('defaultOf', { value: defaultVoice }) },
          ...voices.map((name) => ({ value: name as string, label: name as string })),
          { value: other, label: t('voiceOther') },
        ]}
        onChange={(picked) => {
          setTyping(picked === other)
          if (picked !== other) onVoice(picked === '' ? null : picked)
        }}
      />
      {typing && (
        <div className="max-w-64">
          <Field label={t('voiceOtherLabel')} quietLabel>
            <TextInput
              value={voice !== null && !known.includes(voice) ? voice : ''}
              maxLength={100}
              placeholder={t('voiceOtherLabel')}
              onChange={({ target }) => onVoice(target.value.trim() === '' ? null : target.value)}
            />
          </Field>
        </div>
      )}
      {sample?.state === 'failed' && sample.problem && <ProblemNotice problem={sample.problem} />}
    </div>
  )
}
