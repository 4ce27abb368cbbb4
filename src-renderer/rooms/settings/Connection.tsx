import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState, Connection } from '../../../src-preload/contract/app.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { ConnectForm } from '../../connect/ConnectForm.tsx'
import { showInstant } from '../../i18n/format.ts'
import { ProblemNotice } from '../../problems/ProblemNotice.tsx'
import { useStudio } from '../../studio.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx'
import { KeyValue } from '../../ui/KeyValue.tsx'
import { Pill, type PillTone } from '../../ui/Pill.tsx'

const tones: Record<Connection['state'], PillTone> = {
  none: 'muted',
  checking: 'warn',
  connected: 'good',
  failed: 'bad',
}
type Doing = 'test' | 'sandbox' | 'disconnect'

export function ConnectionSection({ app: { connection } }: { app: AppState }) {
  const { t } = useTranslation('settings')
  const studio = useStudio()
  const [doing, setDoing] = useState<Doing | null>(null)
  const [dialog, setDialog] = useState<'change' | 'disconnect' | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const { profile, state } = connection

  const run = (what: Doing) => {
    setDoing(what)
    setProblem(null)
    const deeds = {
      test: () => studio.connection.recheck(),
      // biome-ignore lint/correctness/useHookAtTopLevel: a procedure whose name begins as a hook's does
      sandbox: () => studio.connection.useSandbox(),
      disconnect: () => studio.connection.disconnect(),
    }
    deeds[what]()
      .then(() => setDialog(null))
      .catch((thrown: unknown) => {
        setDialog(null)
        setProblem(problemOf(thrown))
      })
      .finally(() => setDoing(null))
  }
  const shown = problem ?? connection.problem

  return (
    <>
      {profile ? (
        <>
          <div className="flex min-w-0 items-center gap-2">
            <span className="truncate font-semibold">{profile.name}</span>
            <Pill tone={tones[state]}>{t(`connection.state.${state}`)}</Pill>
            {connection.checkedAt && (
              <span className="ms-auto text-faint text-s">
                {t('connection.checkedAt', { at: showInstant(connection.checkedAt) })}
              </span>
            )}
          </div>
          <KeyValue
            rows={[
              {
                id: 'address',
                name: t('connection.address'),
                value: <code className="break-all font-mono">{profile.baseUrl || '—'}</code>,
              },
              { id: 'key', name: t('connection.key'), value: t(`connection.kept.${profile.keyKept}`) },
            ]}
          />
        </>
      ) : (
        <p className="text-soft">{t('connection.none')}</p>
      )}
      {shown && (
        <ProblemNotice
          problem={shown}
          on={{ retry: () => run('test'), connection: () => setDialog('change'), edit: () => setDialog('change') }}
        />
      )}
      <div className="flex flex-wrap gap-2">
        {profile && (
          <Button busy={doing === 'test' || state === 'checking'} onClick={() => run('test')}>
            {t('connection.test')}
          </Button>
        )}
        <Button look={profile ? 'normal' : 'go'} onClick={() => setDialog('change')}>
          {t(profile ? 'connection.change' : 'connection.connect')}
        </Button>
        {profile?.kind !== 'sandbox' && (
          <Button busy={doing === 'sandbox'} onClick={() => run('sandbox')}>
            {t('connection.sandbox')}
          </Button>
        )}
        {profile && (
          <Button look="danger" className="ms-auto" onClick={() => setDialog('disconnect')}>
            {t('connection.disconnect')}
          </Button>
        )}
      </div>
      <Dialog
        open={dialog === 'change'}
        onClose={() => setDialog(null)}
        title={t('connection.changeTitle')}
        about={profile && t('connection.changeAbout')}
        stayOnOutsideClick
      >
        <ConnectForm
          baseUrl={profile?.kind === 'service' ? profile.baseUrl : ''}
          onConnected={() => {
            setDialog(null)
            setProblem(null)
          }}
        />
      </Dialog>
      <ConfirmDialog
        open={dialog === 'disconnect'}
        onClose={() => setDialog(null)}
        title={t('connection.disconnectTitle', { name: profile?.name ?? '' })}
        about={t('connection.disconnectAbout')}
        confirm={t('connection.disconnect')}
        busy={doing === 'disconnect'}
        onConfirm={() => run('disconnect')}
      />
    </>
  )
}
