import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes } from 'react'

interface ActionProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  icon: LucideIcon
  label: string
  /** The name by which `siblingAction` finds the button in its message. */
  action?: string
}

/** A button of a message that shows only its icon. The label is also the tooltip. */
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
