import { RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type SpeechDetail, voices } from '../../../src-preload/contract/speech.ts'
import { showCount, showFull, showSize } from '../../i18n/format.ts'
import { showCost } from '../../shared/money/cost.ts'
import { navigate } from '../../shared/navigation.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { Field } from '../../shared/ui/Field.tsx'
import { InspectorSection } from '../../shared/ui/InspectorSection.tsx'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { madeByRow } from '../../shared/ui/MadeBy.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useSpeech } from '../../stores/speech.ts'
import { compareWith, makeAgain, setRate } from './actions.ts'
import { defaultModel, defaultSpeed, defaultVoice, lengthOf, voiceOf } from './labels.ts'
import { RateField } from './SettingsFields.tsx'

/** The facts of the open speech, and further actions for its text. */
export function SpeechInspector() {
  const detail = useSpeech((store) => store.open?.detail ?? null)
  return detail && <Facts speech={detail} />
}

function Facts({ speech }: { speech: SpeechDetail }) {
  const { t } = useTranslation('speech')
  return (
    <>
      <InspectorSection title={t('facts')}>
        <KeyValue
          rows={[
            { id: 'state', name: t('state'), value: t(speech.state) },
            {
              id: 'voice',
              name: t('voice'),
              value: speech.voice ?? t('defaultOf', { value: defaultVoice }),
              quiet: speech.voice === null,
            },
            {
              id: 'model',
              name: t('model'),
              value: speech.model ?? t('defaultOf', { value: defaultModel }),
              quiet: speech.model === null,
            },
            { id: 'format', name: t('format'), value: speech.format },
            {
              id: 'speed',
              name: t('speed'),
              value:
                speech.speed === null
                  ? t('defaultOf', { value: t('speedValue', { speed: defaultSpeed }) })
                  : t('speedValue', { speed: speech.speed }),
              quiet: speech.speed === null,
            },
            { id: 'made', name: t('made'), value: showFull(speech.createdAt) },
            ...madeByRow(speech.app),
            {
              id: 'length',
              name: t('length'),
              value: speech.seconds === null ? t('unknown') : lengthOf(speech.seconds),
              quiet: speech.seconds === null,
            },
            { id: 'size', name: t('size'), value: showSize(speech.audioBytes) },
            { id: 'text', name: t('textSize'), value: t('textBytes', { count: speech.textBytes }) },
            { id: 'parts', name: t('parts'), value: `${showCount(speech.partsDone)} / ${showCount(speech.parts)}` },
            { id: 'cost', name: t('cost'), value: <WithSc text={showCost(speech)} />, quiet: speech.cost === null },
            ...(speech.fromId === null
              ? []
              : [{ id: 'from', name: t('madeFrom'), value: <From id={speech.fromId} /> }]),
          ]}
        />
      </InspectorSection>
      {speech.mime === 'audio/pcm' && speech.state !== 'making' && (
        <InspectorSection title={t('samples')}>
          <RateField key={speech.id} rate={speech.pcmRate} onRate={(rate) => void setRate(speech.id, rate)} />
        </InspectorSection>
      )}
      <Again key={speech.id} speech={speech} />
      <Compare speech={speech} />
      <Requests speech={speech} />
    </>
  )
}

function From({ id }: { id: string }) {
  const { t } = useTranslation('speech')
  const voice = useSpeech((store) => store.speeches.find((one) => one.id === id))
  return (
    <button
      type="button"
      className="rounded-s text-accent underline-offset-2 hover:underline"
      onClick={() => navigate({ page: 'speech', id })}
    >
      {voice ? voiceOf(voice) : t('more')}
    </button>
  )
}

