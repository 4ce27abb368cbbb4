import { Popover } from 'radix-ui'
import type { ComponentProps } from 'react'
import { returnFocus } from './returnFocus.ts'

type PopoverPanelProps = Omit<ComponentProps<typeof Popover.Content>, 'onCloseAutoFocus'> & {
  /** The element that gets the focus on closing, unless the focus has moved on. Default: the trigger. */
  returnFocusTo?: () => HTMLElement | null
}

/** The panel of a `Popover.Root`, 6 px from its trigger and at least 8 px from the edges of the window. */
export function PopoverPanel({ returnFocusTo, ...props }: PopoverPanelProps) {
  return (
    <Popover.Portal>
      <Popover.Content
        sideOffset={6}
        collisionPadding={8}
        {...props}
        onCloseAutoFocus={(event) => returnFocus(event, returnFocusTo)}
      />
    </Popover.Portal>
  )
}
