import { createWords } from '../../../src-renderer/i18n/host.ts'
import { Listeners } from '../../core/shared/events.ts'

/** The texts of menus, dialogs and notifications. One program has one language, so all parts of this host share them. */
export const words = createWords()
export const { t } = words

/** Called after the language has changed: menus are drawn again. */
export const languageChanges = new Listeners()

/**
 * Applies the language setting to everything outside of the pages.
 * @param preferred language tags of the system, the best first
 */
export async function followLanguage(setting: string, preferred: readonly string[]): Promise<void> {
  if (await words.follow(setting, preferred)) languageChanges.notify()
}
