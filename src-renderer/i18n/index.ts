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

/** Every word a person reads comes from here. One namespace an area, one file a namespace, keys checked by the compiler. */
export const i18n = i18next.createInstance()

/** Languages that a person can choose. Another one is one more line here and one more set of files. */
export const languages = ['en'] as const

const kept = 'language'
const known = (language: string): string =>
  isPseudo(language) || (languages as readonly string[]).includes(language) ? language : 'en'

export const isRightToLeft = (language: string): boolean => language === 'ar-XB'

/** Begins in the language that the window had last, so that no other one flashes. */
export async function startWords(): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en },
    defaultNS: 'common',
    initAsync: false,
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  })
  await speak(localStore.get(kept) ?? 'en')
}

/** Follows the setting. Call it once, after `startWords`. */
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
