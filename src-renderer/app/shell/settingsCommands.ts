import type { TFunction } from 'i18next'
import type { Client } from '../../api/connect.ts'
import { type SectionName, sectionNames } from '../../features/settings/sections.ts'
import { i18n } from '../../i18n/index.ts'
import { offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { offerSource } from '../../shared/commands/sources.ts'
import { navigate } from '../../shared/navigation.ts'
import { appStore } from '../../stores/app.ts'

type Texts = TFunction<readonly ['settings', 'alerts', 'chatTools', 'data']>

/** The settings of each section, named like their controls on the page. Connections and tools are not included: they have own lists. */
const settingsOf = (t: Texts): Record<SectionName, string[]> => ({
  connection: [],
  appearance: [t('settings:appearance.theme'), t('settings:appearance.fontSize'), t('settings:appearance.density')],
  language: [t('settings:language.name')],
  chat: [
    ...[t('settings:chat.sendKey'), t('settings:chat.bodies'), t('settings:chat.newModel')],
    ...[t('settings:chat.newInstructions'), t('settings:chat.titles')],
  ],
  proxy: [
    ...[t('settings:proxy.enabled'), t('settings:proxy.port'), t('settings:proxy.ipv6'), t('settings:proxy.metrics')],
    ...[t('settings:proxy.origins'), t('settings:proxy.bodyDays')],
  ],
  tools: [t('chatTools:settings.rounds.title')],
  alerts: [
    ...[t('alerts:settings.balance'), t('alerts:settings.spend'), t('alerts:settings.budgets')],
    ...[t('alerts:settings.key'), t('alerts:settings.ban')],
  ],
  data: [
    ...[t('settings:data.folder'), t('settings:data.keychain'), t('data:backup.name'), t('data:restore.name')],
    ...[t('data:freeUp'), t('data:age.title'), t('data:age.rule')],
  ],
  shortcuts: [],
  about: [],
})

/** The id of a section (`proxy`), or of a setting in it (`proxy/Port`). */
const idOf = (section: SectionName, name?: string): string => (name === undefined ? section : `${section}/${name}`)

/** Offers the themes as commands, and every section and setting as palette items, until the signal aborts. */
export function offerSettingsCommands(client: Client, signal: AbortSignal): void {
  const stop = offerTranslatedCommands(() =>
    (['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme.${theme}`,
      title: i18n.t('palette:commands.theme', { theme: i18n.t(`settings:appearance.${theme}`) }),
      group: 'view',
      when: () => appStore.getState().app?.settings.theme !== theme,
      run: () => void client.app.updateSettings({ theme }),
    })),
  )
  const stopSource = offerSource({
    id: 'settings',
    things: () => {
      const names = settingsOf(i18n.getFixedT(null, ['settings', 'alerts', 'chatTools', 'data']))
      const page = i18n.t('shell:pages.settings')
      return sectionNames.flatMap((section) => {
        const title = i18n.t(`settings:${section}.title`)
        return [
          { id: idOf(section), title, beside: page },
          ...names[section].map((name) => ({ id: idOf(section, name), title: name, beside: title })),
        ]
      })
    },
    run: (id) => {
      const section = sectionNames.find((name) => id === name || id.startsWith(`${name}/`))
      if (!section) return
      navigate({ page: 'settings', id: section })
      focusSoon(section, id.slice(section.length + 1))
    },
  })
  signal.addEventListener('abort', () => {
    stop()
    stopSource()
  })
}

/** Number of animation frames to wait for a section to appear. */
const patience = 60

/** Waits for the section to appear, then focuses the setting. Focuses the section when it does not show the setting. */
function focusSoon(section: SectionName, name: string, frames = 0): void {
  requestAnimationFrame(() => {
    const page = document.querySelector<HTMLElement>(`[data-settings="${section}"]`)
    const control = page && (name === '' ? page : controlOf(page, name))
    if (control && frames > 0) {
      control.scrollIntoView({ block: 'center' })
      control.focus({ preventScroll: true })
    } else if (frames < patience) focusSoon(section, name, frames + 1)
    else page?.focus()
  })
}

const focusable = 'input, select, textarea, button, a[href], [tabindex="0"]'

/** The control with this name, or the first one in the group or row with this name. */
function controlOf(page: HTMLElement, name: string): HTMLElement | null {
  for (const element of page.querySelectorAll<HTMLElement>('[aria-label], label, h2, div')) {
    const isNamed = element.ariaLabel === name || (element.childElementCount === 0 && element.textContent === name)
    if (!isNamed) continue
    if (element instanceof HTMLLabelElement && element.control) return element.control
    if (element.matches(focusable)) return element
    const chosen = element.querySelector<HTMLElement>('[aria-checked="true"]')
    if (chosen) return chosen
    for (let box: Element | null = element; box && box !== page; box = box.parentElement) {
      const control = box.querySelector<HTMLElement>(focusable)
      if (control) return control
    }
  }
  return null
}
