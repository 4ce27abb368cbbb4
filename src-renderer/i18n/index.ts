import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { en } from './en.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    returnNull: false
    resources: typeof en
  }
}

/** Every word a person reads comes from here. One namespace an area, one file a namespace, keys checked by the compiler. */
export const i18n = i18next.createInstance()

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
}
