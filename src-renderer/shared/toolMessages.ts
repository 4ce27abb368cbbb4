import { useTranslation } from 'react-i18next'
import type { JsonFault } from './ui/jsonFault.ts'

/** Texts about tools, from the namespace `chatTools`. React escapes the inserted values, so i18next does not. */
export function useToolTranslate() {
  return useTranslation('chatTools').t
}
export type ToolTranslate = ReturnType<typeof useToolTranslate>

/** "Line 2, column 5: …" in the window's language. */
export function jsonFaultText(t: ToolTranslate, { line, column, expected, atEnd }: JsonFault): string {
  return t('json.at', { line, column, what: t(atEnd && expected !== 'end' ? 'json.endsEarly' : `json.${expected}`) })
}
