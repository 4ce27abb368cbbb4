/// <reference types="vite/types/import-meta.d.ts" />
import i18next, { type i18n } from 'i18next'
import { core } from './en/host/core.ts'
import { desktop } from './en/host/desktop.ts'
import {
  type AreaTexts,
  interpolation,
  languagesOf,
  loadTexts,
  localeOf,
  numbersInTexts,
  pickLanguage,
  type TextFiles,
} from './language.ts'

/** Without the bundler, as tests start programs, there is English only. */
const files: TextFiles =
  import.meta.env === undefined
    ? {}
    : import.meta.glob<Record<string, AreaTexts>>(['./*/host/*.ts', '!./*/host/cli*.ts'])

/** Namespaces of the texts that are outside of the windows: menus, dialogs, notifications, exports. */
export interface HostTexts {
  core: typeof core
  desktop: typeof desktop
}

/** Texts of the main process, English until `follow` has loaded another language. */
export interface Words {
  readonly t: i18n['t']
  /** The language of `t`, such as `pt-BR`. */
  readonly language: string
  /** The same as a locale for `Intl`. */
  readonly locale: string
  /**
   * Applies the language setting. Resolves with whether the language has changed.
   * @param preferred language tags of the system, the best first
   */
  follow(setting: string, preferred: readonly string[]): Promise<boolean>
}

export function createWords(): Words {
  const texts = i18next.createInstance({ interpolation }).use(numbersInTexts)
  void texts.init({
    ...{ lng: 'en', fallbackLng: 'en', resources: { en: { core, desktop } }, ns: ['core', 'desktop'] },
    initAsync: false,
  })
  let latest = 'en'
  return {
    t: texts.t,
    get language() {
      return texts.language
    },
    get locale() {
      return localeOf(texts.language)
    },
    async follow(setting, preferred) {
      const language = pickLanguage(setting, preferred, languagesOf(files))
      latest = language
      if (!texts.hasResourceBundle(language, 'core')) {
        for (const [namespace, area] of await loadTexts(files, language)) {
          texts.addResourceBundle(language, namespace, area)
        }
      }
      if (latest !== language || texts.language === language) return false
      await texts.changeLanguage(language)
      return true
    },
  }
}
