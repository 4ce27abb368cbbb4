import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { RequestDetail } from '../../../src-preload/contract/requests.ts'
import { problemOf } from '../../api/problem.ts'
import { joinFacts } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { ModelSelect } from '../../shared/ModelField.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { Field } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { Spinner } from '../../shared/ui/Spinner.tsx'
import { TextArea } from '../../shared/ui/TextArea.tsx'
import { closeDialog, inspectRow } from './actions.ts'
import { Comparison } from './Comparison.tsx'
import { count } from './figures.ts'
import { objectsIn, parsed, recordedRequest } from './recorded.ts'

type Json = Record<string, unknown>

/** Members of a request that are sent unchanged. The model has a field of its own. */
const unchanged: ReadonlySet<string> = new Set(['model', 'messages', 'tools'])

/** Sends a logged request again, to the same or another model and with other parameters, and shows the reply beside the old one. */
export function AskAgain({ detail }: { detail: RequestDetail | null }) {
  const { t } = useTranslation('proxy')
  const request = recordedRequest(detail?.requestBody ?? null)
  return (
    <Dialog
      open={detail !== null}
      onClose={closeDialog}
      width="full"
      stayOnOutsideClick
      title={t('again.title')}
      about={t('again.about')}
    >
      {detail && typeof request !== 'string' && <Asking original={detail} request={request} />}
    </Dialog>
  )
}

function Asking({ original, request }: { original: RequestDetail; request: Json }) {
  const { t } = useTranslation('proxy')
  const { model: sentModel, messages, tools } = request
  const [model, setModel] = useState(typeof sentModel === 'string' ? sentModel : '')
  const [text, setText] = useState(() => JSON.stringify(parametersOf(request), null, 2))
  const [isBad, setIsBad] = useState(false)
  const { now, state, problem, send, stop } = useAsking(original.row.id)
  const isRunning = state === 'running'
  const ask = () => {
    const parameters = parsed(text)
    setIsBad(parameters === null)
    if (!parameters || isRunning) return
    const kept = Object.entries(request).filter(([name]) => unchanged.has(name) && name !== 'model')
    send({ ...(model !== '' && { model }), ...Object.fromEntries(kept), ...parameters })
  }
  const counted = [
    ...(Array.isArray(messages) ? [t('again.unchanged', counts(messages.length))] : []),
    ...(objectsIn(tools).length > 0 ? [t('again.unchangedTools', counts(objectsIn(tools).length))] : []),
  ]
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
      tabIndex={0}
      aria-label={t('again.title')}
      className="-mx-5 -mb-5 flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto px-5 pb-5"
    >
      <Form className="flex flex-col gap-3" onSubmit={ask}>
        <Field label={t('again.model')}>
          <ModelSelect className="max-w-80" label={t('again.model')} value={model} onPick={setModel} />
        </Field>
        <Field label={t('again.parameters')} hint={t('again.parametersHint')} error={isBad && t('again.badJson')}>
          <TextArea
            mono
            dir="ltr"
            rows={4}
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              setIsBad(false)
            }}
          />
        </Field>
        {counted.length > 0 && <p className="num text-s text-soft">{joinFacts(counted)}</p>}
        {original.requestBody?.text?.includes('[secret: ') && <p className="text-s text-warn">{t('again.marks')}</p>}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" variant="primary" busy={isRunning}>
            {t('again.send')}
          </Button>
          {isRunning && <Button onClick={stop}>{t('again.stop')}</Button>}
          {now && !isRunning && (
            <Button
              variant="plain"
              onClick={() => {
                inspectRow(now.row.id)
                closeDialog()
              }}
            >
              {t('again.openNew')}
            </Button>
          )}
          <span role="status" className="inline-flex items-center gap-2 text-soft">
            {isRunning && (
              <>
                <Spinner /> {t('again.running')}
              </>
            )}
            {state === 'stopped' && t('again.stopped')}
          </span>
        </div>
      </Form>
      {problem && <ProblemNotice problem={problem} noAction />}
      {now && !isRunning && <Comparison original={original} now={now} />}
    </section>
  )
}

const counts = (value: number) => ({ count: value, figure: count(value) })

const parametersOf = (request: Json): Json =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !unchanged.has(name)))

/** The request that runs, and the last one that has ended. Leaving ends the request. */
function useAsking(id: number) {
  const studio = useStudio()
  const [state, setState] = useState<'idle' | 'running' | 'stopped'>('idle')
  const [now, setNow] = useState<RequestDetail | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const send = (body: Json): void => {
    const mine = new AbortController()
    running.current = mine
    setState('running')
    setProblem(null)
    const asked = async (): Promise<void> => {
      let row: number | null = null
      const input = { id, body: JSON.stringify(body) }
      for await (const event of await studio.requests.askAgain(input, { signal: mine.signal })) {
        if (event.type === 'row') row = event.id
      }
      if (row !== null) setNow(await studio.requests.get({ id: row }))
    }
    asked().then(
      () => !mine.signal.aborted && setState('idle'),
      (thrown: unknown) => {
        if (mine.signal.aborted) return
        setProblem(problemOf(thrown))
        setState('idle')
      },
    )
  }
  const stop = (): void => {
    running.current?.abort()
    setState('stopped')
  }
  return { now, state, problem, send, stop }
}
