/** Parses a port, 0 to 65535. Null when invalid. */
export function parsePort(typed: string): number | null {
  const text = typed.trim()
  if (!/^\d{1,5}$/.test(text)) return null
  const port = Number(text)
  return port <= 65_535 ? port : null
}
