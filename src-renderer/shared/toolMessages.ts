import { useTranslation } from 'react-i18next'
import type { JsonFault } from './ui/jsonFault.ts'

/** The room's texts about tools, from the namespace `chatTools`. What is filled in is shown as text, so nothing escapes it twice. */
export function useToolWords() {
  return useTranslation('chatTools').t
}
export type ToolWords = ReturnType<typeof useToolWords>

/** "Line 2, column 5: …" in the window's language. */
export function jsonFaultWords(t: ToolWords, { line, column, expected, atEnd }: JsonFault): string {
  return t('json.at', { line, column, what: t(atEnd && expected !== 'end' ? 'json.endsEarly' : `json.${expected}`) })
}
