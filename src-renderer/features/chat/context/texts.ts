import { useTranslation } from 'react-i18next'
import type { context } from '../../../i18n/en/context.ts'

/** Plural forms: `note_one` and `note_other` are used as `note`. */
type Base<Key> = Key extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Key
type Key = Base<keyof typeof context>
export type ContextTexts = (key: Key, values?: Record<string, string | number>) => string

/** Texts of the namespace `context`. */
export function useContextTexts(): ContextTexts {
  const { t } = useTranslation('context')
  // With a key that is not a literal, the compiler would require the values of all keys at once.
  const say = t as unknown as (key: Key, values: Record<string, string | number>) => string
  return (key, values = {}) => say(key, values)
}
