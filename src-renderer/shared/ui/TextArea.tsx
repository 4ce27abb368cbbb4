import type { TextareaHTMLAttributes } from 'react'
import { cx } from './cx.ts'
import { type TextControlProps, useFieldProps } from './Field.tsx'

export type TextAreaProps = TextareaHTMLAttributes<HTMLTextAreaElement> & TextControlProps<HTMLTextAreaElement>

/** A multi-line field that grows with its text up to a limit. In browsers without support for this, `rows` sets the height. */
export function TextArea({ mono = false, className, ...props }: TextAreaProps) {
  return (
    <textarea
      autoComplete="off"
      spellCheck={!mono}
      dir={mono ? 'ltr' : 'auto'}
      {...useFieldProps()}
      {...props}
      className={cx(
        'field-sizing-content max-h-[40vh] min-h-16 w-full min-w-0 resize-y rounded-m bg-raise px-2.5 py-1.5 text-ink text-m',
        'shadow-[inset_0_0_0_1px_var(--line-strong)] transition-shadow aria-invalid:shadow-[inset_0_0_0_1px_var(--bad)]',
        'focus-visible:outline-2 focus-visible:outline-accent focus-visible:outline-offset-[-1px] disabled:opacity-55',
        mono && 'whitespace-pre font-mono text-s',
        className,
      )}
    />
  )
}
