import { Tooltip as Radix } from 'radix-ui'
import { type ReactNode, use } from 'react'
import { Kbd } from './Kbd.tsx'
import { LayerContext } from './layer.ts'

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Radix.Provider delayDuration={450} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
)

/** One or two words on hover and focus. The same information must also be available elsewhere. */
export function Tooltip({ text, shortcut, children }: { text: string; shortcut?: string; children: ReactNode }) {
  const layer = use(LayerContext)
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal container={layer}>
        <Radix.Content
          sideOffset={5}
          collisionPadding={8}
          className="z-50 flex max-w-72 animate-appear items-center gap-2 rounded-s bg-ink px-2 py-1 text-bg text-s shadow-large"
        >
          {text}
          {shortcut && <Kbd quiet>{shortcut}</Kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
