import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { navigate } from '../../shared/navigation.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Switch } from '../../shared/ui/Switch.tsx'
import { Group, Row } from './Group.tsx'
import { ProxyMore } from './ProxyMore.tsx'
import { parsePort } from './port.ts'
import { useSave } from './useSave.ts'

export function ProxySection({ app }: { app: AppState }) {
  const { t } = useTranslation('settings')
  return (
    <>
      <Group>
        {/* The key remounts the fields when the port changes elsewhere. */}
        <ProxyFields key={app.settings.proxyPort} app={app} />
        <Button className="self-start" onClick={() => navigate({ page: 'proxy', id: null })}>
          {t('proxy.more')}
        </Button>
      </Group>
      <ProxyMore app={app} />
    </>
  )
}

function ProxyFields({ app: { proxy, settings } }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const save = useSave()
  const [typed, setTyped] = useState(String(settings.proxyPort))
  const port = parsePort(typed)
  const savePort = () => {
    if (port !== null && port !== settings.proxyPort) save({ proxyPort: port })
  }
  const moved = proxy.port !== null && proxy.wantedPort !== 0 && proxy.port !== proxy.wantedPort
  return (
    <>
      <Row name={t('proxy.enabled')} hint={t('proxy.enabledHint')}>
        <Switch
          label={t('proxy.enabled')}
          checked={settings.proxyEnabled}
          onChange={(proxyEnabled) => save({ proxyEnabled })}
        />
      </Row>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          savePort()
        }}
      >
        <Field
          label={t('proxy.port')}
          error={port === null ? t('proxy.portBad') : null}
          hint={moved ? t('proxy.portTaken', { wanted: proxy.wantedPort, port: proxy.port }) : t('proxy.portHint')}
        >
          <TextInput
            inputMode="numeric"
            className="num max-w-28"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={savePort}
          />
        </Field>
      </form>
      {proxy.problem && <ProblemNotice problem={proxy.problem} noAction />}
    </>
  )
}
