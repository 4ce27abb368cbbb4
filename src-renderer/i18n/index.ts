import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { localStore } from '../shared/storage.ts'
import { appStore } from '../stores/app.ts'
import type { en } from './en.ts'
import {
  type AreaTexts,
  directionOf,
  languagesOf,
  loadTexts,
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
export const i18n = i18next.createInstance()

/** Each language is a folder, which is one chunk of the build. Only the one in use is loaded. */
const files: TextFiles = import.meta.glob<Record<string, AreaTexts>>('./*/*.ts')

/** Languages that a person can select. */
export const languages: readonly string[] = languagesOf(files)

const kept = 'language'

/** The setting that was applied last, so that a slow file of an earlier one changes nothing. */
let latest: string | null = null

export const isRightToLeft = (language: string): boolean => directionOf(language) === 'rtl'

/** Loads the texts in the window's last language, so that no other language flashes. The system's at the first start. */
export async function startWords(): Promise<void> {
  if (!i18n.isInitialized) {
    await i18n.use(initReactI18next).init({
      // A text that is missing in a translation is English during development. No release has one (tests/renderer/i18n).
      fallbackLng: import.meta.env.DEV ? 'en' : false,
      resources: {},
      defaultNS: 'common',
      initAsync: false,
      // React already escapes text.
      interpolation: { escapeValue: false },
    })
    if (import.meta.env.DEV) await load('en')
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

const isLoaded = (language: string): boolean => i18n.hasResourceBundle(language, 'common')

async function load(language: string): Promise<void> {
  if (isLoaded(language)) return
  for (const [namespace, texts] of await loadTexts(files, language)) i18n.addResourceBundle(language, namespace, texts)
}

async function speak(wanted: string): Promise<void> {
  latest = wanted
  const language = isLoaded(wanted) ? wanted : pickLanguage(wanted, navigator.languages, languages)
  await load(language)
  if (latest !== wanted) return
  if (i18n.language !== language) await i18n.changeLanguage(language)
  document.documentElement.lang = language
  document.documentElement.dir = directionOf(language)
}
