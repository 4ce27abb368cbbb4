import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'
import { cx } from './cx.ts'
import { Spinner } from './Spinner.tsx'
import { Tooltip } from './Tooltip.tsx'

export type ButtonVariant = 'normal' | 'primary' | 'plain' | 'danger'

const variants: Record<ButtonVariant, string> = {
  normal: 'bg-raise text-ink shadow-[inset_0_0_0_1px_var(--line-strong)] enabled:hover:bg-hover',
  primary: 'bg-accent text-on-accent enabled:hover:bg-accent-strong',
  plain: 'text-soft enabled:hover:bg-hover enabled:hover:text-ink',
  danger: 'bg-raise text-bad shadow-[inset_0_0_0_1px_var(--line-strong)] enabled:hover:bg-bad-bg',
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant
  size?: 'small' | 'normal' | 'large'
  icon?: LucideIcon
  /** Shows a spinner instead of the icon and ignores clicks. The text stays. */
  busy?: boolean
  ref?: Ref<HTMLButtonElement>
}

const sizes = { small: 'h-6 px-2 gap-1 text-s', normal: 'h-7 px-[11px] gap-1.5 text-s', large: 'h-9 px-4 gap-2 text-m' }

export function Button({ variant = 'normal', size = 'normal', icon: Icon, busy = false, ...rest }: ButtonProps) {
  const { className, children, onClick, ...props } = rest
  return (
    <button
      type="button"
      {...props}
      // Not `disabled`, which would take the focus from who has just pressed it.
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={cx(
        'inline-flex shrink-0 items-center justify-center whitespace-nowrap rounded-m font-[540] transition-colors duration-100',
        'disabled:opacity-55 aria-disabled:opacity-55',
        sizes[size],
        variants[variant],
        className,
      )}
    >
      {busy ? <Spinner /> : Icon && <Icon aria-hidden size={15} strokeWidth={1.75} />}
      {children}
    </button>
  )
}

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  icon: LucideIcon
  /** Accessible name and tooltip. */
  label: string
  /** Shown in the tooltip, for example ⌘K. */
  shortcut?: string
  pressed?: boolean
  size?: 'small' | 'normal'
  ref?: Ref<HTMLButtonElement>
}

export function IconButton({ icon: Icon, label, shortcut, pressed, size = 'normal', ...rest }: IconButtonProps) {
  const { className, ...props } = rest
  return (
    <Tooltip text={label} {...(shortcut ? { shortcut } : {})}>
      <button
        type="button"
        {...props}
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          'inline-grid shrink-0 place-items-center rounded-m transition-colors duration-100 disabled:opacity-50',
          size === 'small' ? 'size-6' : 'size-7',
          pressed ? 'bg-hover text-ink' : 'text-soft enabled:hover:bg-hover enabled:hover:text-ink',
          className,
        )}
      >
        <Icon aria-hidden size={size === 'small' ? 14 : 16} strokeWidth={1.75} />
      </button>
    </Tooltip>
  )
}
