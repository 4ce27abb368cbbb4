import { useTranslation } from 'react-i18next'
import type { preview } from '../../../i18n/en/preview.ts'

/** Plural forms: `csvRows_one` and `csvRows_other` are used as `csvRows`. */
type Base<Key> = Key extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Key
type Key = Exclude<Base<keyof typeof preview>, 'kinds'> | `kinds.${keyof typeof preview.kinds}`
export type PreviewTexts = (key: Key, values?: Record<string, string | number>) => string

/** Texts of the namespace `preview`. */
export function usePreviewTexts(): PreviewTexts {
  const { t } = useTranslation('preview')
  // With a key that is not a literal, the compiler would require the values of all keys at once.
  const say = t as unknown as (key: Key, values: Record<string, string | number>) => string
  return (key, values = {}) => say(key, values)
}
