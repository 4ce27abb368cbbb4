import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SavedProfile } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'

/** Renames a connection. The field shows an error for a name that exists. */
export function RenameConnection({ profile, onClose }: { profile: SavedProfile | null; onClose: () => void }) {
  const { t } = useTranslation('settings')
  const studio = useStudio()
  const field = useRef<HTMLInputElement>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const close = () => {
    setRefused(null)
    onClose()
  }
  const submit = (id: string) => {
    const name = field.current?.value.trim() ?? ''
    if (name === '') return
    studio.connection.rename({ id, name }).then(close, (thrown: unknown) => {
      const { kind, message } = problemOf(thrown)
      setRefused(kind === 'bad_input' ? t('connection.nameTaken', { name }) : message)
    })
  }
  return (
    <Dialog
      open={profile !== null}
      onClose={close}
      title={t('connection.renameTitle')}
      footer={
        <Button variant="primary" type="submit" form="connection-rename">
          {t('connection.save')}
        </Button>
      }
    >
      {profile && (
        <form
          id="connection-rename"
          onSubmit={(event) => {
            event.preventDefault()
            submit(profile.id)
          }}
        >
          <Field label={t('connection.name')} error={refused}>
            <TextInput
              ref={field}
              defaultValue={profile.name}
              maxLength={80}
              required
              onChange={() => setRefused(null)}
            />
          </Field>
        </form>
      )}
    </Dialog>
  )
}
