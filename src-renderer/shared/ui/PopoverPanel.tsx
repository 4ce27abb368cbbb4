import { Popover } from 'radix-ui'
import type { ComponentProps } from 'react'

/** The panel of a `Popover.Root`, 6 px from its trigger and at least 8 px from the edges of the window. */
export function PopoverPanel(props: ComponentProps<typeof Popover.Content>) {
  return (
    <Popover.Portal>
      <Popover.Content sideOffset={6} collisionPadding={8} {...props} />
    </Popover.Portal>
  )
}
