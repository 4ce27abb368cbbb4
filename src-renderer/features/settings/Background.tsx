import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../src-preload/contract/app.ts'
import { Group, SwitchRow } from './Group.tsx'
import { useSave } from './useSave.ts'

/** Whether the desktop application runs without a window. */
export function Background({ settings }: { settings: Settings }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  return (
    <Group>
      <SwitchRow
        label={t('proxy.background')}
        hint={t('proxy.backgroundHint')}
        checked={settings.closeAction === 'background'}
        onChange={(on) => save({ closeAction: on ? 'background' : 'quit' })}
      />
      <SwitchRow
        label={t('proxy.login')}
        hint={t('proxy.loginHint')}
        checked={settings.openAtLogin}
        onChange={(openAtLogin) => save({ openAtLogin })}
      />
    </Group>
  )
}
