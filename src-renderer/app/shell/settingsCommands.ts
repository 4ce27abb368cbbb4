import type { TFunction } from 'i18next'
import type { SavedProfile } from '../../../src-preload/contract/app.ts'
import { deletableKinds } from '../../../src-preload/contract/retention.ts'
import type { Client } from '../../api/connect.ts'
import { type SectionName, sectionNames } from '../../features/settings/sections.ts'
import { i18n } from '../../i18n/index.ts'
import { offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { offerSource } from '../../shared/commands/sources.ts'
import { navigate } from '../../shared/navigation.ts'
import { plainText } from '../../shared/ui/plainText.ts'
import { isMac } from '../../shared/ui/platform.ts'
import { alertsStore } from '../../stores/alerts.ts'
import { appStore } from '../../stores/app.ts'
import { toolsStore } from '../../stores/tools.ts'

type Texts = TFunction<readonly ['settings', 'alerts', 'chatTools', 'data', 'connect', 'textActions']>

/** A control of a section. */
interface SettingItem {
  title: string
  /** The name of the control on the page. Default: the title. */
  control?: string
  /** The group of the section that contains the control. Default: the first control with this name. */
  group?: string
  /** Beside the title. Default: the group, or else the title of the section. */
  beside?: string
}

const isDesktop = (): boolean => appStore.getState().app?.host === 'desktop'

/** The settings of each section, named like their controls on the page. */
const settingsOf = (t: Texts): Record<SectionName, (string | SettingItem)[]> => ({
  connection: connectionItems(t),
  appearance: [t('settings:appearance.theme'), t('settings:appearance.fontSize'), t('settings:appearance.density')],
  language: [t('settings:language.name')],
  chat: [
    ...[t('settings:chat.sendKey'), t('settings:chat.readSentences')],
    ...[t('settings:chat.thinkTags'), t('settings:chat.bodies')],
    ...[t('settings:chat.newModel'), t('settings:chat.newInstructions'), t('settings:chat.titles')],
    ...[t('textActions:settings.title'), t('textActions:settings.model'), t('textActions:settings.toolbar')],
    ...(isDesktop() && !isMac ? [t('settings:chat.spellcheck')] : []),
  ],
  proxy: [
    ...[t('settings:proxy.enabled'), t('settings:proxy.port'), t('settings:proxy.ipv6'), t('settings:proxy.ollama')],
    ...(isDesktop() ? [] : [t('settings:proxy.metrics')]),
    ...[t('settings:proxy.origins'), t('settings:proxy.bodyDays')],
    ...(isDesktop() ? [t('settings:proxy.background'), t('settings:proxy.login')] : []),
    ...[t('settings:secrets.beginning'), t('settings:secrets.trial')].map((title) => ({
      title,
      group: t('settings:secrets.title'),
    })),
  ],
  tools: toolItems(t),
  alerts: [
    ...[t('alerts:settings.balance'), t('alerts:settings.spend'), t('alerts:settings.budgets')],
    ...(alertsStore.getState().settings?.budgets === true ? [t('alerts:settings.budgetAt')] : []),
    ...[t('alerts:settings.key'), t('alerts:settings.ban'), t('alerts:settings.cache')],
    t(alertsStore.getState().notifies ? 'alerts:settings.notify' : 'alerts:settings.browser'),
  ],
  data: [
    ...[t('settings:data.folder'), t('settings:data.keychain'), t('data:backup.name'), t('data:restore.name')],
    ...[t('data:automatic.folder'), t('data:automatic.switch')],
    ...[t('data:sync.title'), t('data:sync.folder'), t('data:sync.automatic')],
    ...[t('data:freeUp'), t('data:recentlyDeleted'), t('data:age.title'), t('data:age.rule'), t('data:eraseAll.title')],
    { title: t('data:newestSize'), group: t('data:freeUp') },
    ...(['speech', 'recordings', 'images'] as const).map((kind) => {
      const [control, group] = [t(`data:mediaKind.${kind}`), t('data:freeUp')]
      return { title: `${group}: ${control}`, control, group, beside: t('settings:data.title') }
    }),
    { title: t('data:age.olderThan'), group: t('data:age.title') },
    ...deletableKinds.map((kind) => {
      const [control, group] = [t(`data:age.kind.${kind}`), t('data:age.title')]
      return { title: `${group}: ${control}`, control, group, beside: t('settings:data.title') }
    }),
  ],
  shortcuts: [],
  about: [{ title: t('settings:about.check'), control: t('settings:about.startCheck') }],
})

/** Every connection, and the fields of the connection in use. Its menu leads to the form that changes them. */
function connectionItems(t: Texts): SettingItem[] {
  const profiles = appStore.getState().app?.profiles ?? []
  const add = t('settings:connection.add')
  const buttonOf = ({ name, keyKept }: SavedProfile): string =>
    t(keyKept === 'none' ? 'settings:connection.enterKeyOf' : 'settings:connection.more', { name })
  const active = profiles.find((profile) => profile.active && profile.kind === 'service')
  const beside = active && { beside: active.name }
  const fields = [t('connect:baseUrl'), t('connect:key')]
  return [
    { title: add },
    ...(profiles.some(({ kind }) => kind === 'sandbox') ? [] : [{ title: t('settings:connection.sandbox') }]),
    ...fields.map((title) => ({ title, control: active ? buttonOf(active) : add, ...beside })),
    ...profiles.map((profile) => ({ title: profile.name, control: buttonOf(profile) })),
  ]
}

function toolItems(t: Texts): (string | SettingItem)[] {
  const { functions = [], servers = [] } = toolsStore.getState().tools ?? {}
  const own = t('chatTools:settings.functions.title')
  const remote = t('chatTools:settings.servers.title')
  return [
    ...[own, remote, t('chatTools:settings.always.title'), t('chatTools:settings.rounds.title')],
    { title: t('chatTools:settings.functions.add'), group: own },
    { title: t('chatTools:settings.servers.add'), group: remote },
    { title: t('chatTools:settings.servers.paste'), group: remote },
    ...functions.map(({ name }) => ({
      title: name,
      control: t('chatTools:settings.functions.edit', { name }),
      group: own,
    })),
    ...servers.map((server) => {
      const name = plainText(server.name)
      return { title: name, control: t('chatTools:settings.servers.more', { name }), group: remote }
    }),
  ]
}

/** The id of a section (`proxy`), or of a setting in it (`proxy//Port`, `data/Delete by age/Older than`). */
const idOf = (section: SectionName, item?: SettingItem): string =>
  item === undefined ? section : `${section}/${item.group ?? ''}/${item.title}`

function itemsOf(section: SectionName): SettingItem[] {
  const items = settingsOf(i18n.getFixedT(null, ['settings', 'alerts', 'chatTools', 'data', 'connect', 'textActions']))[
    section
  ]
  return items.map((item) => (typeof item === 'string' ? { title: item } : item))
}

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
    things: () =>
      sectionNames.flatMap((section) => {
        const title = i18n.t(`settings:${section}.title`)
        return [
          { id: idOf(section), title, beside: i18n.t('shell:pages.settings') },
          ...itemsOf(section).map((item) => ({
            id: idOf(section, item),
            title: item.title,
            beside: item.beside ?? item.group ?? title,
          })),
        ]
      }),
    run: (id) => {
      const section = sectionNames.find((name) => id === name || id.startsWith(`${name}/`))
      if (!section) return
      navigate({ page: 'settings', id: section })
      focusSoon(section, itemsOf(section).find((item) => idOf(section, item) === id) ?? null)
    },
  })
  signal.addEventListener('abort', () => {
    stop()
    stopSource()
  })
}

