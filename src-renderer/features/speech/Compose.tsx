import { AudioLines, Plug, Sparkles } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { speechInputBytes } from '../../../src-preload/contract/speech.ts'
import { showCount, showSc } from '../../i18n/format.ts'
import { useKeysOf } from '../../shared/commands/useKeys.ts'
import { ConnectButton } from '../../shared/connect/ConnectButton.tsx'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { ConnectionNote } from '../../shared/offline/ConnectionNote.tsx'
import { OutboxList } from '../../shared/offline/OutboxList.tsx'
import { Button } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { useFieldProps } from '../../shared/ui/Field.tsx'
import { Kbd } from '../../shared/ui/Kbd.tsx'
import { Meter } from '../../shared/ui/Meter.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'
import { useApp } from '../../stores/app.ts'
import { useSpeech } from '../../stores/speech.ts'
import { setDraft, speakDraft, speakLater } from './actions.ts'
import { bytesIn, fitsOneRequest, lengthOf } from './labels.ts'
import { SettingsFields } from './SettingsFields.tsx'

/** The contract's limit, UTF-16 units. */
const longest = 1_000_000

/** The text, its voice settings, the expected result and the Speak button. */
export function Compose() {
  const { t } = useTranslation('speech')
  const draft = useSpeech((store) => store.draft)
  const asking = useSpeech((store) => store.asking)
  const refusal = useSpeech((store) => store.refusal)
  const none = useSpeech((store) => store.state === 'live' && store.total === 0)
  const empty = draft.text.trim() === ''
  const isUnset = useApp(({ app }) => app?.connection.state === 'none')
  const keys = useKeysOf('speech.speak')
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex w-full max-w-[860px] flex-col gap-6 px-6 py-6 max-[800px]:px-4">
          {none && empty && <Teach />}
          <TextField />
          <SettingsFields wish={draft} onWish={setDraft} />
          {refusal && <ProblemNotice problem={refusal} on={{ retry: () => void speakDraft() }} />}
        </div>
      </div>
      <div className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-line border-t bg-bg px-6 py-3 max-[800px]:px-4">
        <div className="flex w-full min-w-0 flex-col gap-2 empty:hidden">
          <OutboxList what="speech" />
          <ConnectionNote place="speech" onWait={empty ? null : speakLater} />
        </div>
        {isUnset ? <p className="text-s text-soft">{t(none ? 'needConnection' : 'needConnectionSaved')}</p> : <Plan />}
        <span className="ms-auto flex items-center gap-2">
          {isUnset ? (
            <ConnectButton icon={Plug} label={t('connect')} />
          ) : (
            <>
              {keys !== '' && <Kbd>{keys}</Kbd>}
              <Button
                variant="primary"
                icon={AudioLines}
                busy={asking}
                disabled={empty}
                onClick={() => void speakDraft()}
              >
                {t('speak')}
              </Button>
            </>
          )}
        </span>
      </div>
    </div>
  )
}

function TextField() {
  const { t } = useTranslation('speech')
  const field = useRef<HTMLTextAreaElement>(null)
  const text = useSpeech((store) => store.draft.text)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  return (
    <div className="rounded-l bg-raise shadow-[0_0_0_1px_var(--line-strong),var(--lift-small)] focus-within:shadow-[0_0_0_2px_var(--accent)]">
      <textarea
        ref={field}
        {...useFieldProps()}
        aria-label={t('textLabel')}
        data-speech-text
        dir="auto"
        value={text}
        maxLength={longest}
        placeholder={t('textHint')}
        onChange={({ target }) => setDraft({ text: target.value })}
        className="field-sizing-content max-h-[46vh] min-h-[max(160px,26vh)] w-full resize-none bg-transparent px-4 py-3 text-body leading-relaxed outline-none"
      />
      <Counter text={text} />
    </div>
  )
}

/** Shows the number of bytes immediately, and the number of parts after the core's answer. */
function Counter({ text }: { text: string }) {
  const { t } = useTranslation('speech')
  // Counting a million characters takes one or two ms, so it is deferred until after the key press.
  const late = useDeferredValue(text)
  const bytes = useMemo(() => bytesIn(late), [late])
  const draft = useSpeech((store) => store.draft)
  const plan = useSpeech((store) => (store.plan && store.plan.draft.text === draft.text ? store.plan.plan : null))
  const one = fitsOneRequest(bytes)
  const shown = showCount(bytes)
  const words = one
    ? t('bytes', { bytes: shown, most: showCount(speechInputBytes) })
    : plan
      ? t('bytesMany', { bytes: shown, count: plan.parts.length })
      : t('bytesMore', { bytes: shown })
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 border-line border-t px-4 py-1.5 text-s">
      {one && (
        <Meter
          label={t('bytesMeter')}
          value={bytes}
          max={speechInputBytes}
          level={bytes > speechInputBytes * 0.9 ? 'warn' : 'good'}
          className="w-16"
        />
      )}
      <output data-speech-bytes className={cx('num', one ? 'text-soft' : 'font-[540] text-accent')}>
        {words}
      </output>
    </div>
  )
}

function Plan() {
  const { t } = useTranslation('speech')
  const plan = useSpeech((store) => store.plan?.plan ?? null)
  if (!plan) return <span />
  return (
    <span className="num flex flex-wrap items-center gap-x-3 text-s text-soft" data-speech-plan>
      <span>
        {plan.cost === null ? t('planUnknown') : <WithSc text={t('planCost', { cost: showSc(plan.cost) })} />}
      </span>
      {plan.seconds !== null && (
        <span>
          <WithSc text={t('planSeconds', { length: lengthOf(plan.seconds) })} />
        </span>
      )}
    </span>
  )
}

/** The empty state: the purpose of the page and one action. */
function Teach() {
  const { t } = useTranslation('speech')
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
      <div className="grid size-12 shrink-0 place-items-center rounded-l bg-raise text-accent shadow-[0_0_0_1px_var(--line),var(--lift-small)]">
        <AudioLines aria-hidden size={22} strokeWidth={1.5} />
      </div>
      <div className="min-w-[min(15rem,100%)] flex-1 basis-0">
        <h2 className="font-semibold text-l tracking-[-.01em]">{t('emptyTitle')}</h2>
        <p className="mt-0.5 text-soft">{t('empty')}</p>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button icon={Sparkles} onClick={() => setDraft({ text: t('exampleText'), voice: 'nova' })}>
            {t('example')}
          </Button>
        </div>
      </div>
    </div>
  )
}
