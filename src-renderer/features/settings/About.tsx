import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState, UpdateState } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { useDesktop } from '../../shared/desktop.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { useCall } from '../../shared/useCall.ts'
import { Group, Row, SettingSwitch } from './Group.tsx'
import { InstallationCheckGroup } from './InstallationCheck.tsx'

/** Version and licence, and what helps when something goes wrong. */
export function AboutSection({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  return (
    <>
      <Group>
        <KeyValue
          rows={[
            { id: 'version', name: t('about.version'), value: app.version },
            { id: 'host', name: t('about.host'), value: t(`about.${app.host}`) },
            { id: 'licence', name: t('about.licence'), value: t('about.licenceLine') },
          ]}
        />
      </Group>
      {app.updates && <UpdatesGroup updates={app.updates} />}
      <InstallationCheckGroup />
      <Diagnostics />
      {app.host === 'desktop' && <Logs />}
    </>
  )
}

/** The report is read when the person asks for it, and shown before it is copied. */
function Diagnostics() {
  const { t } = useTranslation('settings')
  const studio = useStudio()
  const [report, setReport] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const read = (): void => {
    setReading(true)
    studio.app
      .diagnostics()
      .then(({ report: text }) => setReport(text))
      .catch((thrown: unknown) => showToast({ id: 'diagnostics', text: problemOf(thrown).message }))
      .finally(() => setReading(false))
  }
  return (
    <Group title={t('about.diagnostics')} about={t('about.diagnosticsHint')}>
      <div className="flex flex-wrap gap-2">
        {report === null ? (
          <Button busy={isReading} onClick={read}>
            {t('about.showReport')}
          </Button>
        ) : (
          <>
            <CopyButton text={report} name={t('about.copyReport')} label={t('about.copyReport')} variant="primary" />
            <Button onClick={() => setReport(null)}>{t('about.hideReport')}</Button>
          </>
        )}
      </div>
      {report !== null && (
        <textarea
          readOnly
          aria-label={t('about.report')}
          dir="ltr"
          value={report}
          rows={16}
          className="w-full resize-y rounded-m bg-panel p-2.5 font-mono text-ink text-s"
        />
      )}
    </Group>
  )
}

function Logs() {
  const { t } = useTranslation('settings')
  const desktop = useDesktop((store) => store.client)
  const show = (what: 'logs' | 'crashes'): void => {
    const note = (text: string): void => showToast({ id: 'logs', text })
    desktop
      ?.reveal({ what })
      .then(({ shown }) => shown || note(t(what === 'logs' ? 'about.noLogs' : 'about.noCrashes')))
      .catch((thrown: unknown) => note(problemOf(thrown).message))
  }
  return (
    <Group title={t('about.logs')} about={t('about.logsHint')}>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => show('logs')}>{t('about.showLogs')}</Button>
        <Button onClick={() => show('crashes')}>{t('about.showCrashes')}</Button>
      </div>
    </Group>
  )
}

/** Whether the desktop application looks for new versions, and what it found. */
function UpdatesGroup({ updates }: { updates: UpdateState }) {
  const { t } = useTranslation('settings')
  const studio = useStudio()
  const { busy, problem, run } = useCall()
  const { state, version, message } = updates
  const words = state === 'off' || state === 'failed' ? message : t(`about.states.${state}`, { version: version ?? '' })
  return (
    <Group title={t('about.updates')} about={t('about.updatesAbout')}>
      <SettingSwitch field="checkForUpdates" label={t('about.checkForUpdates')} hint={t('about.checkForUpdatesHint')} />
      {state !== 'off' && (
        <Row name={t('about.status')} hint={<span role="status">{problem?.message ?? words}</span>}>
          <Button onClick={() => run(() => studio.app.checkForUpdates())} disabled={busy || state === 'ready'}>
            {t('about.checkNow')}
          </Button>
        </Row>
      )}
    </Group>
  )
}
