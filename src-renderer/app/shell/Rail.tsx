import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { cx } from '../../shared/ui/cx.ts'
import { shortcut } from '../../shared/ui/platform.ts'
import { Tooltip } from '../../shared/ui/Tooltip.tsx'
import { hrefOf, type PageName, pageNames, returnRoute, routeStore, useRoute } from '../../stores/route.ts'
import { pageIcons } from './pages.ts'

/** The pages, from the top. Settings is at the bottom. */
export function Rail() {
  const { t } = useTranslation('shell')
  const { page } = useRoute()
  return (
    <nav
      aria-label={t('pages.label')}
      className="flex w-min min-w-[4.5rem] shrink-0 flex-col items-center gap-0.5 overflow-y-auto bg-panel px-0.5 py-2.5 short:py-1"
    >
      {pageNames.map((name, index) => (
        <RailLink key={name} name={name} current={name === page} number={index + 1} />
      ))}
    </nav>
  )
}

function RailLink({ name, current, number }: { name: PageName; current: boolean; number: number }) {
  const { t } = useTranslation('shell')
  const href = useStore(routeStore, (store) => hrefOf(returnRoute(store, name)))
  const Icon = pageIcons[name]
  return (
    <Tooltip text={t(`pages.${name}`)} shortcut={shortcut(String(number))}>
      <a
        href={href}
        aria-current={current ? 'page' : undefined}
        className={cx(
          'grid min-h-12 w-full shrink-0 place-content-center place-items-center gap-0.5 rounded-m px-1 py-0.5 text-s leading-[1.3] transition-colors duration-100 short:min-h-8 short:py-0',
          current ? 'bg-raise text-accent shadow-[0_0_0_1px_var(--line)]' : 'text-faint hover:bg-hover hover:text-ink',
          name === 'settings' && 'mt-auto',
        )}
      >
        <Icon aria-hidden size={18} strokeWidth={1.75} className="short:hidden" />
        {/* Some labels need two lines. The rail is as wide as the longest word, because a word broken over two lines reads badly. */}
        <span className="line-clamp-2 text-balance text-center [word-break:auto-phrase]">{t(`pages.${name}`)}</span>
      </a>
    </Tooltip>
  )
}
