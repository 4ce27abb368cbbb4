import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { navigate } from '../../navigation.ts'
import { ProblemNotice } from '../../problems/ProblemNotice.tsx'
import type { RoomView } from '../../room.ts'
import { appStore, useApp, withToast } from '../../stores/app.ts'
import { useStudio } from '../../studio.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Pill, type PillTone } from '../../ui/Pill.tsx'
import { StageBar } from '../../ui/StageBar.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { AddTool } from './AddTool.tsx'
import { Setup } from './Setup.tsx'
import { ToolList } from './ToolList.tsx'

const tones: Record<AppState['proxy']['state'], PillTone> = { on: 'good', off: 'muted', waiting: 'warn', failed: 'bad' }

function Stage() {
  const app = useApp((store) => store.app)
  return app && <ProxyStage app={app} />
}

function ProxyStage({ app: { proxy, settings } }: { app: AppState }) {
  const { t } = useTranslation('proxy')
  const studio = useStudio()
  const [adding, setAdding] = useState(false)
  const enable = (proxyEnabled: boolean) => {
    studio.app.updateSettings({ proxyEnabled }).catch((thrown: unknown) => {
      appStore.setState(withToast(appStore.getState(), { id: 'proxy', text: problemOf(thrown).message }))
    })
  }
  return (
    <>
      <StageBar
        title={t('title')}
        beside={
          <>
            <Pill tone={tones[proxy.state]}>{t(`state.${proxy.state}`)}</Pill>
            {proxy.baseUrl && (
              <>
                <code className="min-w-0 truncate font-mono text-s text-soft">{proxy.baseUrl}</code>
                <CopyButton size="small" text={proxy.baseUrl} name={t('copyAddress')} />
              </>
            )}
          </>
        }
        actions={
          <>
            <Switch label={t('listen')} checked={settings.proxyEnabled} onChange={enable} />
            <Button icon={Plus} onClick={() => setAdding(true)}>
              {t('add')}
            </Button>
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="flex max-w-[1280px] flex-col gap-4 px-6 py-5">
          <Standing proxy={proxy} onEnable={() => enable(true)} />
          <Figures proxy={proxy} />
          <ToolList onAdd={() => setAdding(true)} />
          <Setup baseUrl={proxy.baseUrl} model={settings.chatModel} made={null} />
        </div>
      </div>
      <AddTool open={adding} onClose={() => setAdding(false)} baseUrl={proxy.baseUrl} model={settings.chatModel} />
    </>
  )
}

/** What keeps tools from getting answers, and the one thing to do about it. */
function Standing({ proxy, onEnable }: { proxy: AppState['proxy']; onEnable: () => void }) {
  const { t } = useTranslation('proxy')
  if (proxy.problem) return <ProblemNotice problem={proxy.problem} on={{ retry: onEnable }} />
  if (proxy.state === 'off')
    return (
      <Notice kind="info" action={{ label: t('listen'), onClick: onEnable }}>
        {t('off')}
      </Notice>
    )
  if (proxy.state === 'waiting') {
    const open = () => navigate({ room: 'settings', id: 'connection' })
    return (
      <Notice kind="warn" action={{ label: t('toSettings'), onClick: open }}>
        {t('waiting')}
      </Notice>
    )
  }
  if (proxy.port !== null && proxy.wantedPort !== 0 && proxy.port !== proxy.wantedPort) {
    return <Notice kind="warn">{t('portMoved', { wanted: proxy.wantedPort, port: proxy.port })}</Notice>
  }
  return null
}

function Figures({ proxy }: { proxy: AppState['proxy'] }) {
  const { t } = useTranslation('proxy')
  const figure = new Intl.NumberFormat('en')
  return (
    <div className="grid grid-cols-2 gap-3 min-[900px]:grid-cols-4">
      {(['tools', 'active', 'relayed', 'refused'] as const).map((name) => (
        <Card key={name} className="px-4 py-3.5">
          <div className="font-[540] text-s text-soft">{t(`figures.${name}`)}</div>
          <div className="num font-semibold text-hero leading-tight tracking-[-.025em]">
            {figure.format(proxy[name])}
            {(name === 'relayed' || name === 'refused') && (
              <span className="ml-1.5 font-medium text-faint text-m tracking-normal">{t('figures.since')}</span>
            )}
          </div>
        </Card>
      ))}
    </div>
  )
}

export const proxyRoom: RoomView = { Stage }
