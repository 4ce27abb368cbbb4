import { useState } from 'react'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { WithSc } from '../../shared/ui/WithSc.tsx'

interface TypedFieldProps<T extends string | number | null> {
  label: string
  hint: string
  /** The error for text that `read` rejects. */
  bad: string
  value: T
  read: (typed: string) => T | undefined
  onSave: (value: T) => void
  inputMode: 'decimal' | 'numeric'
  className: string
  unit?: string
}

/** A short value, saved on Enter or blur when valid. Updates when another window or page changes the value. */
export function TypedField<T extends string | number | null>(props: TypedFieldProps<T>) {
  const { label, hint, bad, value, read, onSave, inputMode, className, unit } = props
  const [typed, setTyped] = useState(String(value ?? ''))
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    setTyped(String(value ?? ''))
  }
  const parsed = read(typed)
  const saveTyped = (): void => {
    if (parsed === undefined) return
    // Shows the value as it was understood.
    setTyped(String(parsed ?? ''))
    if (parsed !== value) onSave(parsed)
  }
  return (
    <Form onSubmit={saveTyped}>
      <Field label={label} hint={hint} error={parsed === undefined ? bad : null}>
        <span className="flex items-center gap-2">
          <TextInput
            inputMode={inputMode}
            className={`num ${className}`}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={saveTyped}
          />
          {unit && (
            <span className="text-s text-soft">
              <WithSc text={unit} />
            </span>
          )}
        </span>
      </Field>
    </Form>
  )
}

type WholeNumberFieldProps = Omit<TypedFieldProps<number>, 'inputMode' | 'className' | 'read'> & {
  /** The number, or null for text that is not a valid one. */
  parse: (typed: string) => number | null
}

/** A whole number, saved on Enter or blur when valid. */
export const WholeNumberField = ({ parse, ...field }: WholeNumberFieldProps) => (
  <TypedField {...field} read={(typed) => parse(typed) ?? undefined} inputMode="numeric" className="max-w-28" />
)
