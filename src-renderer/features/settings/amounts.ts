/** Parses an amount of SC: null for empty, undefined when not above 0. A single comma counts as the decimal point. */
export function readAmount(typed: string): string | null | undefined {
  const text = typed.trim().replace(/^([\d]*),(\d+)$/, '$1.$2')
  if (text === '') return null
  const parts = /^(\d{0,12})(?:\.(\d{0,9}))?$/.exec(text)
  const whole = (parts?.[1] ?? '').replace(/^0+(?=\d)/, '') || '0'
  const fraction = (parts?.[2] ?? '').replace(/0+$/, '')
  if (!parts || (whole === '0' && fraction === '')) return undefined
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Parses a share in per cent, 1 to 99. Null when invalid. */
export function readShare(typed: string): number | null {
  const text = typed.trim().replace(/\s*%$/, '')
  return /^[1-9]\d?$/.test(text) ? Number(text) : null
}
