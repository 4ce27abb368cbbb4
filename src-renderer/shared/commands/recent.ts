import { localStore } from '../storage.ts'

const key = 'palette.recent'
const most = 30

/** Ids of recently chosen entries, latest first. */
export function recentIds(): string[] {
  const kept = localStore.getJson(key)
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string').slice(0, most) : []
}

export function remember(id: string): void {
  localStore.setJson(key, [id, ...recentIds().filter((one) => one !== id)].slice(0, most))
}
