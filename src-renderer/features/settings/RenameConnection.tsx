import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SavedProfile } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { RenameDialog } from '../../shared/ui/RenameDialog.tsx'

/** Renames a connection. The field shows an error for a name that exists. */
export function RenameConnection({ profile, onClose }: { profile: SavedProfile | null; onClose: () => void }) {
  const { t } = useTranslation('settings')
  const studio = useStudio()
  const [refused, setRefused] = useState<string | null>(null)
  const close = () => {
    setRefused(null)
    onClose()
  }
  const rename = (name: string) => {
    if (!profile) return
    studio.connection.rename({ id: profile.id, name }).then(close, (thrown: unknown) => {
      const { kind, message } = problemOf(thrown)
      setRefused(kind === 'bad_input' ? t('connection.nameTaken', { name }) : message)
    })
  }
  return (
    <RenameDialog
      name={profile?.name ?? null}
      onClose={close}
      title={t('connection.renameTitle')}
      label={t('connection.name')}
      save={t('connection.save')}
      maxLength={80}
      error={refused}
      onChange={() => setRefused(null)}
      onName={rename}
    />
  )
}
