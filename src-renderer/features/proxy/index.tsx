import { Pause, Play, Plug } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { PageRegions } from '../../shared/pageView.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { StageBar } from '../../shared/ui/StageBar.tsx'
import { Switch } from '../../shared/ui/Switch.tsx'
import { useApp } from '../../stores/app.ts'
import { inUse, useApps } from '../../stores/apps.ts'
import { useChat } from '../../stores/chat.ts'
import { useRequests } from '../../stores/requests.ts'
import { type AppAction, AppActions } from './AppActions.tsx'
import { AskAgain } from './AskAgain.tsx'
import { attempt, say, startProxyPage } from './actions.ts'
import { Cards, type CardsProps } from './Cards.tsx'
import { ConnectDialog, type Connecting } from './ConnectDialog.tsx'
import { EditDialog } from './EditDialog.tsx'
import type { Budget } from './form.ts'
import { ProxyInspector } from './Inspector.tsx'
import { Log } from './Log.tsx'
import { ProxyNotices } from './ProxyNotices.tsx'
import { ConnectedPrograms } from './programs/ConnectedPrograms.tsx'
import { Refusals } from './Refusals.tsx'
import { ReplayDialog } from './Replays.tsx'

function Stage() {
  const app = useApp((store) => store.app)
  const studio = useStudio()
  useEffect(() => startProxyPage(studio), [studio])
  return app && <ProxyStage app={app} />
}

const enable = (proxyEnabled: boolean) => void attempt((client) => client.app.updateSettings({ proxyEnabled }))

function ProxyStage({ app: { proxy, settings } }: { app: AppState }) {
  const box = useRef<HTMLDivElement>(null)
  const [edited, setEdited] = useState<{ app: App; first?: Budget | undefined } | null>(null)
  const [connecting, setConnecting] = useState<Connecting | null>(null)
  const [asked, setAsked] = useState<AppAction | null>(null)
  const dialog = useRequests((store) => store.dialog)
  const { allPaused, pauseAll, any } = usePauseAll()
  const onAction: CardsProps['onAction'] = (action, app, first) => {
    if (action === 'edit') setEdited({ app, first })
    else if (action === 'setUp') setConnecting({ start: 'key', app })
    else if (action === 'rotate') setConnecting({ start: 'rotate', app })
    else setAsked({ action, app })
  }
  const model = useChat((chat) => chat.model)
  const connect = () => setConnecting({ start: 'app', app: null })
  return (
    <>
      <Bar
        proxy={proxy}
        enabled={settings.proxyEnabled}
        allPaused={allPaused}
        onPauseAll={any ? pauseAll : null}
        onConnect={connect}
      />
      <div ref={box} tabIndex={-1} className="relative min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]">
        <div className="flex flex-col gap-6 px-6 pt-5 pb-6 max-[800px]:px-4">
          <ProxyNotices
            proxy={proxy}
            allPaused={allPaused}
            onEnable={() => enable(true)}
            onResumeAll={() => pauseAll(false)}
          />
          <Cards onConnect={connect} onAction={onAction} />
          <ConnectedPrograms baseUrl={proxy.baseUrl} onNewKey={(app) => setConnecting({ start: 'rotate', app })} />
          <Refusals proxy={proxy} settings={settings} />
          <Log box={box} />
        </div>
      </div>
      <EditDialog
        app={edited?.app ?? null}
        first={edited?.first}
        onClose={() => setEdited(null)}
        bodyDays={settings.bodyDays}
      />
      <ConnectDialog
        connecting={connecting}
        onClose={() => setConnecting(null)}
        onTurnOn={() => enable(true)}
        onEdit={(app) => {
          setConnecting(null)
          setEdited({ app })
        }}
        onRotate={() => connecting?.app && setConnecting({ start: 'rotate', app: connecting.app })}
        baseUrl={proxy.baseUrl}
        model={model ?? settings.chatModel}
        bodyDays={settings.bodyDays}
      />
      <AppActions asked={asked} onClose={() => setAsked(null)} />
      <AskAgain detail={dialog?.kind === 'ask' ? dialog.detail : null} />
      <ReplayDialog selection={dialog?.kind === 'replay' ? dialog.selection : null} />
    </>
  )
}

/** Pauses or resumes all usable apps. */
function usePauseAll() {
  const { t } = useTranslation('proxy')
  const alive = (useApps() ?? []).filter((app) => inUse(app, Date.now()))
  const pauseAll = (paused: boolean) =>
    void attempt(async (client) => {
      const { changed } = await client.apps.pauseAll({ paused })
      say('pause', t(paused ? 'pausedAll' : 'resumedAll', { count: changed }))
    })
  return {
    any: alive.length > 0,
    allPaused: alive.length > 0 && alive.every(({ pausedAt }) => pausedAt !== null),
    pauseAll,
  }
}

const tones: Record<AppState['proxy']['state'], PillTone> = { on: 'good', off: 'muted', waiting: 'warn', failed: 'bad' }

function Bar(props: {
  proxy: AppState['proxy']
  enabled: boolean
  allPaused: boolean
  onPauseAll: ((paused: boolean) => void) | null
  onConnect: () => void
}) {
  const { t } = useTranslation('proxy')
  const { proxy, allPaused, onPauseAll } = props
  return (
    <StageBar
      title={t('title')}
      beside={
        <>
          <Pill tone={tones[proxy.state]}>{t(`state.${proxy.state}`)}</Pill>
          {proxy.baseUrl && (
            <span className="flex min-w-0 items-center gap-1">
              <code className="min-w-0 truncate font-mono text-s text-soft">{proxy.baseUrl}</code>
              <CopyButton size="small" text={proxy.baseUrl} name={t('copyAddress')} />
            </span>
          )}
        </>
      }
      actions={
        <>
          <Switch label={t('listen')} checked={props.enabled} onChange={enable} />
          <Button icon={Plug} onClick={props.onConnect}>
            {t('connectApp')}
          </Button>
          {onPauseAll && (
            <Button icon={allPaused ? Play : Pause} onClick={() => onPauseAll(!allPaused)}>
              {t(allPaused ? 'resumeAll' : 'pauseAll')}
            </Button>
          )}
        </>
      }
    />
  )
}

export const proxyPage: PageRegions = { Stage, Inspector: ProxyInspector, inspectorOnDemand: true }
