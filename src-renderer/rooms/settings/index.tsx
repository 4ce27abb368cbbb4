import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { RoomView } from '../../room.ts'
import { useApp } from '../../stores/app.ts'
import { useRoute } from '../../stores/route.ts'
import { Card } from '../../ui/Card.tsx'
import { StageBar } from '../../ui/StageBar.tsx'
import { AlertsSection } from './Alerts.tsx'
import { ConnectionSection } from './Connection.tsx'
import { DataSection } from './Data.tsx'
import { AboutSection, AppearanceSection } from './General.tsx'
import { LanguageSection } from './Language.tsx'
import { ProxySection } from './Proxy.tsx'
import { ShortcutsSection } from './Shortcuts.tsx'
import { ToolsSection } from './tools/index.tsx'

const sections = [
  ['connection', ConnectionSection],
  ['appearance', AppearanceSection],
  ['language', LanguageSection],
  ['shortcuts', ShortcutsSection],
  ['tools', ToolsSection],
  ['proxy', ProxySection],
  ['alerts', AlertsSection],
  ['data', DataSection],
  ['about', AboutSection],
] as const

function Stage() {
  const { t } = useTranslation('settings')
  const app = useApp((store) => store.app)
  const { id } = useRoute()
  return (
    <>
      <StageBar title={t('title')} beside={<span className="text-faint text-s">{t('saved')}</span>} />
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-[880px] flex-col px-6 pb-10">
          {app &&
            sections.map(([name, View]) => (
              <Section key={name} title={t(`${name}.title`)} about={t(`${name}.about`)} target={id === name}>
                <View app={app} />
              </Section>
            ))}
        </div>
      </div>
    </>
  )
}

/** Title and purpose left, the settings right; `target` brings it into sight, for links such as `#/settings/proxy`. */
function Section({
  title,
  about,
  target,
  children,
}: {
  title: string
  about: string
  target: boolean
  children: ReactNode
}) {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    if (target) ref.current?.scrollIntoView({ block: 'start' })
  }, [target])
  return (
    <section
      ref={ref}
      aria-label={title}
      className="grid gap-x-8 gap-y-3 border-line border-b py-6 last:border-b-0 min-[900px]:grid-cols-[200px_minmax(0,1fr)]"
    >
      <div>
        <h2 className="font-semibold">{title}</h2>
        <p className="mt-0.5 text-s text-soft">{about}</p>
      </div>
      <Card className="flex flex-col gap-4 p-4">{children}</Card>
    </section>
  )
}

export const settingsRoom: RoomView = { Stage }
