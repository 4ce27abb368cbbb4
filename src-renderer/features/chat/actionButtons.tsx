import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes } from 'react'

interface ActionProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  icon: LucideIcon
  label: string
  /** Names the button, so that `actionOf` finds it in its message. */
  action?: string
}

/** A button of a message that shows only its icon. Its label is the tooltip too. */
export function ActionButton({ icon: Icon, label, action, ...rest }: ActionProps) {
  return (
    <button type="button" className="chat-icon" data-action={action} aria-label={label} title={label} {...rest}>
      <Icon aria-hidden />
    </button>
  )
}

/** A small button with an icon and its label, below a message. */
export function SmallButton({ icon: Icon, label, action, ...rest }: ActionProps) {
  return (
    <button type="button" className="chat-btn chat-small" data-action={action} {...rest}>
      <Icon aria-hidden /> {label}
    </button>
  )
}
