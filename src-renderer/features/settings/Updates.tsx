import { useTranslation } from 'react-i18next'
import type { UpdateState } from '../../../src-preload/contract/app.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { useCall } from '../../shared/useCall.ts'
import { Group, Row, SettingSwitch } from './Group.tsx'

/** Whether the desktop application looks for new versions, and what it found. */
export function UpdatesGroup({ updates }: { updates: UpdateState }) {
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
