import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SavedProfile } from '../../../src-preload/contract/app.ts'
import { type Account, sandboxAddress } from '../../../src-preload/contract/usage.ts'
import { problemOf } from '../../api/problem.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { showToast } from '../../shared/toasts.ts'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { Field } from '../../shared/ui/Field.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { useUsage } from '../../stores/usage.ts'

/** The accounts that no connection uses any more. */
export function useEarlierAccounts(profiles: readonly SavedProfile[]): Account[] {
  const accounts = useUsage((store) => store.accounts) ?? []
  const used = new Set(profiles.map(({ accountId }) => accountId))
  return accounts.filter(({ id, active, baseUrl }) => !active && !used.has(id) && baseUrl !== sandboxAddress)
}

/** Adds the usage of an earlier account to that of a connection, for example after its address has changed. */
export function MergeUsage(props: { profile: SavedProfile | null; earlier: readonly Account[]; onClose: () => void }) {
  const { t } = useTranslation('settings')
  const studio = useStudio()
  const { profile, earlier, onClose } = props
  const [picked, setPicked] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const from = earlier.find(({ id }) => id === picked) ?? earlier[0]
  const name = profile?.name ?? ''
  const merge = (): void => {
    if (!from || !profile?.accountId) return
    setBusy(true)
    studio.usage
      .merge({ from: from.id, into: profile.accountId })
      .then(() => showToast({ id: 'merged', text: t('connection.merged', { earlier: from.name, name }) }))
      .catch((thrown: unknown) => showToast({ id: 'merged', text: problemOf(thrown).message }))
      .finally(() => {
        setBusy(false)
        onClose()
      })
  }
  return (
    <ConfirmDialog
      open={profile !== null && from !== undefined}
      onClose={onClose}
      title={t('connection.mergeTitle', { name })}
      about={t('connection.mergeAbout', { name })}
      confirm={t('connection.mergeConfirm')}
      busy={busy}
      onConfirm={merge}
    >
      <Field label={t('connection.mergeFrom')}>
        <Select
          value={from?.id ?? ''}
          onPick={setPicked}
          choices={earlier.map(({ id, name: called, baseUrl }) => ({ value: id, label: `${called} · ${baseUrl}` }))}
        />
      </Field>
    </ConfirmDialog>
  )
}
