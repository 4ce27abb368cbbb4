import i18next from 'i18next'
import { en } from '../../src-renderer/i18n/en.ts'
// The types of keys are declared there.
import type {} from '../../src-renderer/i18n/index.ts'
import { interpolation, numbersInTexts } from '../../src-renderer/i18n/language.ts'

const i18n = i18next.createInstance({ interpolation }).use(numbersInTexts)
void i18n.init({
  lng: 'en',
  resources: { en },
  defaultNS: 'common',
  initAsync: false,
})

/**
 * The window's text for a key, as a person reads it: `page.getByRole('button', { name: windowText('composer:send') })`.
 * Tests that take names from here stay correct when the wording changes.
 */
export const windowText = i18n.t
