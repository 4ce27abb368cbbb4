import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showSc } from '../../../src-preload/contract/amountText.ts'
import { type AppQuestion, type AskReason, lastSeen, modelsOf } from '../../../src-preload/contract/questions.ts'
import type { AnswerKind } from '../../../src-preload/contract/requests.ts'
import { joinSentences, showList } from '../../i18n/format.ts'
import { useAlerts } from '../../stores/alerts.ts'
import { useQuestions } from '../../stores/questions.ts'
import { browserNotices, switchBrowserNotices } from '../alerts/browserNotifications.ts'
import { ProblemNotice } from '../errors/ProblemNotice.tsx'
import { useStudio } from '../studioContext.ts'
import { showToast } from '../toasts.ts'
import { parseDecimal } from '../typedNumber.ts'
import { Button } from '../ui/Button.tsx'
import { Field, TextInput } from '../ui/Field.tsx'
import { plainText } from '../ui/plainText.ts'
import { useCall } from '../useCall.ts'

/** The questions of apps whose requests wait for an answer. They appear without taking the focus. */
export function QuestionCards() {
  const { t } = useTranslation('questions')
  const questions = useQuestions()
  return (
    // Always there, so that screen readers announce a question when it is asked. A landmark only when there is one.
    <section
      aria-label={questions.length > 0 ? t('title') : undefined}
      aria-live="polite"
      className={questions.length > 0 ? 'max-h-[60vh] shrink-0 overflow-y-auto' : ''}
    >
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
      {questions.length > 0 && <NotifyOffer />}
    </section>
  )
}

/** Offers notifications of the browser while there is a reason for them. It asks for permission when a person presses this, never by itself. */
function NotifyOffer() {
  const { t } = useTranslation('questions')
  // Null until the first event: only then is it known whether the host shows them itself.
  const isOfBrowser = useAlerts(({ alerts, notifies }) => alerts !== null && !notifies)
  const [state, setState] = useState(browserNotices)
  if (!isOfBrowser || state !== 'off') return null
  return (
    <p className="flex flex-wrap items-center gap-2 border-line border-b bg-raise px-3 py-1.5 text-s text-soft">
      {t('offer')}
      <Button size="small" onClick={() => void switchBrowserNotices(true).then(setState)}>
        {t('notify')}
      </Button>
    </p>
  )
}

const reasonOrder: readonly AskReason[] = ['day', 'month', 'total', 'model', 'cost']

function QuestionCard({ question }: { question: AppQuestion }) {
  const { t } = useTranslation('questions')
  const studio = useStudio()
  const { busy, problem, run } = useCall()
  const { id, requests, cost, spentToday, suggested } = question
  const [typed, setTyped] = useState<string | null>(null)
  const amount = parseDecimal(typed ?? suggested ?? '')
  const isAmount = typeof amount === 'string' && Number(amount) > 0
  const app = plainText(question.app.name)
  const answer = (kind: AnswerKind): void =>
    run(async () => {
      const raise = kind === 'more' ? (amount ?? null) : null
      const outcome = await studio.apps.answer({ id, answer: kind, amount: raise, seen: lastSeen(question) })
      if (!outcome.isFirst) showToast({ id: 'question', text: t(`before.${outcome.answer}`, { app }) })
    })
  const reasons = reasonOrder.filter((reason) => requests.some((request) => request.reasons.includes(reason)))
  const models = modelsOf(question).map(plainText)
  return (
    <article aria-label={t('card', { app })} className="flex flex-col gap-2 border-line border-b bg-raise p-3">
      <h2 className="font-[580]">{t('asks', { app })}</h2>
      <p className="text-s text-soft">{joinSentences(reasons.map((reason) => t(`reasons.${reason}`)))}</p>
      <dl className="num flex flex-wrap gap-x-5 gap-y-1 text-s">
        <Fact name={t('requests')} value={String(requests.length)} />
        <Fact name={t('model')} value={models.length === 0 ? t('noModel') : showList(models)} />
        <Fact name={t('most')} value={cost === null ? t('unknown') : t('sc', { amount: showSc(cost) })} />
        <Fact name={t('today')} value={t('sc', { amount: showSc(spentToday) })} />
      </dl>
      {problem && <ProblemNotice problem={problem} noAction />}
      <div className="flex flex-wrap items-end gap-2">
        <Button size="small" variant="primary" busy={busy} onClick={() => answer('once')}>
          {t('once')}
        </Button>
        {suggested !== null && (
          <form
            className="flex items-end gap-1"
            onSubmit={(event) => {
              event.preventDefault()
              if (isAmount) answer('more')
            }}
          >
            <div className="w-24">
              <Field label={t('amount')}>
                <TextInput
                  inputMode="decimal"
                  className="num"
                  value={typed ?? suggested}
                  onChange={(event) => setTyped(event.target.value)}
                />
              </Field>
            </div>
            <Button size="small" type="submit" busy={busy} disabled={!isAmount}>
              {t('more')}
            </Button>
          </form>
        )}
        <Button size="small" busy={busy} onClick={() => answer('tomorrow')}>
          {t('tomorrow')}
        </Button>
        <Button size="small" busy={busy} onClick={() => answer('refuse')}>
          {t('refuse')}
        </Button>
      </div>
    </article>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 break-words">{value}</dd>
    </div>
  )
}
