import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ConnectedProgram, Program, ProgramTrial } from '../../../../src-preload/contract/programs.ts'
import { joinSentences } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../../shared/studioContext.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { Pill } from '../../../shared/ui/Pill.tsx'
import { Spinner } from '../../../shared/ui/Spinner.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { useNow } from '../../../shared/useNow.ts'
import { outcomeOf } from '../../../stores/requests.ts'
import { Time } from '../appearance.tsx'
import { useRowTexts } from '../rowMessages.ts'

interface TrialProps {
  program: Program
  /** Null: closed. */
  connection: ConnectedProgram | null
  onClose: () => void
}

/** Runs a connected program once, and shows what it printed and what arrived at the local API. */
export function TrialDialog({ program, connection, onClose }: TrialProps) {
  const { t } = useTranslation('programs')
  const { name } = program
  return (
    <Dialog
      open={connection !== null}
      onClose={onClose}
      width="wide"
      title={t('trial.title', { name })}
      about={t('trial.about', { name })}
    >
      {connection && <Trial name={name} id={connection.id} />}
    </Dialog>
  )
}

function Trial({ name, id }: { name: string; id: string }) {
  const { t } = useTranslation('programs')
  const studio = useStudio()
  const [trial, setTrial] = useState<ProgramTrial | null>(null)
  const { busy, problem, run } = useCall()
  const running = useRef<AbortController | null>(null)
  // A program never runs on behind a closed dialog.
  useEffect(() => () => running.current?.abort(), [])
  const start = () =>
    run(async () => {
      const ended = new AbortController()
      running.current = ended
      setTrial(null)
      try {
        setTrial(await studio.programs.try({ id }, { signal: ended.signal }))
      } catch (thrown) {
        if (!ended.signal.aborted) throw thrown
      }
    })
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div role="status" className="empty:hidden">
        {busy && (
          <p className="flex items-center gap-2">
            <Spinner />
            {t('trial.running', { name })}
          </p>
        )}
        {trial && <Outcome name={name} trial={trial} />}
      </div>
      {problem && <ProblemNotice problem={problem} on={{ retry: start }} />}
      {trial && <Details trial={trial} />}
      <div className="flex justify-end">
        {busy ? (
          <Button onClick={() => running.current?.abort()}>{t('trial.stop')}</Button>
        ) : (
          <Button variant={trial ? 'normal' : 'primary'} onClick={start}>
            {t(trial ? 'trial.again' : 'trial.run')}
          </Button>
        )}
      </div>
    </div>
  )
}

function Outcome({ name, trial }: { name: string; trial: ProgramTrial }) {
  const { t } = useTranslation('programs')
  const { command, requests } = trial
  const end =
    trial.ended === 'deadline'
      ? t('trial.deadline', { command })
      : trial.exitCode === null
        ? t('trial.ended', { command })
        : t('trial.exit', { command, code: String(trial.exitCode) })
  if (requests.length === 0)
    return (
      <Notice kind="bad" title={t('trial.noRequest')}>
        {joinSentences([t('trial.noRequestAbout'), end])}
      </Notice>
    )
  const isOk = requests.some((row) => outcomeOf(row) === 'ok')
  return (
    <Notice kind={isOk ? 'good' : 'bad'} title={t(isOk ? 'trial.works' : 'trial.refused', { name })}>
      {end}
    </Notice>
  )
}

function Details({ trial: { requests, output } }: { trial: ProgramTrial }) {
  const { t } = useTranslation('programs')
  const { status } = useRowTexts()
  const now = useNow(30_000)
  return (
    <>
      {requests.length > 0 && (
        <section aria-label={t('trial.requests')}>
          <h3 className="mb-1 font-[540] text-s">{t('trial.requests')}</h3>
          <ul className="num flex max-h-40 flex-col gap-1 overflow-auto text-s">
            {requests.map((row) => {
              const { words, tone } = status(row)
              return (
                <li key={row.id} className="flex flex-wrap items-center gap-x-3">
                  <Time at={row.at} now={now} />
                  <span className="min-w-0 break-all">{row.model ?? row.endpoint}</span>
                  <Pill tone={tone}>{words}</Pill>
                </li>
              )
            })}
          </ul>
        </section>
      )}
      <section aria-label={t('trial.output')}>
        <h3 className="mb-1 font-[540] text-s">{t('trial.output')}</h3>
        {output.trim() === '' ? (
          <p className="text-s text-soft">{t('trial.silent')}</p>
        ) : (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
            tabIndex={0}
            dir="ltr"
            className="max-h-60 overflow-auto whitespace-pre-wrap break-words rounded-m bg-hover px-3 py-2 font-mono text-s"
          >
            {output}
          </pre>
        )}
      </section>
    </>
  )
}
