import { CloudOff, KeyRound, type LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OutboxKind } from '../../../src-preload/contract/outbox.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { useApp } from '../../stores/app.ts'
import { openConnectionSettings } from '../navigation.ts'
import { useStudio } from '../studioContext.ts'
import { Button } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { plainText } from '../ui/plainText.ts'
import { attempt } from './actions.ts'
import { useOffline, useReconnect } from './useOffline.ts'

export interface ConnectionNoteProps {
  /** The action or page that needs the network. */
  place: 'chat' | 'keys' | OutboxKind
  /** Adds the request to the outbox. Null: nothing to add yet. Absent: the request cannot wait. */
  onWait?: (() => Promise<unknown>) | null
  className?: string
}

/**
 * A note for an action that needs the service, with alternatives, while it is unreachable or rejects the API key. Empty while the service
 * answers.
 */
export function ConnectionNote(props: ConnectionNoteProps) {
  const offline = useOffline()
  const isKeyRejected = useApp(({ app }) => app?.connection.problem?.kind === 'unauthorized')
  if (offline) return <OfflineNote {...props} />
  // Keys says this with the service's own message.
  return isKeyRejected && props.place !== 'keys' ? <KeyNote className={props.className} /> : null
}

function OfflineNote({ place, onWait, className }: ConnectionNoteProps) {
  const { t } = useTranslation('offline')
  const [busy, setBusy] = useState(false)
  const wait = (): void => {
    if (!onWait || busy) return
    setBusy(true)
    void onWait().finally(() => setBusy(false))
  }
  return (
    <Note icon={CloudOff} text={t(`note.${place}`)} className={className}>
      {onWait !== undefined && (
        <Button size="small" busy={busy} disabled={onWait === null} onClick={wait}>
          {t('wait')}
        </Button>
      )}
    </Note>
  )
}

function KeyNote({ className }: { className: string | undefined }) {
  const { t } = useTranslation('offline')
  const name = useApp(({ app }) => app?.connection.profile?.name ?? '')
  return (
    <Note icon={KeyRound} text={t('note.keyRejected', { name: plainText(name) })} className={className}>
      <Button size="small" onClick={openConnectionSettings}>
        {t('checkKey')}
      </Button>
    </Note>
  )
}

interface NoteProps {
  icon: LucideIcon
  text: string
  className: string | undefined
  /** Actions before "Check now". */
  children: ReactNode
}

function Note({ icon: Icon, text, className, children }: NoteProps) {
  const { t } = useTranslation('offline')
  const { reconnect, checking } = useReconnect()
  return (
    <div
      role="note"
      className={cx(
        'flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5 rounded-m bg-hover px-3 py-2 text-s',
        className,
      )}
    >
      <Icon aria-hidden size={15} strokeWidth={1.75} className="shrink-0 text-warn" />
      <p className="min-w-[min(220px,100%)] flex-1 basis-0 text-soft">{text}</p>
      <span className="ms-auto flex flex-wrap items-center gap-x-1 gap-y-1.5">
        {children}
        <Button size="small" variant="plain" busy={checking} onClick={reconnect}>
          {t(checking ? 'checking' : 'checkNow')}
        </Button>
      </span>
    </div>
  )
}

/** Offers the outbox for a request that failed before anything left this computer, so that nothing runs twice. */
export function WaitInstead({ what, id, problem }: { what: OutboxKind; id: string; problem: Problem | null }) {
  const { t } = useTranslation('offline')
  const studio = useStudio()
  const [busy, setBusy] = useState(false)
  if (problem?.unsent !== true) return null
  const again = (): void => {
    setBusy(true)
    void attempt(() => studio.outbox.requeue({ what, id })).finally(() => setBusy(false))
  }
  return (
    <Button size="small" busy={busy} title={t('waitAbout')} onClick={again}>
      {t('wait')}
    </Button>
  )
}
