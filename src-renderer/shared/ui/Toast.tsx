import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from './Button.tsx'

export interface ToastItem {
  id: string
  text: string
  /** One action, for example Undo. */
  action?: { label: string; onClick: () => void }
}

/** Contains the page, and the toasts below its title bar, where they cover neither a message field nor Send. A toast disappears after six seconds. */
export function Toasts({
  items,
  onGone,
  children,
}: {
  items: ToastItem[]
  onGone: (id: string) => void
  children: ReactNode
}) {
  const { t } = useTranslation('common')
  return (
    <Radix.Provider duration={6000} label={t('notification')}>
      {children}
      {items.map(({ id, text, action }) => (
        <Radix.Root
          key={id}
          onOpenChange={(open) => {
            if (!open) onGone(id)
          }}
          className="flex animate-appear items-center gap-3 rounded-m bg-raise py-2 pe-2 ps-3.5 shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)]"
        >
          <Radix.Description className="min-w-0 flex-1">{text}</Radix.Description>
          {action && (
            <Radix.Action
              altText={action.label}
              onClick={action.onClick}
              className="rounded-s px-1.5 font-semibold text-accent text-s"
            >
              {action.label}
            </Radix.Action>
          )}
          <Radix.Close asChild>
            <IconButton icon={X} size="small" label={t('close')} />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport
        label={t('notification')}
        className="fixed end-4 top-14 z-50 flex w-[min(360px,calc(100vw-32px))] flex-col gap-2 outline-none"
      />
    </Radix.Provider>
  )
}
