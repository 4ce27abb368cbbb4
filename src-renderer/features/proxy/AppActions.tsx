import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { say } from './actions.ts'

/** Asks before an action, stays open while it runs, and shows a failure. */
export function Confirmed(props: {
  open: boolean
  title: string
  about: ReactNode
  confirm: string
  ask: (client: Client) => Promise<unknown>
  onClose: () => void
}) {
  const studio = useStudio()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const close = () => {
    setProblem(null)
    props.onClose()
  }
  const act = () => {
    setBusy(true)
    setProblem(null)
    props
      .ask(studio)
      .then(close)
      .catch((thrown: unknown) => setProblem(problemOf(thrown)))
      .finally(() => setBusy(false))
  }
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
    say('erased', t('tools.bodiesErased', { count: erased }))
  }
  return (
    <>
      <Confirmed
        open={asked?.action === 'revoke'}
        title={t('tools.revokeTitle', { name })}
        about={t('tools.revokeAbout')}
        confirm={t('tools.revoke')}
        ask={(client) => client.apps.revoke({ id })}
        onClose={onClose}
      />
      <Confirmed
        open={asked?.action === 'resetSpend'}
        title={t('tools.resetTitle', { name })}
        about={t('tools.resetAbout')}
        confirm={t('tools.reset')}
        ask={(client) => client.apps.resetSpend({ id })}
        onClose={onClose}
      />
      <Confirmed
        open={asked?.action === 'eraseBodies'}
        title={t('tools.eraseTitle', { name })}
        about={t('tools.eraseAbout')}
        confirm={t('tools.erase')}
        ask={erase}
        onClose={onClose}
      />
    </>
  )
}
