import { Bell as BellIcon } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { alertsStore, holding, isGrave, useAlerts } from '../../stores/alerts.ts'
import { cx } from '../ui/cx.ts'
import { PopoverPanel } from '../ui/PopoverPanel.tsx'
import { StatusText } from '../ui/StatusText.tsx'
import { AlertList } from './AlertList.tsx'
import { alertTexts } from './messages.ts'

/** A button with the number of active alerts, which opens their list. Never moves or blinks. */
export function Bell() {
  const { t } = useTranslation('alerts')
  const count = useAlerts(holding)
  const grave = useAlerts(({ alerts }) => alerts?.some((one) => one.endedAt === null && isGrave(one)) ?? false)
  const shown = useAlerts((store) => store.shown)
  const words = count === 0 ? t('bellNone') : t('bell', { count })
  return (
    <Popover.Root open={shown} onOpenChange={(next) => alertsStore.setState({ shown: next })}>
      <Popover.Trigger
        aria-label={words}
        title={words}
        className={cx(
          'num flex h-full shrink-0 items-center gap-1 rounded-s px-2 hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px]',
          count > 0 && (grave ? 'text-bad' : 'text-warn'),
        )}
      >
        <BellIcon aria-hidden size={13} strokeWidth={1.75} />
        {count > 0 && <span aria-hidden>{count}</span>}
      </Popover.Trigger>
      <News />
      <PopoverPanel
        align="end"
        side="top"
        aria-label={t('title')}
        // Focuses the list, not its first button, which would dismiss all alerts.
        onOpenAutoFocus={(event) => {
          event.preventDefault()
          if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
        }}
        className="z-40 flex max-h-[min(520px,calc(100vh-60px))] w-[min(380px,calc(100vw-16px))] animate-appear flex-col overflow-hidden rounded-l bg-raise text-ink outline-none shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)]"
      >
        <AlertList onGone={() => alertsStore.setState({ shown: false })} />
      </PopoverPanel>
    </Popover.Root>
  )
}

/** Announces new alerts to screen readers, politely. */
function News() {
  const { t } = useTranslation('alerts')
  const last = useAlerts(({ news }) => news.at(-1) ?? null)
  return <StatusText>{last && t('news', { title: alertTexts(last.facts).title })}</StatusText>
}
