import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import type { DataWork } from '../../../src-preload/contract/data.ts'
import { maxUploadBytes } from '../../../src-preload/contract/transfers.ts'
import { problemOf } from '../../api/problem.ts'
import { save, upload } from '../../api/transfer.ts'
import { showFull, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { FileInput } from '../../shared/ui/FileInput.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { useCall } from '../../shared/useCall.ts'
import { useData } from '../../stores/data.ts'
import { AutomaticBackup } from './DataAutomaticBackup.tsx'
import { DataProgress } from './DataProgress.tsx'
import { type FoundBackup, RestoreDialog } from './DataRestoreDialog.tsx'
import { Group, Row } from './Group.tsx'
import { restartWith } from './restart.ts'

/** Backup into one file, and restore. */
export function DataBackup({ settings }: { settings: Settings }) {
  const { t } = useTranslation('data')
  return (
    <Group title={t('backup.title')} about={t('backup.about')}>
      <Backup />
      <AutomaticBackup settings={settings} />
      <Restore />
    </Group>
  )
}

function Backup() {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const work = useData(({ data }) => data?.backup ?? null)
  const { busy, problem, run } = useCall()
  const backUp = async () => {
    const download = await studio.data.backup()
    await save(download)
    say('backup', t('backup.done', { size: showSize(download.bytes) }))
  }
  const make = () => run(() => backUp().catch(unlessCancelled))
  return (
    <>
      <Row name={t('backup.name')} hint={busy && !work ? t('backup.saving') : t('backup.hint')}>
        {work ? (
          <Button onClick={() => void studio.data.cancelBackup()}>{t('backup.cancel')}</Button>
        ) : (
          <Button busy={busy} onClick={make}>
            {t('backup.save')}
          </Button>
        )}
      </Row>
      {work && <DataProgress label={t('backup.progress')} words={t(`stage.${work.stage}`)} {...work} />}
      {problem && <ProblemNotice problem={problem} on={{ retry: make }} />}
    </>
  )
}

function Restore() {
  const { t } = useTranslation('data')
  const studio = useStudio()
  const work = useData(({ data }) => data?.restore ?? null)
  const waiting = useData(({ data }) => data?.pendingRestore ?? null)
  const [sending, setSending] = useState<DataWork | null>(null)
  const [found, setFound] = useState<FoundBackup | null>(null)
  const [tooBig, setTooBig] = useState(false)
  const { busy, problem, run } = useCall()
  const input = useRef<HTMLInputElement>(null)
  const ended = useRef<AbortController | null>(null)
  const under = sending ?? work

  const during = (action: () => Promise<unknown>): void =>
    run(() =>
      action()
        .catch((thrown: unknown) => {
          if (ended.current?.signal.aborted !== true) unlessCancelled(thrown)
        })
        .finally(() => setSending(null)),
    )
  const read = (file: File) => {
    setTooBig(file.size > maxUploadBytes)
    if (file.size > maxUploadBytes) return
    ended.current = new AbortController()
    const { signal } = ended.current
    during(async () => {
      const reported = (done: number) => setSending({ stage: 'checking', done, total: file.size })
      reported(0)
      const uploadId = await upload(studio, file, { signal, onProgress: reported })
      setSending(null)
      setFound({ uploadId, ...(await studio.data.checkBackup({ uploadId })) })
    })
  }
  const cancel = () => {
    ended.current?.abort()
    if (!sending) void studio.data.cancelRestore()
  }
  const use = ({ uploadId }: FoundBackup, now: boolean) =>
    during(async () => {
      ended.current = null
      await studio.data.restore({ uploadId })
      setFound(null)
      if (now) await restart()
    })
  const restart = () => restartWith(() => studio.data.restart())
  const drop = () =>
    during(async () => {
      await studio.data.discardRestore()
      say('restore', t('restore.dropped'))
    })
  return (
    <>
      <Row name={t('restore.name')} hint={t('restore.hint')}>
        <FileInput
          ref={input}
          accept=".tar,.zst,.gz,application/x-tar"
          aria-label={t('restore.file')}
          onFiles={([file]) => file && read(file)}
        />
        {under ? (
          <Button onClick={cancel}>{t('restore.cancel')}</Button>
        ) : (
          <Button busy={busy && !found} onClick={() => input.current?.click()}>
            {t('restore.choose')}
          </Button>
        )}
      </Row>
      {under && (
        <DataProgress
          label={t('restore.progress')}
          words={sending ? t('restore.sending') : t(`stage.${under.stage}`)}
          {...under}
        />
      )}
      {problem && <ProblemNotice problem={problem} on={{ retry: () => input.current?.click() }} />}
      {tooBig && <TooBig />}
      {waiting && (
        <Notice
          kind="info"
          role="status"
          title={t('restore.waitingTitle')}
          action={{ label: t('restore.drop'), onClick: drop, busy }}
        >
          {t('restore.waiting', { at: showFull(waiting.summary.madeAt) })}
          <div className="mt-2">
            <Button size="small" variant="primary" busy={busy} onClick={() => during(restart)}>
              {t('restore.restart')}
            </Button>
          </div>
        </Notice>
      )}
      <RestoreDialog found={found} busy={busy} onClose={() => setFound(null)} onUse={use} />
    </>
  )
}

/** Throws a failure again, except that of a call that the person cancelled. */
function unlessCancelled(thrown: unknown): void {
  if (problemOf(thrown).kind !== 'cancelled') throw thrown
}

const say = (id: string, text: string): void => showToast({ id, text })

const restoreCommand = 'inference-studio restore FILE'

/** Explains that the file is too large here, and refers to the command line, which has no size limit. */
function TooBig() {
  const { t } = useTranslation('data')
  return (
    <Notice kind="info" role="status">
      {t('restore.limit', { size: showSize(maxUploadBytes) })}
      <span className="mt-1 flex items-center gap-2">
        <code dir="ltr" className="min-w-0 flex-1 break-all font-mono">
          {restoreCommand}
        </code>
        <CopyButton text={restoreCommand} name={t('restore.copyCommand')} />
      </span>
    </Notice>
  )
}
