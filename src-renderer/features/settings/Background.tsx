import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import { Switch } from '../../shared/ui/Switch.tsx'
import { Group, Row } from './Group.tsx'
import { useSave } from './useSave.ts'

/** Whether the desktop application runs without a window. */
export function Background({ settings }: { settings: Settings }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  return (
    <Group>
      <Row name={t('proxy.background')} hint={t('proxy.backgroundHint')}>
        <Switch
          label={t('proxy.background')}
          checked={settings.closeAction === 'background'}
          onChange={(on) => save({ closeAction: on ? 'background' : 'quit' })}
        />
      </Row>
      <Row name={t('proxy.login')} hint={t('proxy.loginHint')}>
        <Switch
          label={t('proxy.login')}
          checked={settings.openAtLogin}
          onChange={(openAtLogin) => save({ openAtLogin })}
        />
      </Row>
    </Group>
  )
}
