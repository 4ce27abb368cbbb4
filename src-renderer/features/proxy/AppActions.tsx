import { useTranslation } from 'react-i18next'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { Client } from '../../api/connect.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '../../shared/ui/Dialog.tsx'
import { useCall } from '../../shared/useCall.ts'
import { say } from './actions.ts'

/** A confirmation dialog for an action. Stays open while the action runs, and shows its failure. */
export function Confirmed({
  ask,
  onClose,
  ...question
}: Pick<ConfirmDialogProps, 'open' | 'title' | 'about' | 'confirm' | 'onClose'> & {
  ask: (client: Client) => Promise<unknown>
}) {
  const studio = useStudio()
  const { busy, problem, run, clear } = useCall()
  const close = () => {
    clear()
    onClose()
  }
  const act = () => run(() => ask(studio).then(close))
  return (
    <ConfirmDialog {...question} onClose={close} busy={busy} onConfirm={act}>
      {problem && <ProblemNotice problem={problem} on={{ retry: act }} />}
    </ConfirmDialog>
  )
}

export type AppAction = { action: 'revoke' | 'resetSpend' | 'eraseBodies'; app: App }

const keys = { revoke: 'revoke', resetSpend: 'reset', eraseBodies: 'erase' } as const

/** The confirmation of the card menu's action that was chosen. */
export function AppActions({ asked, onClose }: { asked: AppAction | null; onClose: () => void }) {
  const { t } = useTranslation('proxy')
  const action = asked?.action ?? 'revoke'
  const { id = '', name = '' } = asked?.app ?? {}
  const act = {
    revoke: (client: Client) => client.apps.revoke({ id }),
    resetSpend: (client: Client) => client.apps.resetSpend({ id }),
    eraseBodies: async (client: Client) => {
      const { erased } = await client.requests.deleteBodies({ app: id })
      say('erased', t('apps.bodiesErased', { count: erased }))
    },
  }
  return (
    <Confirmed
      open={asked !== null}
      title={t(`apps.${keys[action]}Title`, { name })}
      about={t(`apps.${keys[action]}About`)}
      confirm={t(`apps.${keys[action]}`)}
      ask={act[action]}
      onClose={onClose}
    />
  )
}
