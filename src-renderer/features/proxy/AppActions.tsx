import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { Client } from '../../api/connect.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { useCall } from '../../shared/useCall.ts'
import { say } from './actions.ts'

/** A confirmation dialog for an action. Stays open while the action runs, and shows its failure. */
export function Confirmed(props: {
  open: boolean
  title: string
  about: ReactNode
  confirm: string
  ask: (client: Client) => Promise<unknown>
  onClose: () => void
}) {
  const studio = useStudio()
  const { busy, problem, run, clear } = useCall()
  const close = () => {
    clear()
    props.onClose()
  }
  const act = () => run(() => props.ask(studio).then(close))
  return (
    <ConfirmDialog
      open={props.open}
      onClose={close}
      title={props.title}
      about={props.about}
      confirm={props.confirm}
      busy={busy}
      onConfirm={act}
    >
      {problem && <ProblemNotice problem={problem} on={{ retry: act }} />}
    </ConfirmDialog>
  )
}

export type AppAction = { action: 'revoke' | 'resetSpend' | 'eraseBodies'; tool: App }

/** The dialogs of the card menu's actions that need confirmation. */
export function AppActions({ asked, onClose }: { asked: AppAction | null; onClose: () => void }) {
  const { t } = useTranslation('proxy')
  const { id = '', name = '' } = asked?.tool ?? {}
  const erase = async (client: Client) => {
    const { erased } = await client.requests.deleteBodies({ app: id })
    say('erased', t('apps.bodiesErased', { count: erased }))
  }
  return (
    <>
      <Confirmed
        open={asked?.action === 'revoke'}
        title={t('apps.revokeTitle', { name })}
        about={t('apps.revokeAbout')}
        confirm={t('apps.revoke')}
        ask={(client) => client.apps.revoke({ id })}
        onClose={onClose}
      />
      <Confirmed
        open={asked?.action === 'resetSpend'}
        title={t('apps.resetTitle', { name })}
        about={t('apps.resetAbout')}
        confirm={t('apps.reset')}
        ask={(client) => client.apps.resetSpend({ id })}
        onClose={onClose}
      />
      <Confirmed
        open={asked?.action === 'eraseBodies'}
        title={t('apps.eraseTitle', { name })}
        about={t('apps.eraseAbout')}
        confirm={t('apps.erase')}
        ask={erase}
        onClose={onClose}
      />
    </>
  )
}
