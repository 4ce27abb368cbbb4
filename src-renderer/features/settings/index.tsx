import { type ComponentType, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { listFitsQuery } from '../../shared/listRegion.ts'
import type { PageRegions } from '../../shared/pageView.ts'
import { cx } from '../../shared/ui/cx.ts'
import { FrameContext, type FrameControls, StageBar } from '../../shared/ui/StageBar.tsx'
import { useMedia } from '../../shared/useMedia.ts'
import { useApp } from '../../stores/app.ts'
import { useRoute } from '../../stores/route.ts'
import { AboutSection } from './About.tsx'
import { AlertsSection } from './Alerts.tsx'
import { ConnectionSection } from './Connection.tsx'
import { DataSection } from './Data.tsx'
import { AppearanceSection, ChatSection, ShortcutsSection } from './General.tsx'
import { LanguageSection } from './Language.tsx'
import { SettingsList } from './List.tsx'
import { ProxySection } from './Proxy.tsx'
import { type SectionName, sectionOf } from './sections.ts'
import { ToolsSection } from './tools/index.tsx'

const views: Record<SectionName, ComponentType<{ app: AppState }>> = {
  connection: ConnectionSection,
  appearance: AppearanceSection,
  language: LanguageSection,
  chat: ChatSection,
  proxy: ProxySection,
  tools: ToolsSection,
  alerts: AlertsSection,
  data: DataSection,
  shortcuts: ShortcutsSection,
  about: AboutSection,
}

/** Sections with several groups, shown side by side in a wide window. */
const inColumns: ReadonlySet<SectionName> = new Set(['proxy', 'tools', 'alerts', 'data'])

/**
 * In a wide window, a section with one column of settings has its purpose at the left and the settings at the right, as wide as they are
 * easy to read: a control stays near its name.
 */
const besideText =
  '@min-[1060px]:grid @min-[1060px]:max-w-[1040px] @min-[1060px]:grid-cols-[264px_minmax(0,1fr)] @min-[1060px]:gap-x-10 @min-[1060px]:[&>p]:mt-4'

/** Sections without settings that are saved at once: their actions have a button of their own. */
const withoutSaving: ReadonlySet<SectionName> = new Set(['connection', 'data', 'about'])

/** One section: its title, its purpose and its groups. */
function Section({ id }: { id: string | null }) {
  const { t } = useTranslation('settings')
  const app = useApp((store) => store.app)
  const name = sectionOf(id)
  const box = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when a section is opened
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      // Keyboard users continue in the section that they opened. Does not take the focus from a field that has it now, such as in a dialog.
      const { activeElement } = document
      const isLoose = activeElement === document.body || activeElement?.closest('[data-settings], [data-settings-list]')
      if (id !== null && isLoose) box.current?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [name, id])
  const View = views[name]
  return (
    <>
      <StageBar
        title={t(`${name}.title`)}
        beside={!withoutSaving.has(name) && <span className="text-faint text-s">{t('saved')}</span>}
      />
      <section
        ref={box}
        key={name}
        aria-label={t(`${name}.title`)}
        data-settings={name}
        tabIndex={-1}
        // A focus ring around the whole section would look like an error, so its first line shows the focus.
        className="group/part @container relative min-h-0 flex-1 overflow-y-auto px-6 pt-5 pb-10 outline-none [scrollbar-gutter:stable]"
      >
        <div className={cx('mx-auto max-w-[720px]', inColumns.has(name) ? '@min-[1060px]:max-w-[1400px]' : besideText)}>
          <p className="mb-4 h-fit w-fit rounded-s text-soft outline-offset-4 group-focus-visible/part:outline-2 group-focus-visible/part:outline-accent">
            {t(`${name}.about`)}
          </p>
          {app && (
            <div
              className={cx(
                'min-w-0 *:mb-6 *:break-inside-avoid',
                inColumns.has(name) && 'gap-6 @min-[1060px]:columns-2',
              )}
            >
              <View app={app} />
            </div>
          )}
        </div>
      </section>
    </>
  )
}

/** The list needs no button that shows it over itself. */
const bare: FrameControls = { list: null, inspector: null }

/** In a window without space for the list beside it, the page begins with the list. */
function Stage() {
  const { t } = useTranslation('settings')
  const { id } = useRoute()
  const listFits = useMedia(listFitsQuery)
  if (id !== null || listFits) return <Section id={id} />
  return (
    <FrameContext value={bare}>
      <StageBar title={t('title')} />
      <SettingsList />
    </FrameContext>
  )
}

export const settingsPage: PageRegions = { List: SettingsList, Stage }
