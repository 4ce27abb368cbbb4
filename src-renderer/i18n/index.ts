import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { localStore } from '../shared/storage.ts'
import { appStore } from '../stores/app.ts'
import { en } from './en.ts'
import { isPseudo, pseudoTexts } from './pseudo.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    returnNull: false
    resources: typeof en
  }
}

/** All texts of the window. Each area has a namespace in a file of its own. The compiler checks the keys. */
export const i18n = i18next.createInstance()

/** Languages that a person can select. A new language needs an entry here and a set of text files. */
export const languages = ['en'] as const

const kept = 'language'
const known = (language: string): string =>
  isPseudo(language) || (languages as readonly string[]).includes(language) ? language : 'en'

export const isRightToLeft = (language: string): boolean => language === 'ar-XB'

/** Loads the texts in the window's last language, so that no other language flashes. */
export async function startWords(): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en },
    defaultNS: 'common',
    initAsync: false,
    // React already escapes text.
    interpolation: { escapeValue: false },
  })
  await speak(localStore.get(kept) ?? 'en')
}

/** Applies changes of the language setting. Call once, after `startWords`. */
export function followLanguage(): void {
  appStore.subscribe(({ app }, before) => {
    const language = app?.settings.language
    if (language === undefined || language === before.app?.settings.language) return
    localStore.set(kept, language)
    void speak(language)
  })
}

async function speak(wanted: string): Promise<void> {
  const language = known(wanted)
  if (isPseudo(language) && !i18n.hasResourceBundle(language, 'common')) {
    for (const [namespace, texts] of Object.entries(en)) {
      i18n.addResourceBundle(language, namespace, pseudoTexts(texts, language))
    }
  }
  if (i18n.language !== language) await i18n.changeLanguage(language)
  document.documentElement.lang = language
  document.documentElement.dir = isRightToLeft(language) ? 'rtl' : 'ltr'
}
