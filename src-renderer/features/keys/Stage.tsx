import { StatusText } from '../../shared/ui/StatusText.tsx'
import '../../shared/chart/figures.css'
import { KeyRound, RefreshCw } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { AccountKey } from '../../../src-preload/contract/account.ts'
import { ConnectButton } from '../../shared/connect/ConnectButton.tsx'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { navigate, openConnectionSettings } from '../../shared/navigation.ts'
import { ConnectionNote } from '../../shared/offline/ConnectionNote.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { RelativeTime } from '../../shared/ui/RelativeTime.tsx'
import { Skeleton } from '../../shared/ui/Skeleton.tsx'
import { StageBar } from '../../shared/ui/StageBar.tsx'
import { useCall } from '../../shared/useCall.ts'
import { isConnected, useApp } from '../../stores/app.ts'
import { keyShown, useKeys } from '../../stores/keys.ts'
import { useRoute } from '../../stores/route.ts'
import { selectedAccount, useUsage } from '../../stores/usage.ts'
import { Days } from './Days.tsx'
import { Facts } from './Facts.tsx'
import { refreshKeys, startKeys } from './subscriptions.ts'

export function KeysStage() {
  const studio = useStudio()
  useEffect(() => startKeys(studio), [studio])
  const { id } = useRoute()
  const keys = useKeys((store) => store.keys)
  const key = keyShown(keys ?? [], id)
  return (
    <>
      <Bar shown={key} />
      <div className="relative min-h-0 flex-1 overflow-y-auto [scrollbar-gutter:stable]">
        <Body shown={key} />
      </div>
    </>
  )
}

function Bar({ shown }: { shown: AccountKey | null }) {
  const { t } = useTranslation('keys')
  const { busy, run } = useCall()
  const active = useUsage((store) => selectedAccount(store)?.active ?? false)
  const connected = useApp(isConnected)
  return (
    <StageBar
      title={shown ? (shown.name ?? t('unnamed')) : t('title')}
      beside={
        shown && (
          <span className="num flex min-w-0 items-center gap-2">
            {shown.calling && <Pill tone={connected ? 'good' : 'muted'}>{t('calling')}</Pill>}
            {shown.revokedAt !== null && <Pill tone="bad">{t('revoked')}</Pill>}
            {shown.gone && <Pill tone="warn">{t('gone')}</Pill>}
            <Pill tone="muted">
              <RelativeTime at={shown.asOf} did="updated" />
            </Pill>
          </span>
        )
      }
      actions={
        active && <IconButton icon={RefreshCw} label={t('refresh')} disabled={busy} onClick={() => run(refreshKeys)} />
      }
    />
  )
}

function Body({ shown }: { shown: AccountKey | null }) {
  const { t } = useTranslation('keys')
  const problem = useKeys((store) => store.problem)
  const usageProblem = useUsage((store) => store.usageProblem)
  const keys = useKeys((store) => store.keys)
  const account = useUsage(selectedAccount)
  const accountsKnown = useUsage((store) => store.accounts !== null)
  const failed = problem ?? usageProblem
  if (failed) {
    return (
      <div className="p-6">
        <ProblemNotice problem={failed} noAction />
      </div>
    )
  }
  if (!accountsKnown || (account && keys === null)) {
    return (
      <div className="stage-column">
        <StatusText>{t('loading')}</StatusText>
        <Skeleton className="h-60" />
        <div className="grid gap-6 min-[900px]:grid-cols-3">
          {['details', 'limits', 'lifetime'].map((name) => (
            <Skeleton key={name} className="h-32" />
          ))}
        </div>
      </div>
    )
  }
  if (!account || !shown) {
    return (
      <div className="flex min-h-full flex-col">
        <ConnectionNote place="keys" className="m-6 mb-0" />
        <Rejected />
        {account?.offers === 'no' ? <NoReadout /> : <Nothing connected={account !== null} />}
      </div>
    )
  }
  return (
    <div className="stage-column">
      <Offline asOf={shown.asOf} />
      <Days shown={shown} />
      <Facts shown={shown} />
      <Notice kind="info" title={t('notOffered.title')}>
        {t('notOffered.about')}
      </Notice>
    </div>
  )
}

function Offline({ asOf }: { asOf: string }) {
  const { t } = useTranslation('usage')
  const connected = useApp(isConnected)
  if (connected) return null
  return (
    <Notice kind="info" title={t('offline.title')}>
      {t('offline.about')}
      <RelativeTime at={asOf} did="updated" className="block" />
    </Notice>
  )
}

/** Why the keys can't be read although the service answers, such as a rejected API key. */
function Rejected() {
  const problem = useApp(({ app }) => (app?.connection.offline ? null : (app?.connection.problem ?? null)))
  if (!problem) return null
  return (
    <div className="m-6 mb-0">
      <ProblemNotice problem={problem} />
    </div>
  )
}

function NoReadout() {
  const { t } = useTranslation('keys')
  return (
    <EmptyState
      icon={KeyRound}
      title={t('noReadout.title')}
      action={
        <>
          <Button onClick={openConnectionSettings}>{t('noReadout.toSettings')}</Button>
          <Button onClick={() => navigate({ page: 'proxy', id: null })}>{t('noReadout.toProxy')}</Button>
        </>
      }
    >
      {t('noReadout.about')}
    </EmptyState>
  )
}

function Nothing({ connected }: { connected: boolean }) {
  const { t } = useTranslation('keys')
  return (
    <EmptyState
      icon={KeyRound}
      title={t('empty.title')}
      action={
        connected ? (
          <Button onClick={() => void refreshKeys()}>{t('refresh')}</Button>
        ) : (
          <ConnectButton label={t('empty.connect')} />
        )
      }
    >
      {t('empty.about')}
    </EmptyState>
  )
}
