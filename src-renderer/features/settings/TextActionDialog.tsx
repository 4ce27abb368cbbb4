import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TextAction } from '../../../src-preload/contract/app.ts'
import { builtInAction, nameOf } from '../../shared/textActions/builtIn.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { FormDialog } from '../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { TextArea } from '../../shared/ui/TextArea.tsx'
import { useFirstInvalid } from '../../shared/useCall.ts'

/** The action that the dialog edits. Null: a new one. */
export interface ActionDraft {
  action: TextAction | null
}

interface ActionFormProps {
  actions: readonly TextAction[]
  onSave: (action: TextAction) => void
}

/** Edits the name and the prompt of a text action. */
export function TextActionDialog(props: ActionFormProps & { draft: ActionDraft | null; onClose: () => void }) {
  const { t } = useTranslation('textActions')
  const { draft, onClose } = props
  return (
    <FormDialog
      open={draft !== null}
      onClose={onClose}
      title={t(draft?.action ? 'settings.editTitle' : 'settings.addTitle')}
    >
      {draft && <ActionForm {...props} action={draft.action} />}
    </FormDialog>
  )
}

function ActionForm({
  action,
  actions,
  onSave,
  onClose,
}: ActionFormProps & { action: TextAction | null; onClose: () => void }) {
  const { t } = useTranslation(['textActions', 'common'])
  const [name, setName] = useState(action ? nameOf(action) : '')
  const [prompt, setPrompt] = useState(action?.prompt ?? '{{selection}}')
  const [errors, setErrors] = useState<{ name?: string; prompt?: string }>({})
  const element = useFirstInvalid<HTMLFormElement>(errors)
  const builtIn = action ? builtInAction(action.id) : undefined
  const submit = (): void => {
    const given = name.trim()
    const isTaken = actions.some((one) => one.id !== action?.id && nameOf(one).toLowerCase() === given.toLowerCase())
    const found = {
      ...(given === '' ? { name: t('settings.needName') } : isTaken ? { name: t('settings.taken') } : {}),
      ...(prompt.trim() === '' ? { prompt: t('settings.needPrompt') } : {}),
    }
    setErrors(found)
    if (Object.keys(found).length > 0) return
    // An unchanged name stays in the language of the window.
    const isBuiltInName = builtIn !== undefined && given === nameOf(builtIn)
    onSave({ id: action?.id ?? crypto.randomUUID(), name: isBuiltInName ? '' : given, prompt })
  }
  return (
    <Form ref={element} noValidate className="flex flex-col gap-4" onSubmit={submit}>
      <Field label={t('settings.name')} error={errors.name ?? null}>
        <TextInput value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field
        label={t('settings.prompt')}
        hint={t('settings.promptHint', { selection: '{{selection}}', language: '{{language}}' })}
        error={errors.prompt ?? null}
      >
        <TextArea rows={9} value={prompt} maxLength={20_000} onChange={(event) => setPrompt(event.target.value)} />
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        {builtIn && prompt !== builtIn.prompt && (
          <Button className="me-auto" onClick={() => setPrompt(builtIn.prompt)}>
            {t('settings.restore')}
          </Button>
        )}
        <Button onClick={onClose}>{t('common:cancel')}</Button>
        <Button variant="primary" type="submit">
          {t('settings.save')}
        </Button>
      </div>
    </Form>
  )
}
