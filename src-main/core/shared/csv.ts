/**
 * Characters that make a spreadsheet treat a cell as a formula, some also in full width. Names and paths come from apps and from the
 * service, so they may begin with such a character.
 */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/** Quoting is needed for the separators of RFC 4180, and for semicolons and tabs, which spreadsheets of some locales treat as separators. */
const parting = /[",;\t\r\n]/

/** One cell. null becomes an empty cell; an empty string becomes `""`. */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  if (value === '') return '""'
  const text = formula.test(value) ? `'${value}` : value
  return parting.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
