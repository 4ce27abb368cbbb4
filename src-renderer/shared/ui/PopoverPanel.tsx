import { Popover } from 'radix-ui'
import type { ComponentProps } from 'react'
import { composerField } from '../composerField.ts'
import { returnFocus } from './returnFocus.ts'

type PopoverPanelProps = Omit<ComponentProps<typeof Popover.Content>, 'onCloseAutoFocus'>

/**
 * The panel of a `Popover.Root`, 6 px from its trigger and at least 8 px from the edges of the window. On closing, the focus moves to the
 * message field, or to the trigger on a page without one.
 */
export function PopoverPanel(props: PopoverPanelProps) {
  return (
    <Popover.Portal>
      <Popover.Content
        sideOffset={6}
        collisionPadding={8}
        {...props}
        onCloseAutoFocus={(event) => returnFocus(event, composerField() ? composerField : undefined)}
      />
    </Popover.Portal>
  )
}
