import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Replay, RequestSelection } from '../../../src-preload/contract/requests.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { Segmented } from '../../shared/ui/Segmented.tsx'
import { useCall } from '../../shared/useCall.ts'
import { closeDialog, say } from './actions.ts'
import { count } from './figures.ts'

/** Starts and stops the sandbox that answers selected requests with their recorded replies. */
export function ReplayDialog({ selection }: { selection: RequestSelection | null }) {
  const { t } = useTranslation('proxy')
  const chosen = selection && 'ids' in selection ? selection.ids.length : null
  const about =
    chosen === null ? t('again.replays.aboutAll') : t('again.replays.about', { count: chosen, figure: count(chosen) })
  return (
    <Dialog open={selection !== null} onClose={closeDialog} width="wide" title={t('again.replays.title')} about={about}>
      {selection && <Choice selection={selection} />}
    </Dialog>
  )
}

function Choice({ selection }: { selection: RequestSelection }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const [timing, setTiming] = useState<Replay['timing']>('recorded')
  const [running, setRunning] = useState<Replay | null>(null)
  const { busy, problem, run } = useCall()
  useEffect(() => {
    let wanted = true
    studio.requests.replay().then(
      (found) => wanted && setRunning(found),
      () => undefined,
    )
    return () => {
      wanted = false
    }
  }, [studio])
  const start = () => run(async () => setRunning(await studio.requests.startReplay({ selection, timing })))
  const stop = () =>
    run(async () => {
      await studio.requests.stopReplay()
      setRunning(null)
      say('replay', t('again.replays.stopped'))
    })
  const leftOut = running ? running.incomplete + running.unsuitable : 0
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span aria-hidden className="font-[540] text-s">
          {t('again.replays.timing')}
        </span>
        <Segmented
          label={t('again.replays.timing')}
          value={timing}
          onChange={setTiming}
          segments={[
            { value: 'recorded', label: t('again.replays.recorded') },
            { value: 'immediate', label: t('again.replays.immediate') },
          ]}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button variant={running ? 'normal' : 'primary'} busy={busy} onClick={start}>
          {t(running ? 'again.replays.restart' : 'again.replays.start')}
        </Button>
        {running && (
          <Button variant="danger" busy={busy} onClick={stop}>
            {t('again.replays.stop')}
          </Button>
        )}
      </div>
      {problem && <ProblemNotice problem={problem} noAction />}
      <div role="status" className="flex flex-col gap-3 empty:hidden">
        {running && (
          <>
            <p>{t('again.replays.running', { count: running.requests, figure: count(running.requests) })}</p>
            <KeyValue
              rows={(['baseUrl', 'apiKey'] as const).map((name) => ({
                id: name,
                name: t(name === 'baseUrl' ? 'again.replays.address' : 'again.replays.key'),
                value: (
                  <span className="inline-flex max-w-full items-center gap-0.5">
                    <code className="min-w-0 break-all font-mono text-s">{running[name]}</code>
                    <CopyButton
                      size="small"
                      text={running[name]}
                      name={t(name === 'baseUrl' ? 'again.replays.copyAddress' : 'again.replays.copyKey')}
                    />
                  </span>
                ),
              }))}
            />
            <p className="text-soft">{t('again.replays.use')}</p>
            {leftOut > 0 && (
              <p className="text-warn">{t('again.replays.leftOut', { count: leftOut, figure: count(leftOut) })}</p>
            )}
          </>
        )}
      </div>
    </>
  )
}
