import i18next from 'i18next'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { initReactI18next } from 'react-i18next'
import { localStore } from '../shared/storage.ts'
import { appStore } from '../stores/app.ts'
import type { en } from './en.ts'
import { allGroups, groupOf, type TextGroup, textGroups } from './groups.ts'
import {
  type AreaTexts,
  directionOf,
  interpolation,
  languagesOf,
  loadTexts,
  numbersInTexts,
  pickLanguage,
  systemLanguage,
  type TextFiles,
} from './language.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    returnNull: false
    resources: typeof en
  }
}

/** All texts of the window. Each area has a namespace in a file of its own. The compiler checks the keys. */
export const i18n = i18next.createInstance({ interpolation }).use(numbersInTexts)

/** Each language is a folder. Only the one in use is loaded, first what every page shows, then the groups of `groups.ts`. */
const files: TextFiles = import.meta.glob<Record<string, AreaTexts>>('./*/*.ts')

/** Languages that a person can select. */
export const languages: readonly string[] = languagesOf(files)

const kept = 'language'

/** The setting that was applied last, so that a slow file of an earlier one changes nothing. */
let latest: string | null = null

/** The language before the last change, whose texts are shown where those of the new one are not loaded yet. */
let previous: string | null = null

/** How many parts of the window show each group. */
const shown = new Map<TextGroup, number>()

export const isRightToLeft = (language: string): boolean => directionOf(language) === 'rtl'

/** Loads the texts in the window's last language, so that no other language flashes. The system's at the first start. */
export async function startWords(): Promise<void> {
  if (!i18n.isInitialized) {
    await i18n.use(initReactI18next).init({
      // A text that is missing in a translation is English during development. No release has one (tests/renderer/i18n).
      fallbackLng: () => [...(previous === null ? [] : [previous]), ...(import.meta.env.DEV ? ['en'] : [])],
      resources: {},
      defaultNS: 'common',
      initAsync: false,
    })
    if (import.meta.env.DEV) await Promise.all([null, ...allGroups].map((group) => load('en', group)))
  }
  await speak(localStore.get(kept) ?? systemLanguage)
}

/** Applies changes of the language setting. Call once, after `startWords`. `failed` is called when a language can't be loaded. */
export function followLanguage(failed: (thrown: unknown) => void): void {
  appStore.subscribe(({ app }, before) => {
    const language = app?.settings.language
    if (language === undefined || language === before.app?.settings.language) return
    localStore.set(kept, language)
    speak(language).catch(failed)
  })
}

const isLoaded = (language: string, group: TextGroup | null): boolean =>
  i18n.hasResourceBundle(language, group === null ? 'common' : textGroups[group][0])

/** Loads a group of texts, or with null what every page shows. */
async function load(language: string, group: TextGroup | null): Promise<void> {
  if (isLoaded(language, group)) return
  for (const [namespace, texts] of await loadTexts(files, language, (one) => groupOf(one) === group))
    i18n.addResourceBundle(language, namespace, texts)
}

/**
 * Loads the texts that no page has asked for, so that commands and notifications of all pages have theirs. Call after the first paint. A group
 * that can't be loaded is tried again by the page that shows it.
 */
export async function loadOtherTexts(): Promise<void> {
  const { language } = i18n
  await Promise.allSettled(allGroups.map((group) => load(language, group)))
  if (i18n.language === language) i18n.emit('textsLoaded')
}

const followTexts = (changed: () => void): (() => void) => {
  i18n.store.on('added', changed)
  i18n.on('languageChanged', changed)
  return () => {
    i18n.store.off('added', changed)
    i18n.off('languageChanged', changed)
  }
}

/** Whether the texts of these groups are loaded. Loads them, and keeps them loaded when the language changes. `failed`: until `retry`. */
export function useTexts(groups: readonly TextGroup[]): { state: 'ready' | 'loading' | 'failed'; retry: () => void } {
  const wanted = groups.join(' ')
  const isReady = useSyncExternalStore(followTexts, () => groups.every((group) => isLoaded(i18n.language, group)))
  const [failed, setFailed] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the groups are in `wanted`, and each try loads again
  useEffect(() => {
    for (const group of groups) shown.set(group, (shown.get(group) ?? 0) + 1)
    Promise.all(groups.map((group) => load(i18n.language, group))).catch(() => setFailed(wanted))
    return () => {
      for (const group of groups) shown.set(group, (shown.get(group) ?? 0) - 1)
    }
  }, [wanted, tries])
  const retry = (): void => {
    setFailed(null)
    setTries(tries + 1)
  }
  return { state: isReady ? 'ready' : failed === wanted ? 'failed' : 'loading', retry }
}

async function speak(wanted: string): Promise<void> {
  latest = wanted
  const language = isLoaded(wanted, null) ? wanted : pickLanguage(wanted, navigator.languages, languages)
  const groups = allGroups.filter((group) => (shown.get(group) ?? 0) > 0)
  await Promise.all([null, ...groups].map((group) => load(language, group)))
  if (latest !== wanted) return
  if (i18n.language !== language) {
    previous = i18n.language ?? null
    await i18n.changeLanguage(language)
    // Commands and notifications of other pages, which are in the previous language until then.
    if (previous !== null) void loadOtherTexts()
  }
  document.documentElement.lang = language
  document.documentElement.dir = directionOf(language)
}
