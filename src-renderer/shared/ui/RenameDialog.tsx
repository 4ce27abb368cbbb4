import { useId, useRef } from 'react'
import { Button } from './Button.tsx'
import { Dialog, type DialogProps } from './Dialog.tsx'
import { Field, TextInput } from './Field.tsx'
import { Form } from './Form.tsx'

interface RenameDialogProps extends Pick<DialogProps, 'title' | 'about' | 'onClose'> {
  /** The present name. Null closes the dialog. */
  name: string | null
  label: string
  save: string
  maxLength: number
  /** Why the last name was refused. */
  error?: string | null
  onChange?: () => void
  /** Called with a name that is not empty. */
  onName: (name: string) => void
}

/** Asks for another name of something. */
export function RenameDialog({ name, label, save, maxLength, error, onChange, onName, ...dialog }: RenameDialogProps) {
  const form = useId()
  const field = useRef<HTMLInputElement>(null)
  const submit = () => {
    const typed = field.current?.value.trim() ?? ''
    if (typed !== '') onName(typed)
  }
  return (
    <Dialog
      {...dialog}
      open={name !== null}
      footer={
        <Button variant="primary" type="submit" form={form}>
          {save}
        </Button>
      }
    >
      {name !== null && (
        <Form id={form} onSubmit={submit}>
          <Field label={label} {...(error === undefined ? {} : { error })}>
            <TextInput ref={field} defaultValue={name} maxLength={maxLength} required onChange={onChange} />
          </Field>
        </Form>
      )}
    </Dialog>
  )
}
