import { type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import type { PageRegions } from '../../shared/pageView.ts'
import { Card } from '../../shared/ui/Card.tsx'
import { StageBar } from '../../shared/ui/StageBar.tsx'
import { useApp } from '../../stores/app.ts'
import { useRoute } from '../../stores/route.ts'
import { AlertsSection } from './Alerts.tsx'
import { ConnectionSection } from './Connection.tsx'
import { DataSection } from './Data.tsx'
import { AboutSection, AppearanceSection } from './General.tsx'
import { LanguageSection } from './Language.tsx'
import { SettingsList } from './List.tsx'
import { ProxySection } from './Proxy.tsx'
import { ShortcutsSection } from './Shortcuts.tsx'
import { followScroll, type SectionName, sectionNames } from './sections.ts'
import { ToolsSection } from './tools/index.tsx'

const views: Record<SectionName, ComponentType<{ app: AppState }>> = {
  connection: ConnectionSection,
  appearance: AppearanceSection,
  language: LanguageSection,
  proxy: ProxySection,
  tools: ToolsSection,
  alerts: AlertsSection,
  data: DataSection,
  shortcuts: ShortcutsSection,
  about: AboutSection,
}

function Stage() {
  const { t } = useTranslation('settings')
  const app = useApp((store) => store.app)
  const { id } = useRoute()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current) followScroll(box.current)
  }, [])
  return (
    <>
      <StageBar title={t('title')} beside={<span className="text-faint text-s">{t('saved')}</span>} />
      <div
        ref={box}
        className="relative min-h-0 flex-1 overflow-y-auto"
        onScroll={({ currentTarget }) => followScroll(currentTarget)}
      >
        <div className="@container mx-auto flex max-w-[880px] flex-col px-6 pb-10">
          {app &&
            sectionNames.map((name) => {
              const View = views[name]
              return (
                <Section
                  key={name}
                  name={name}
                  title={t(`${name}.title`)}
                  about={t(`${name}.about`)}
                  target={id === name}
                >
                  <View app={app} />
                </Section>
              )
            })}
        </div>
      </div>
    </>
  )
}

/** Title and purpose on the left, settings on the right. `target` scrolls to it, for links such as `#/settings/proxy`. */
function Section({
  name,
  title,
  about,
  target,
  children,
}: {
  name: SectionName
  title: string
  about: string
  target: boolean
  children: ReactNode
}) {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!target) return
    ref.current?.scrollIntoView({ block: 'start' })
    // The element that led here may be unmounted, so keyboard users continue at this section.
    const { activeElement } = document
    const isLoose = activeElement === document.body || activeElement?.matches('[data-settings]')
    if (isLoose) ref.current?.focus({ preventScroll: true })
  }, [target])
  return (
    <section
      ref={ref}
      aria-label={title}
      data-settings={name}
      tabIndex={-1}
      // A focus ring around the whole section would look like an error, so the title shows the focus.
      className="group/part grid gap-x-8 gap-y-3 border-line border-b py-6 outline-none last:border-b-0 @min-[740px]:grid-cols-[200px_minmax(0,1fr)]"
    >
      <div>
        <h2 className="w-fit rounded-s font-semibold outline-offset-2 group-focus-visible/part:outline-2 group-focus-visible/part:outline-accent">
          {title}
        </h2>
        <p className="mt-0.5 text-s text-soft">{about}</p>
      </div>
      <Card className="flex flex-col gap-4 p-4">{children}</Card>
    </section>
  )
}

export const settingsPage: PageRegions = { List: SettingsList, Stage }
