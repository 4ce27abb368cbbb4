import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type Recording,
  type Transcript,
  transcriptFormats,
  transcriptionModels,
} from '../../../src-preload/contract/transcription.ts'
import { showCount, showFull, showSize } from '../../i18n/format.ts'
import { clockOf } from '../../shared/audio/durationText.ts'
import { showCost } from '../../shared/money/cost.ts'
import { Checkbox, Field, TextInput } from '../../shared/ui/Field.tsx'
import { InspectorSection } from '../../shared/ui/InspectorSection.tsx'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { madeByRow } from '../../shared/ui/MadeBy.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { TextArea } from '../../shared/ui/TextArea.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { shownTranscript, useTranscribe } from '../../stores/transcription.ts'
import { changeWish, showRecording } from './actions.ts'
import { wordCount } from './labels.ts'

/** The model of a request without one (specification, POST /v1/audio/transcriptions). */
const defaultModel = 'whisper-1'

/** Settings of the next transcript, then facts of the current transcript. */
export function TranscribeInspector() {
  const { t } = useTranslation('transcribe')
  const open = useTranscribe((now) => now.open)
  const transcript = shownTranscript(open)
  return (
    <>
      <InspectorSection title={t('settings')}>
        <Settings />
      </InspectorSection>
      {transcript && (
        <InspectorSection title={t('thisTranscript')}>
          <TranscriptFacts transcript={transcript} />
        </InspectorSection>
      )}
      {open?.recording && (
        <InspectorSection title={t('thisRecording')}>
          <RecordingFacts recording={open.recording} />
        </InspectorSection>
      )}
    </>
  )
}

function Settings() {
  const { t } = useTranslation('transcribe')
  const { model, language, prompt } = useTranscribe((now) => now.wish)
  const atOnce = useTranscribe((now) => now.atOnce)
  const models = transcriptionModels.map((value) => ({
    value: value as string,
    label: value === 'whisper-1' ? t('modelAlias', { model: value }) : value,
  }))
  return (
    <div className="flex flex-col gap-3">
      <Field label={t('model')} hint={t('modelAbout')}>
        <Select
          value={model ?? ''}
          choices={[{ value: '', label: t('defaultOf', { value: defaultModel }) }, ...models]}
          onPick={(picked) => changeWish({ model: orNull(picked) })}
        />
      </Field>
      <FormatField />
      <Field label={t('language')} hint={t('languageAbout')}>
        <TextInput
          placeholder={t('languagePlaceholder')}
          maxLength={100}
          value={language ?? ''}
          onChange={(event) => changeWish({ language: orNull(event.target.value) })}
        />
      </Field>
      <Field label={t('prompt')} hint={t('promptAbout')}>
        <TextArea
          placeholder={t('promptPlaceholder')}
          maxLength={100_000}
          value={prompt ?? ''}
          onChange={(event) => changeWish({ prompt: orNull(event.target.value) })}
        />
      </Field>
      <Temperature />
      <Checkbox label={t('atOnce')} checked={atOnce} onChange={(event) => changeWish({}, event.target.checked)} />
    </div>
  )
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)
const isListed = (format: string | null): boolean => transcriptFormats.some((one) => one === format)

/** The three known response formats, or any other name: the specification lists no values. */
function FormatField() {
  const { t } = useTranslation('transcribe')
  const format = useTranscribe((now) => now.wish.format)
  const [named, setNamed] = useState(format !== null && !isListed(format))
  const pick = (picked: string): void => {
    setNamed(picked === 'other')
    changeWish({ format: isListed(picked) ? picked : null })
  }
  const about = named ? 'formatAbout_named' : format === 'vtt' ? 'formatAbout_times' : 'formatAbout_plain'
  return (
    <>
      <Field label={t('format')} hint={t(about)}>
        <Select
          value={named ? 'other' : (format ?? '')}
          choices={[
            { value: '', label: t('formatNotSent') },
            ...transcriptFormats.map((value) => ({ value: value as string, label: t(`format_${value}`) })),
            { value: 'other', label: t('format_named') },
          ]}
          onPick={pick}
        />
      </Field>
      {named && (
        <Field label={t('formatName')}>
          <TextInput
            placeholder={t('formatExample')}
            maxLength={100}
            spellCheck={false}
            value={format ?? ''}
            onChange={(event) => changeWish({ format: orNull(event.target.value.trim()) })}
          />
        </Field>
      )}
    </>
  )
}

