import {
  Bell,
  Database,
  Info,
  Keyboard,
  Languages,
  type LucideIcon,
  PlugZap,
  SunMoon,
  Waypoints,
  Wrench,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { cx } from '../../shared/ui/cx.ts'
import { appStore } from '../../stores/app.ts'
import { hrefOf } from '../../stores/route.ts'
import { goToSection, type SectionName, sectionNames, useSection } from './sections.ts'

const icons: Record<SectionName, LucideIcon> = {
  connection: PlugZap,
  appearance: SunMoon,
  language: Languages,
  proxy: Waypoints,
  tools: Wrench,
  alerts: Bell,
  data: Database,
  shortcuts: Keyboard,
  about: Info,
}

/** The sections, with the visible one marked. */
export function SettingsList() {
  const { t } = useTranslation('settings')
  const shown = useSection((store) => store.shown)
  return (
    <nav aria-label={t('parts')} className="flex min-h-0 flex-1 flex-col gap-0.5 overflow-y-auto p-2.5">
      {sectionNames.map((name) => {
        const Icon = icons[name]
        return (
          <a
            key={name}
            href={hrefOf({ page: 'settings', id: name })}
            aria-current={name === shown ? 'location' : undefined}
            onClick={() => {
              appStore.setState({ listDrawerOpen: false })
              // The closing drawer restores the focus first.
              requestAnimationFrame(() => goToSection(name))
            }}
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
