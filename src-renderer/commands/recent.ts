const key = 'palette.recent'
const most = 30

/** Ids of what was chosen in the palette, the latest first. */
export function recentIds(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string').slice(0, most) : []
  } catch {
    // What can't be read is what this window never wrote: begin anew.
    return []
  }
}

export function remember(id: string): void {
  localStorage.setItem(key, JSON.stringify([id, ...recentIds().filter((one) => one !== id)].slice(0, most)))
}
