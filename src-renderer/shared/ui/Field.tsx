import { Eye, EyeOff } from 'lucide-react'
import { createContext, type InputHTMLAttributes, type ReactNode, type Ref, use, useId, useState } from 'react'
import { IconButton } from './Button.tsx'
import { cx } from './cx.ts'

interface FieldIds {
  control: string
  describedBy: string | undefined
  invalid: boolean
}
const FieldContext = createContext<FieldIds | null>(null)

export interface FieldProps {
  label: string
  hint?: ReactNode
  /** Replaces the hint, in red, and marks the control as invalid. */
  error?: ReactNode
  /** Hides the label visually, not from screen readers. */
  quietLabel?: boolean
  children: ReactNode
}

/** A label, one control, and a hint or an error, connected for screen readers. */
export function Field({ label, hint, error, quietLabel = false, children }: FieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <FieldContext value={{ control: id, describedBy: note ? `${id}-note` : undefined, invalid: Boolean(error) }}>
      <div className="flex min-w-0 flex-col gap-1.5">
        <label htmlFor={id} className={quietLabel ? 'sr-only' : 'font-[540] text-s'}>
          {label}
        </label>
        {children}
        {note && (
          <div id={`${id}-note`} className={cx('text-s', error ? 'text-bad' : 'text-faint')}>
            {note}
          </div>
        )}
      </div>
    </FieldContext>
  )
}

/** A name before a control that has the same accessible name, in one row that wraps. */
export function InlineField({
  label,
  className,
  children,
}: {
  label: string
  className?: string
  children: ReactNode
}) {
  return (
    <div className={cx('flex flex-wrap items-center gap-x-3 gap-y-2', className)}>
      <span aria-hidden className="font-[540] text-s">
        {label}
      </span>
      {children}
    </div>
  )
}

/** Connects a control to the `Field` around it, if any. */
export function useFieldProps() {
  const field = use(FieldContext)
  if (!field) return {}
  return {
    id: field.control,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.invalid || undefined,
  }
}

const box =
  'h-8 w-full min-w-0 rounded-m bg-raise px-2.5 text-m text-ink shadow-[inset_0_0_0_1px_var(--line-strong)] transition-shadow ' +
  'focus-visible:outline-2 focus-visible:outline-accent focus-visible:outline-offset-[-1px] disabled:opacity-55 ' +
  'aria-invalid:shadow-[inset_0_0_0_1px_var(--bad)]'

/** What a text field has besides the attributes of its element. */
export interface TextControlProps<Control> {
  /** For addresses, keys and code. */
  mono?: boolean
  ref?: Ref<Control>
}

export type TextInputProps = InputHTMLAttributes<HTMLInputElement> & TextControlProps<HTMLInputElement>

export function TextInput({ mono = false, className, ...props }: TextInputProps) {
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      // Addresses, keys and code read from left to right in every language, other texts as their first letter does.
      dir={mono ? 'ltr' : 'auto'}
      {...useFieldProps()}
      {...props}
      className={cx(box, mono && 'font-mono text-s', className)}
    />
  )
}

/** A secret: hidden until revealed, never offered to a password manager. */
export function PasswordInput({
  showLabel,
  hideLabel,
  ...props
}: TextInputProps & { showLabel: string; hideLabel: string }) {
  const [shown, setShown] = useState(false)
  const { className, ...rest } = props
  return (
    <div className="relative">
      <TextInput
        mono
        {...rest}
        type={shown ? 'text' : 'password'}
        autoComplete="off"
        autoCapitalize="off"
        data-1p-ignore
        data-lpignore="true"
        className={cx('pe-9', className)}
      />
      <span className="absolute top-1 end-1">
        <IconButton
          icon={shown ? EyeOff : Eye}
          size="small"
          label={shown ? hideLabel : showLabel}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        />
      </span>
    </div>
  )
}

export function Checkbox({
  label,
  ...props
}: Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & { label: ReactNode }) {
  return (
    <label className="flex items-start gap-2 text-s">
      <input type="checkbox" {...props} className="mt-[3px] size-3.5 shrink-0 accent-accent" />
      <span className="min-w-0">{label}</span>
    </label>
  )
}
