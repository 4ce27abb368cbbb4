import { useTranslation } from 'react-i18next'
import type { AppState, Settings } from '../../../src-preload/contract/app.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { navigate } from '../../shared/navigation.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Group, SettingSwitch, SwitchRow } from './Group.tsx'
import { ProxyMore } from './ProxyMore.tsx'
import { parsePort } from './parse.ts'
import { WholeNumberField } from './TypedField.tsx'
import { useSave } from './useSave.ts'

export function ProxySection({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  return (
    <>
      <Group>
        <ProxyFields app={app} />
        <Button className="self-start" onClick={() => navigate({ page: 'proxy', id: null })}>
          {t('proxy.openPage')}
        </Button>
      </Group>
      {app.host === 'desktop' && <Background settings={app.settings} />}
      <ProxyMore app={app} />
    </>
  )
}

function ProxyFields({ app: { proxy, settings } }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const moved = proxy.port !== null && proxy.wantedPort !== 0 && proxy.port !== proxy.wantedPort
  return (
    <>
      <SettingSwitch field="proxyEnabled" label={t('proxy.enabled')} hint={t('proxy.enabledHint')} />
      <WholeNumberField
        label={t('proxy.port')}
        hint={
          moved
            ? t('proxy.portTaken', { wanted: String(proxy.wantedPort), port: String(proxy.port) })
            : t('proxy.portHint')
        }
        bad={t('proxy.portBad')}
        value={settings.proxyPort}
        parse={parsePort}
        onSave={(proxyPort) => save({ proxyPort })}
      />
      {proxy.problem && <ProblemNotice problem={proxy.problem} noAction />}
    </>
  )
}

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
      <SettingSwitch field="openAtLogin" label={t('proxy.login')} hint={t('proxy.loginHint')} />
    </Group>
  )
}
