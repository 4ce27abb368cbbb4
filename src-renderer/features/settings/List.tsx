import {
  Bell,
  Database,
  Info,
  Keyboard,
  Languages,
  type LucideIcon,
  MessagesSquare,
  PlugZap,
  SunMoon,
  Waypoints,
  Wrench,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { listFitsQuery } from '../../shared/listRegion.ts'
import { cx } from '../../shared/ui/cx.ts'
import { useMedia } from '../../shared/useMedia.ts'
import { hrefOf, useRoute } from '../../stores/route.ts'
import { type SectionName, sectionNames, sectionOf } from './sections.ts'

const icons: Record<SectionName, LucideIcon> = {
  connection: PlugZap,
  appearance: SunMoon,
  language: Languages,
  chat: MessagesSquare,
  proxy: Waypoints,
  tools: Wrench,
  alerts: Bell,
  data: Database,
  shortcuts: Keyboard,
  about: Info,
}

/** The sections, with the open one marked. */
export function SettingsList() {
  const { t } = useTranslation('settings')
  const { id } = useRoute()
  const listFits = useMedia(listFitsQuery)
  // The page itself is the list, as long as no section is open.
  const shown = id === null && !listFits ? null : sectionOf(id)
  return (
    <nav
      aria-label={t('parts')}
      data-settings-list
      className="flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto p-2.5"
    >
      {sectionNames.map((name) => {
        const Icon = icons[name]
        return (
          <a
            key={name}
            href={hrefOf({ page: 'settings', id: name })}
            aria-current={name === shown ? 'page' : undefined}
            className={cx(
              'flex h-8 shrink-0 items-center gap-2.5 rounded-m px-2.5 transition-colors duration-100',
              name === shown ? 'bg-pick font-[540] text-ink' : 'text-soft hover:bg-hover hover:text-ink',
            )}
          >
            <Icon aria-hidden size={15} strokeWidth={1.75} className="shrink-0" />
            <span className="min-w-0 truncate">{t(`${name}.title`)}</span>
          </a>
        )
      })}
    </nav>
  )
}
