/** An amount of SC as it is typed: null for none, undefined for what is no amount above 0. A comma is a point where there is one alone. */
export function readAmount(typed: string): string | null | undefined {
  const text = typed.trim().replace(/^([\d]*),(\d+)$/, '$1.$2')
  if (text === '') return null
  const parts = /^(\d{0,12})(?:\.(\d{0,9}))?$/.exec(text)
  const whole = (parts?.[1] ?? '').replace(/^0+(?=\d)/, '') || '0'
  const fraction = (parts?.[2] ?? '').replace(/0+$/, '')
  if (!parts || (whole === '0' && fraction === '')) return undefined
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** A share in per cent, 1 to 99; null for anything else. */
export function readShare(typed: string): number | null {
  const text = typed.trim().replace(/\s*%$/, '')
  return /^[1-9]\d?$/.test(text) ? Number(text) : null
}
