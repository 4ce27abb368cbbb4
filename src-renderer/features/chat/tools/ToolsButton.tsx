import { Wrench } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useMemo } from 'react'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { cx } from '../../../shared/ui/cx.ts'
import { useTools } from '../../../stores/tools.ts'
import { offeredNow, offerGroups } from './offers.ts'
import { useToolUse } from './setup.ts'
import { ToolPicker } from './ToolPicker.tsx'
import { ToolSubscriptions } from './ToolSubscriptions.tsx'

/** The composer's tools button: the number of tools in the next request, and their switches. */
export function ToolsButton() {
  const t = useToolTranslate()
  const tools = useTools((store) => store.tools)
  const { enabled, choice } = useToolUse()
  const offered = useMemo(() => (tools ? offeredNow(offerGroups(tools, enabled), enabled).length : 0), [tools, enabled])
  const missing = enabled.length - offered
  const words = offered === 0 && enabled.length === 0 ? t('title') : t('button.count', { count: offered })
  return (
    <>
      <Popover.Root>
        <Popover.Trigger
          aria-label={cx(t('button.name', { words }), missing > 0 && tools && t('button.missing', { count: missing }))}
          className={cx(
            'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-m px-2 text-s transition-colors duration-100',
            'hover:bg-hover hover:text-ink data-[state=open]:bg-hover data-[state=open]:text-ink',
            offered > 0 && choice !== 'none' ? 'text-ink' : 'text-soft',
          )}
        >
          <Wrench aria-hidden size={15} strokeWidth={1.75} />
          <span className="num">{words}</span>
          {missing > 0 && tools && <span className="num text-warn">{t('button.off', { count: missing })}</span>}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            side="top"
            align="start"
            sideOffset={6}
            collisionPadding={8}
            aria-label={t('title')}
            className="z-40 max-h-[min(560px,70vh)] w-[min(360px,calc(100vw-24px))] animate-appear overflow-y-auto rounded-l bg-raise p-3.5 shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)]"
          >
            <h2 className="mb-2 font-semibold">{t('title')}</h2>
            <ToolPicker />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      <ToolSubscriptions />
    </>
  )
}