/** The temperature. Any number is sent, because the specification has no limits. Other text stays in the field with an error. */
function Temperature() {
  const { t } = useTranslation('transcribe')
  const value = useTranscribe((now) => now.wish.temperature)
  const [typed, setTyped] = useState(value === null ? '' : String(value))
  const read = readTemperature(typed)
  const type = (text: string): void => {
    setTyped(text)
    const next = readTemperature(text)
    if (next !== undefined) changeWish({ temperature: next })
  }
  return (
    <Field label={t('temperature')} error={read === undefined ? t('temperatureFault') : null}>
      <TextInput
        inputMode="decimal"
        placeholder={t('temperaturePlaceholder')}
        value={typed}
        onChange={(event) => type(event.target.value)}
      />
    </Field>
  )
}

/** Parses a temperature. Null when empty, undefined when not a number. */
function readTemperature(text: string): number | null | undefined {
  const clean = text.trim().replace(',', '.')
  if (clean === '') return null
  return /^-?\d{1,6}(\.\d{1,12})?$/.test(clean) ? Number(clean) : undefined
}

function TranscriptFacts({ transcript }: { transcript: Transcript }) {
  const { t } = useTranslation('transcribe')
  const { createdAt, model, language, came, temperature, prompt, text, cues, totalBytes } = transcript
  const quiet = t('notSent')
  const sent = (id: string, name: string, value: string | null) => ({
    id,
    name,
    value: value === null ? quiet : <bdi dir="auto">{value}</bdi>,
    quiet: value === null,
  })
  return (
    <KeyValue
      rows={[
        { id: 'asked', name: t('fact_asked'), value: showFull(createdAt) },
        {
          ...sent('model', t('fact_model'), model),
          ...(model === null && { value: t('defaultOf', { value: defaultModel }) }),
        },
        {
          ...sent('language', t('fact_language'), language),
          ...(language === null && { value: t('languagePlaceholder') }),
        },
        sent('temperature', t('fact_temperature'), temperature === null ? null : String(temperature)),
        sent('prompt', t('fact_prompt'), prompt),
        // Before the transcript arrives, its format and words are not known.
        ...(came === null
          ? []
          : [
              { id: 'came', name: t('fact_format'), value: t(`format_${came}`) },
              { id: 'words', name: t('fact_words'), value: showCount(wordCount(text)) },
            ]),
        ...(cues.length > 0 ? [{ id: 'lines', name: t('fact_lines'), value: showCount(cues.length) }] : []),
        { id: 'sent', name: t('fact_sent'), value: showSize(totalBytes) },
        { id: 'cost', name: t('fact_cost'), value: <WithSc text={showCost(transcript)} /> },
      ]}
    />
  )
}

function RecordingFacts({ recording }: { recording: Recording }) {
  const { t } = useTranslation('transcribe')
  const { app, createdAt, source, mime, bytes, seconds, fromId } = recording
  const id = useId()
  return (
    <KeyValue
      rows={[
        { id: 'made', name: t('fact_made'), value: showFull(createdAt) },
        ...madeByRow(app),
        { id: 'source', name: t('fact_source'), value: t(`source_${source}`) },
        { id: 'type', name: t('fact_type'), value: mime === '' ? t('unknown') : <span dir="ltr">{mime}</span> },
        { id: 'size', name: t('fact_size'), value: showSize(bytes) },
        { id: 'length', name: t('fact_length'), value: seconds === null ? t('unknown') : clockOf(seconds) },
        ...(fromId === null
          ? []
          : [
              {
                id: `${id}from`,
                name: t('fact_from'),
                value: (
                  <button type="button" className="rounded-s text-accent" onClick={() => showRecording(fromId)}>
                    {t('original')}
                  </button>
                ),
              },
            ]),
      ]}
    />
  )
}
