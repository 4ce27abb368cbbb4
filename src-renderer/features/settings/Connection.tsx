import { FlaskConical, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState, SavedProfile } from '../../../src-preload/contract/app.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { ConnectForm } from '../../shared/connect/ConnectForm.tsx'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useOffline } from '../../shared/offline/useOffline.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { ConfirmDialog, Dialog } from '../../shared/ui/Dialog.tsx'
import { ConnectionRow } from './ConnectionRow.tsx'
import { Group } from './Group.tsx'
import { MergeUsage, useEarlierAccounts } from './MergeUsage.tsx'
import { RenameConnection } from './RenameConnection.tsx'

type Asked = { what: 'add' } | { what: 'change' | 'rename' | 'merge' | 'forget'; profile: SavedProfile }
interface Refused {
  problem: Problem
  /** The connection whose key or address the person edits. */
  profile: SavedProfile | null
}

/** All connections, with the active connection marked. One click switches. Data of one connection is never sent to another. */
export function ConnectionSection({ app: { connection, profiles } }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const offline = useOffline()
  const studio = useStudio()
  const [asked, setAsked] = useState<Asked | null>(null)
  const [busy, setBusy] = useState<string | null>(null)
  const [refused, setRefused] = useState<Refused | null>(null)
  const earlier = useEarlierAccounts(profiles)
  const close = () => setAsked(null)
  const active = profiles.find((profile) => profile.active) ?? null

  const run = (what: string, profile: SavedProfile | null, action: () => Promise<unknown>) => {
    setBusy(what)
    setRefused(null)
    action()
      .catch((thrown: unknown) => setRefused({ problem: problemOf(thrown), profile }))
      .finally(() => {
        setBusy(null)
        setAsked((now) => (now?.what === 'forget' ? null : now))
      })
  }
  const test = () => run('test', active, () => studio.connection.retest())
  const use = (profile: SavedProfile) =>
    run(`use ${profile.id}`, profile, () => studio.connection.use({ id: profile.id }))
  // biome-ignore lint/correctness/useHookAtTopLevel: a procedure whose name starts like a hook's
  const sandbox = () => run('sandbox', null, () => studio.connection.useSandbox())
  const forget = (profile: SavedProfile) => run('forget', profile, () => studio.connection.remove({ id: profile.id }))
  const change = (profile: SavedProfile | null) =>
    setAsked(
      profile?.kind === 'service' && profile.keyKept !== 'environment' ? { what: 'change', profile } : { what: 'add' },
    )

  // The connection's row already shows a missing key and its action.
  const reported = active?.keyKept === 'none' ? null : connection.problem
  const shown = refused ?? (reported && { problem: reported, profile: active })
  const again = (): void => {
    if (refused?.profile && refused.profile.id !== active?.id) use(refused.profile)
    else test()
  }
  return (
    <Group>
      {profiles.length === 0 ? (
        <p className="text-soft">{t('connection.none')}</p>
      ) : (
        <ul aria-label={t('connection.list')} className="-mx-4 -mt-4 flex flex-col">
          {profiles.map((profile) => (
            <ConnectionRow
              key={profile.id}
              profile={profile}
              connection={profile.active ? connection : null}
              busy={busy}
              onUse={() => use(profile)}
              onTest={test}
              onChange={() => change(profile)}
              onRename={() => setAsked({ what: 'rename', profile })}
              onMerge={
                profile.kind === 'service' && profile.accountId !== null && earlier.length > 0
                  ? () => setAsked({ what: 'merge', profile })
                  : null
              }
              onForget={() => setAsked({ what: 'forget', profile })}
            />
          ))}
        </ul>
      )}
      {profiles.length > 0 && active === null && <p className="text-soft">{t('connection.noneActive')}</p>}
      {shown && (
        <ProblemNotice
          problem={shown.problem}
          // Only a note, because the status bar already announces on every page that the service is unreachable.
          role={offline ? 'note' : 'alert'}
          on={{ retry: again, connection: () => change(shown.profile), edit: () => change(shown.profile) }}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant={profiles.length === 0 ? 'primary' : 'normal'}
          icon={Plus}
          onClick={() => setAsked({ what: 'add' })}
        >
          {t('connection.add')}
        </Button>
        {!profiles.some(({ kind }) => kind === 'sandbox') && (
          <Button icon={FlaskConical} busy={busy === 'sandbox'} onClick={sandbox}>
            {t('connection.sandbox')}
          </Button>
        )}
      </div>
      <Dialog
        open={asked?.what === 'add'}
        onClose={close}
        title={t('connection.addTitle')}
        about={t('connection.addAbout')}
        stayOnOutsideClick
      >
        <ConnectForm named onConnected={close} onCancel={close} />
      </Dialog>
      <Dialog
        open={asked?.what === 'change'}
        onClose={close}
        title={asked?.what === 'change' ? t('connection.changeTitle', { name: asked.profile.name }) : ''}
        about={t('connection.changeAbout')}
        stayOnOutsideClick
      >
        {asked?.what === 'change' && (
          <ConnectForm
            profile={asked.profile}
            onCancel={close}
            onConnected={() => {
              close()
              setRefused(null)
            }}
          />
        )}
      </Dialog>
      <MergeUsage profile={asked?.what === 'merge' ? asked.profile : null} earlier={earlier} onClose={close} />
      <RenameConnection profile={asked?.what === 'rename' ? asked.profile : null} onClose={close} />
      <ConfirmDialog
        open={asked?.what === 'forget'}
        onClose={close}
        title={asked?.what === 'forget' ? t('connection.deleteTitle', { name: asked.profile.name }) : ''}
        about={asked?.what === 'forget' ? t(aboutForgetting(asked.profile)) : ''}
        confirm={t('connection.confirmDelete')}
        busy={busy === 'forget'}
        onConfirm={() => asked?.what === 'forget' && forget(asked.profile)}
      />
    </Group>
  )
}

function aboutForgetting({ kind, active }: SavedProfile) {
  if (kind === 'sandbox') return 'connection.deleteAboutSandbox'
  return active ? 'connection.deleteAboutActive' : 'connection.deleteAbout'
}
