/** A JSON object with unchecked members. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A count of a reply, also as text, or null unless it is a whole number that can be added up. */
export function countOrNull(value: unknown): number | null {
  if (typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