/** Speaks the same text with another voice, side by side. */
function Again({ speech }: { speech: SpeechDetail }) {
  const { t } = useTranslation('speech')
  const asking = useSpeech((store) => store.asking)
  const others = voices.filter((name) => name !== voiceOf(speech))
  const [voice, setVoice] = useState<string>(others[0] ?? defaultVoice)
  return (
    <InspectorSection title={t('again')}>
      <div className="flex flex-col items-start gap-2.5">
        <Field label={t('againWith')}>
          <Select
            value={voice}
            choices={voices.map((value) => ({ value: value as string, label: value }))}
            onPick={setVoice}
            className="w-40"
          />
        </Field>
        <Button icon={RotateCw} busy={asking} onClick={() => void makeAgain(speech.id, { voice })}>
          {t('againDo', { voice })}
        </Button>
      </div>
    </InspectorSection>
  )
}

/** Selects the speech for the comparison. Speeches of the same text are first. */
function Compare({ speech }: { speech: SpeechDetail }) {
  const { t } = useTranslation('speech')
  const compared = useSpeech((store) => store.compared?.id ?? '')
  const speeches = useSpeech((store) => store.speeches)
  const others = speeches.filter(({ id, mediaId }) => id !== speech.id && (mediaId !== null || id === compared))
  const sameText = others.filter(
    ({ excerpt, textBytes }) => excerpt === speech.excerpt && textBytes === speech.textBytes,
  )
  const choices = [...sameText, ...others.filter((one) => !sameText.includes(one)).slice(0, 50)]
  if (choices.length === 0) return null
  return (
    <InspectorSection title={t('compare')}>
      <Field label={t('compareWith')}>
        <Select
          value={compared}
          choices={[
            { value: '', label: t('compareNone') },
            ...choices.map((one) => ({
              value: one.id,
              label: `${voiceOf(one)} · ${one.format} · ${one.excerpt.slice(0, 40)}`,
            })),
          ]}
          onPick={(id) => void compareWith(id === '' ? null : id)}
        />
      </Field>
    </InspectorSection>
  )
}

/** Upper limit of requests whose ids are read. */
const maxAsked = 50

/** The cost of each part, and the service's id of the part's request. */
function Requests({ speech }: { speech: SpeechDetail }) {
  const { t } = useTranslation('speech')
  const studio = useStudio()
  const rows = speech.rows.slice(0, maxAsked).join(' ')
  // The request id arrives with the response's header, possibly after the row.
  const moved = `${speech.state} ${speech.partsDone}`
  const [ids, setIds] = useState<ReadonlyMap<number, string | null>>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again whenever a part has changed
  useEffect(() => {
    const ended = new AbortController()
    const ask = async (): Promise<void> => {
      const reported = new Map<number, string | null>()
      for (const id of rows.split(' ').filter(Boolean).map(Number)) {
        // The row may have been deleted. Then there is no request id.
        const detail = await studio.requests.get({ id }, { signal: ended.signal }).catch(() => null)
        if (ended.signal.aborted) return
        reported.set(id, detail?.row.requestId ?? null)
      }
      setIds(reported)
    }
    void ask()
    return () => ended.abort()
  }, [studio, rows, moved])
  if (speech.rows.length === 0) return null
  return (
    <InspectorSection title={t('requests')}>
      <ul className="flex flex-col gap-2 text-s">
        {speech.partList
          .filter((part) => part.rows.length > 0)
          .map((part) => (
            <li key={part.part} className="min-w-0">
              <div className="num flex gap-2">
                <span className="text-soft">{t('partName', { part: part.part })}</span>
                <span className="ms-auto">{showCost(part)}</span>
              </div>
              {part.rows.map((row) => {
                const id = ids.get(row)
                return (
                  <div key={row} className="flex min-w-0 items-center gap-1 text-faint">
                    {id ? (
                      <>
                        <code className="min-w-0 break-all font-mono text-s">{id}</code>
                        <CopyButton size="small" text={id} name={t('copyRequestId')} />
                      </>
                    ) : (
                      ids.has(row) && part.state !== 'making' && t('noRequestId')
                    )}
                  </div>
                )
              })}
            </li>
          ))}
      </ul>
    </InspectorSection>
  )
}
