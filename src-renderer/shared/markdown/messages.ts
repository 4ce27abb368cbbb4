import { useTranslation } from 'react-i18next'
import type { markdown } from '../../i18n/en/markdown.ts'

/** `lines_one` and `lines_other` are asked for as `lines`. */
type Base<Key> = Key extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Key
export type MarkdownTextKey = Base<keyof typeof markdown>
export type MarkdownTexts = (key: MarkdownTextKey, values?: Record<string, string | number>) => string

/** What a message's own controls say. */
export function useMarkdownTexts(): MarkdownTexts {
  const { t } = useTranslation('markdown')
  // The compiler asks for the values of all words at once, where it is not one known word.
  const say = t as (key: MarkdownTextKey, values: Record<string, string | number>) => string
  return (key, values = {}) => say(key, values)
}
