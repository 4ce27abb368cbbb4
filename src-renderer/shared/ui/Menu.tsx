import { Check, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, use } from 'react'
import { cx } from './cx.ts'
import { LayerContext } from './layer.ts'
import { returnFocus } from './returnFocus.ts'

/** A few actions behind the button `trigger`. Arrow keys move through them. */
export function Menu({
  trigger,
  align = 'end',
  open,
  onOpenChange,
  onCloseAutoFocus,
  children,
}: {
  trigger: ReactNode
  /** Whether the menu is open, for an owner that opens it without the trigger. */
  open?: boolean
  onOpenChange?: (open: boolean) => void
  align?: 'start' | 'end'
  /** Called before the menu returns the focus to its trigger. `preventDefault` keeps the focus. */
  onCloseAutoFocus?: (event: Event) => void
  children: ReactNode
}) {
  const layer = use(LayerContext)
  return (
    <DropdownMenu.Root modal={false} {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={layer}>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            onCloseAutoFocus?.(event)
            if (!event.defaultPrevented) returnFocus(event)
          }}
          className="z-40 min-w-44 animate-appear rounded-m bg-raise p-1 text-s shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)]"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface MenuItemProps {
  icon: LucideIcon
  label: ReactNode
  danger?: boolean
  onSelect: () => void
}

export function MenuItem(props: MenuItemProps) {
  const Icon = props.icon
  return (
    <DropdownMenu.Item
      onSelect={props.onSelect}
      className={cx(
        'flex h-7 select-none items-center gap-2 rounded-s px-2 outline-none data-[highlighted]:bg-hover',
        props.danger ? 'text-bad' : 'text-ink',
      )}
    >
      <Icon aria-hidden size={14} strokeWidth={1.75} className="shrink-0" />
      {props.label}
    </DropdownMenu.Item>
  )
}

/** A choice of one of several values. */
export function MenuChoices(props: {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}) {
  return (
    <DropdownMenu.RadioGroup aria-label={props.label} value={props.value} onValueChange={props.onChange}>
      {props.children}
    </DropdownMenu.RadioGroup>
  )
}

export function MenuChoice({ value, beside, children }: { value: string; beside?: string; children: ReactNode }) {
  return (
    <DropdownMenu.RadioItem
      value={value}
      className="flex h-7 max-w-[420px] select-none items-center gap-2 rounded-s px-2 text-ink outline-none data-[highlighted]:bg-hover"
    >
      <span className="grid size-[14px] shrink-0 place-items-center">
        <DropdownMenu.ItemIndicator>
          <Check aria-hidden size={14} strokeWidth={2} className="text-accent" />
        </DropdownMenu.ItemIndicator>
      </span>
      <span dir="auto" className="min-w-0 truncate">
        {children}
      </span>
      {beside !== undefined && <span className="ms-auto min-w-0 truncate ps-4 text-faint">{beside}</span>}
    </DropdownMenu.RadioItem>
  )
}

export const MenuLine = () => <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />
