import { Lock } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { openPrinted } from '../api/session.ts'
import { Button } from '../shared/ui/Button.tsx'
import { EmptyState } from '../shared/ui/EmptyState.tsx'
import { Field, TextInput } from '../shared/ui/Field.tsx'
import { Form } from '../shared/ui/Form.tsx'

/** Shown when the web host does not accept this page and has never sent data to it. Takes the address that the program printed. */
export function Locked() {
  const { t } = useTranslation('shell')
  const [pasted, setPasted] = useState('')
  const [isWrong, setWrong] = useState(false)
  const form = (
    <Form
      noValidate
      className="flex w-[440px] max-w-full flex-col gap-3 text-start"
      onSubmit={() => setWrong(!openPrinted(window, pasted))}
    >
      <Field label={t('locked.address')} error={isWrong ? t('locked.wrong') : null}>
        <TextInput
          mono
          autoFocus
          autoComplete="off"
          placeholder="http://127.0.0.1:8786/#token=…"
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
        />
      </Field>
      <Button type="submit" variant="primary" className="self-center">
        {t('locked.open')}
      </Button>
    </Form>
  )
  return (
    <main className="flex h-full">
      <EmptyState icon={Lock} title={t('status.unauthorizedTitle')} action={form}>
        {t('status.unauthorizedAbout')}
      </EmptyState>
    </main>
  )
}
