import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings, UpdateState } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Switch } from '../../shared/ui/Switch.tsx'
import { Group, Row } from './Group.tsx'
import { useSave } from './useSave.ts'

/** Whether the desktop application looks for new versions, and what it found. */
export function UpdatesGroup({ settings, updates }: { settings: Settings; updates: UpdateState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const studio = useStudio()
  const [busy, setBusy] = useState(false)
  const { state, version, message } = updates
  const check = (): void => {
    setBusy(true)
    studio.app
      .checkForUpdates()
      .catch((thrown: unknown) => showToast({ id: 'updates', text: problemOf(thrown).message }))
      .finally(() => setBusy(false))
  }
  return (
    <Group title={t('about.updates')} about={t('about.updatesAbout')}>
      <Row name={t('about.checkForUpdates')} hint={t('about.checkForUpdatesHint')}>
        <Switch
          label={t('about.checkForUpdates')}
          checked={settings.checkForUpdates}
          onChange={(checkForUpdates) => save({ checkForUpdates })}
        />
      </Row>
      {state !== 'off' && (
        <Row
          name={t('about.status')}
          hint={
            <span role="status">
              {state === 'failed' ? message : t(`about.states.${state}`, { version: version ?? '' })}
            </span>
          }
        >
          <Button onClick={check} disabled={busy || state === 'ready'}>
            {t('about.checkNow')}
          </Button>
        </Row>
      )}
    </Group>
  )
}
