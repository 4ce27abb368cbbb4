// Numbers as people type them. Both `.` and `,` are accepted as the decimal mark, and as the mark between groups of three digits.

const spaces = /[\s_'’]/g
const grouped = /^\d{1,3}(?:,\d{3})+$|^\d{1,3}(?:\.\d{3})+$/

/** Parses a whole number such as `1000`, `1,000` or `1 000`, of at most 10 digits. Null when empty, undefined when invalid. */
export function parseWhole(typed: string): number | null | undefined {
  const text = typed.replace(spaces, '')
  if (text === '') return null
  const digits = grouped.test(text) ? text.replace(/[.,]/g, '') : text
  return /^\d{1,10}$/.test(digits) ? Number(digits) : undefined
}

/**
 * Parses an amount to an exact decimal string without needless zeros. A mark that occurs once is the decimal mark, so `1,000` is 1: an amount is
 * rather understood too small, and the field shows it. Of two different marks, the last one is the decimal mark.
 * Null when empty, undefined when invalid: up to 12 digits before the mark and 9 after it.
 */
export function parseDecimal(typed: string): string | null | undefined {
  const text = typed.replace(spaces, '')
  if (text === '') return null
  const at = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'))
  const isGroupMark = at !== -1 && text.indexOf(text.charAt(at)) !== at
  const [before, after] = at === -1 || isGroupMark ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
  const digits = grouped.test(before) ? before.replace(/[.,]/g, '') : before
  if (!/^\d{0,12}$/.test(digits) || !/^\d{0,9}$/.test(after) || digits + after === '') return undefined
  const whole = digits.replace(/^0+(?=\d)/, '') || '0'
  const fraction = after.replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
