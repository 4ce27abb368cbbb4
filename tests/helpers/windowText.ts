import i18next from 'i18next'
import { en } from '../../src-renderer/i18n/en.ts'
// The types of keys are declared there.
import type {} from '../../src-renderer/i18n/index.ts'

const i18n = i18next.createInstance()
void i18n.init({
  lng: 'en',
  resources: { en },
  defaultNS: 'common',
  initAsync: false,
  interpolation: { escapeValue: false },
})

/**
 * The window's text for a key, as a person reads it: `page.getByRole('button', { name: windowText('composer:send') })`.
 * Tests that take names from here stay correct when the wording changes.
 */
export const windowText = i18n.t
