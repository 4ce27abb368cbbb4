/** A port as typed, 0 to 65535, or null. */
export function parsePort(typed: string): number | null {
  const text = typed.trim()
  if (!/^\d{1,5}$/.test(text)) return null
  const port = Number(text)
  return port <= 65_535 ? port : null
}