const pageOf = (section: SectionName): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-settings="${section}"]`)

/** Interval between checks whether a section has opened, ms, and their number. Checks are counted, not time, because a busy page loads later. */
const lookMs = 50
const looks = 200

/**
 * Focuses the setting, or the section without one, as soon as the section shows it.
 * A palette that closes gives the focus back to where it was, and a section that loads may replace the control or grow
 * above it: so the focus is set again until the person does something else.
 */
function focusSoon(section: SectionName, item: SettingItem | null): void {
  const left = new AbortController()
  let [seen, count] = [false, 0]
  let top: number | null = null
  const look = (): void => {
    const page = pageOf(section)
    count += 1
    if (page) top = focusIn(page, item, top)
    else if (seen) left.abort()
    seen ||= page !== null
    if (count > looks) left.abort()
  }
  const timer = setInterval(look, lookMs)
  left.signal.addEventListener('abort', () => clearInterval(timer))
  for (const type of ['wheel', 'pointerdown', 'keydown', 'touchstart'])
    window.addEventListener(type, () => left.abort(), { signal: left.signal, passive: true })
}

/** Focuses the setting, or the page without one, and scrolls to it again if it has moved. Returns its top edge in the window, px. */
function focusIn(page: HTMLElement, item: SettingItem | null, topBefore: number | null): number | null {
  const control = item ? controlOf(page, item) : page
  const wanted = control ?? page
  if (document.activeElement !== wanted) {
    wanted.scrollIntoView({ block: control ? 'center' : 'nearest' })
    wanted.focus({ preventScroll: true })
  } else if (control && item && topBefore !== null && control.getBoundingClientRect().top !== topBefore)
    control.scrollIntoView({ block: 'center' })
  return control?.getBoundingClientRect().top ?? null
}

const focusable = 'input, select, textarea, button, a[href], [tabindex="0"]'

/** Whether this is the name of a control, of its label, or of a group. */
function isNamed(element: HTMLElement, name: string): boolean {
  if (element.ariaLabel === name) return true
  const isWhole = element.childElementCount === 0 || element.matches('label, button')
  return isWhole && element.textContent.trim() === name
}

/** The control with this name, or the first one in the group or row with this name. */
function controlOf(section: HTMLElement, { title, control: name = title, group }: SettingItem): HTMLElement | null {
  const page =
    group === undefined ? section : section.querySelector<HTMLElement>(`section[aria-label="${CSS.escape(group)}"]`)
  if (!page) return null
  for (const element of page.querySelectorAll<HTMLElement>('[aria-label], label, button, h2, div')) {
    if (!isNamed(element, name)) continue
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
