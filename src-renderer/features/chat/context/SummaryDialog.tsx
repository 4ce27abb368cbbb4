import { useEffect, useRef, useState } from 'react'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { problemOf } from '../../../api/problem.ts'
import { showNamed, showSc } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { showCost } from '../../../shared/money/cost.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { FormDialog } from '../../../shared/ui/Dialog.tsx'
import { Field } from '../../../shared/ui/Field.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { Spinner } from '../../../shared/ui/Spinner.tsx'
import { TextArea } from '../../../shared/ui/TextArea.tsx'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { modelsToAsk, useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { client } from '../client.ts'
import { applySummary, discardSummary, editedSummary, rememberSummary } from './actions.ts'
import { useMeasure } from './measure.ts'
import { useContextTexts } from './texts.ts'

const close = (): void => useStage.setState({ dialog: null })

interface Written {
  text: string
  summaryId: string | null
  cost: string | null
}

/** Asks a model for a summary, lets the person edit it, and makes the branch. Also edits the note of such a branch. */
export function SummaryDialog() {
  const t = useContextTexts()
  const dialog = useStage((state) => (state.dialog?.kind === 'summary' ? state.dialog : null))
  const [written, setWritten] = useState<Written | null>(null)
  const upTo = dialog?.upTo ?? null
  const given = dialog?.text ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: starts again for other messages
  useEffect(() => setWritten(given === null ? null : { text: given, summaryId: null, cost: null }), [upTo, given])
  const isEdit = given !== null
  return (
    <FormDialog
      open={dialog !== null}
      onClose={close}
      // A click beside the dialog must not close it while the person edits.
      title={t(isEdit ? 'editTitle' : 'summaryTitle')}
      about={t(isEdit ? 'editAbout' : 'summaryAbout')}
    >
      {dialog &&
        (written ? (
          <NoteForm key={dialog.upTo} upTo={dialog.upTo} written={written} isEdit={isEdit} />
        ) : (
          !isEdit && <Request key={dialog.upTo} upTo={dialog.upTo} onWritten={setWritten} />
        ))}
    </FormDialog>
  )
}

type Plan = { messages: number; tokens: number; requests: number; leastCost: string | null }

/**
 * What will be sent and its cost. Nothing is sent before the person presses the button. A summary that was asked for before, for example
 * before a reload of the page, is shown when it is written.
 */
function Request({ upTo, onWritten }: { upTo: string; onWritten: (written: Written) => void }) {
  const t = useContextTexts()
  const model = useChat((state) => modelsToAsk(state)[0] ?? null)
  const found = useMeasure()?.summary ?? null
  const own = found?.upTo === upTo ? found : null
  const earlier = own !== null && own.state !== 'interrupted' ? own.summaryId : null
  const interrupted = own?.state === 'interrupted' ? own.summaryId : null
  const [plan, setPlan] = useState<Plan | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [running, setRunning] = useState<string | null>(null)
  useEffect(() => {
    const core = client()
    if (!core || model === null || earlier !== null) return
    let isCurrent = true
    core.context.planSummary({ upTo, model }).then(
      (planned) => isCurrent && setPlan(planned),
      (thrown: unknown) => isCurrent && setProblem(problemOf(thrown)),
    )
    return () => {
      isCurrent = false
    }
  }, [upTo, model, earlier])

  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  /** Shows a summary when it is written. Closing the dialog does not cancel it. */
  const show = async (summaryId: string, asked: Promise<Pick<Message, 'cost' | 'costIs' | 'text'>>): Promise<void> => {
    setRunning(summaryId)
    setProblem(null)
    try {
      const { text, ...cost } = await asked
      if (isOpen.current) onWritten({ text: editedSummary(summaryId) ?? text, summaryId, cost: showCost(cost) })
    } catch (thrown) {
      const failure = problemOf(thrown)
      if (failure.kind !== 'cancelled') setProblem(failure)
    } finally {
      setRunning(null)
    }
  }
  const start = (): void => {
    const core = client()
    if (!core || model === null) return
    const requestId = crypto.randomUUID()
    void discardSummary(interrupted)
    void show(requestId, core.context.summarise({ requestId, upTo, model }))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each summary
  useEffect(() => {
    const core = client()
    if (core && earlier !== null && running === null) void show(earlier, core.context.summary({ summaryId: earlier }))
  }, [earlier])
  const isRunning = running !== null
  return (
    <>
      {plan && model !== null && (
        <div className="context-space">
          <p className="num">
            <WithSc
              text={showNamed(t('plan', { count: plan.messages, model }), t('usedOnly', { count: plan.tokens }))}
            />
          </p>
          {plan.requests > 1 && <p>{t('planRequests', { requests: plan.requests })}</p>}
          <p className="num">
            {plan.leastCost === null ? (
              t('planNoCost')
            ) : (
              <WithSc text={t('planCost', { amount: showSc(plan.leastCost) })} />
            )}
          </p>
        </div>
      )}
      {interrupted !== null && !isRunning && (
        <Notice kind="warn" action={{ label: t('dismiss'), onClick: () => void discardSummary(interrupted) }}>
          {t('interrupted')}
        </Notice>
      )}
      {problem && <ProblemNotice problem={problem} noAction />}
      {isRunning && (
        <p role="status" className="context-running">
          <Spinner /> {t('running')}
        </p>
      )}
      <div className="context-buttons context-end">
        <Button onClick={isRunning ? () => void discardSummary(running) : close}>{t('cancel')}</Button>
        <Button variant="primary" disabled={!plan || isRunning} onClick={start}>
          {t('start')}
        </Button>
      </div>
    </>
  )
}

function NoteForm({ upTo, written, isEdit }: { upTo: string; written: Written; isEdit: boolean }) {
  const t = useContextTexts()
  const [text, setText] = useState(written.text)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isSaving, setSaving] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const save = async (): Promise<void> => {
    setSaving(true)
    setProblem(null)
    try {
      await applySummary(upTo, text, written.summaryId)
    } catch (thrown) {
      setProblem(problemOf(thrown))
    } finally {
      setSaving(false)
    }
  }
  const isUnchanged = isEdit && text === written.text
  return (
    <>
      <Field label={t('noteText')} hint={t('noteHint')}>
        <TextArea
          ref={field}
          rows={10}
          dir="auto"
          maxLength={1_000_000}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            if (written.summaryId !== null) rememberSummary(written.summaryId, event.target.value)
          }}
        />
      </Field>
      {written.cost !== null && (
        <p className="num">
          <WithSc text={t('cost', { amount: written.cost })} />
        </p>
      )}
      {problem && <ProblemNotice problem={problem} noAction />}
      <div className="context-buttons context-end">
        {written.summaryId === null ? (
          <Button onClick={close}>{t('cancel')}</Button>
        ) : (
          <Button
            onClick={() => {
              void discardSummary(written.summaryId)
              close()
            }}
          >
            {t('discard')}
          </Button>
        )}
        <Button
          variant="primary"
          busy={isSaving}
          disabled={text.trim() === '' || isUnchanged}
          onClick={() => void save()}
        >
          {t(isEdit ? 'saveNote' : 'use')}
        </Button>
      </div>
    </>
  )
}
