import { Check, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, use } from 'react'
import { cx } from './cx.ts'
import { LayerContext } from './layer.ts'

const panel =
  'z-40 max-h-[min(420px,var(--radix-dropdown-menu-content-available-height))] min-w-44 max-w-80 overflow-y-auto rounded-m bg-raise p-1 ' +
  'animate-appear shadow-[0_0_0_1px_var(--line-strong),var(--shadow-large)]'
const row =
  'flex h-7 w-full cursor-default select-none items-center gap-2 rounded-s px-2 text-m outline-none data-[highlighted]:bg-hover ' +
  'data-[disabled]:opacity-50'

export interface MenuItem {
  id: string
  label: ReactNode
  icon?: LucideIcon
  danger?: boolean
  disabled?: boolean
  onSelect: () => void
}

// Not modal: the modal kind locks scrolling with an injected <style>, which the content security policy refuses.
export function Menu({
  trigger,
  items,
  align = 'end',
}: {
  trigger: ReactNode
  items: MenuItem[]
  align?: 'start' | 'end'
}) {
  const layer = use(LayerContext)
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={layer}>
        <DropdownMenu.Content align={align} sideOffset={5} collisionPadding={8} className={panel}>
          {items.map(({ id, label, icon: Icon, danger, disabled, onSelect }) => (
            <DropdownMenu.Item
              key={id}
              disabled={disabled ?? false}
              onSelect={onSelect}
              className={cx(row, danger && 'text-bad')}
            >
              {Icon && <Icon aria-hidden size={15} strokeWidth={1.75} />}
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export interface Choice {
  value: string
  label: string
  /** One quiet line under the label. */
  note?: string
}

/** One of several, from a button that shows the present one. */
export function ChoiceMenu(props: {
  trigger: ReactNode
  value: string | null
  choices: Choice[]
  onChange: (value: string) => void
  /** Said where there is nothing to choose from. */
  empty?: ReactNode
  align?: 'start' | 'end'
}) {
  const layer = use(LayerContext)
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{props.trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={layer}>
        <DropdownMenu.Content align={props.align ?? 'end'} sideOffset={5} collisionPadding={8} className={panel}>
          {props.choices.length === 0 && <div className="px-2 py-1.5 text-s text-soft">{props.empty}</div>}
          <DropdownMenu.RadioGroup value={props.value ?? ''} onValueChange={props.onChange}>
            {props.choices.map((choice) => (
              <DropdownMenu.RadioItem
                key={choice.value}
                value={choice.value}
                className={cx(row, choice.note && 'h-auto py-1')}
              >
                <span className="min-w-0 flex-1">
                  <span className="block truncate">{choice.label}</span>
                  {choice.note && <span className="block truncate text-faint text-s">{choice.note}</span>}
                </span>
                <DropdownMenu.ItemIndicator>
                  <Check aria-hidden size={15} className="text-accent" />
                </DropdownMenu.ItemIndicator>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
