import { useTranslation } from 'react-i18next'
import type { markdown } from '../../i18n/en/markdown.ts'

/** Plural forms: `lines_one` and `lines_other` are used as `lines`. */
type Base<Key> = Key extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Key
export type MarkdownTextKey = Base<keyof typeof markdown>
export type MarkdownTexts = (key: MarkdownTextKey, values?: Record<string, string | number>) => string

/** Texts of a message's own controls. */
export function useMarkdownTexts(): MarkdownTexts {
  const { t } = useTranslation('markdown')
  // With a key that is not a literal, the compiler would require the values of all keys at once.
  const say = t as (key: MarkdownTextKey, values: Record<string, string | number>) => string
  return (key, values = {}) => say(key, values)
}
