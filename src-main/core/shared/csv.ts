/**
 * A spreadsheet would take a text that begins so for a formula, some of these also in full width; names and paths come from tools and from the
 * service.
 */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/** RFC 4180; and a semicolon or a tab, at which a spreadsheet may part a line, by where in the world it runs. */
const parting = /[",;\t\r\n]/

/** One cell. Nothing between the commas is what is not known; an empty text stands in quotes. */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  if (value === '') return '""'
  const text = formula.test(value) ? `'${value}` : value
  return parting.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
