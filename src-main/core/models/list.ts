import type { Model } from '../../../src-preload/contract/models.ts'
import { StudioError } from '../errors.ts'
import type { Store } from '../store/store.ts'

export interface ModelsRoom {
  store: Store
  /** Base address of the active profile, whether it answers or not. */
  baseUrl(): string | null
  /** Fetches the list and stores it under the base address. @throws StudioError */
  fetch(): Promise<unknown>
}

/** The list as last fetched, with its age; asks when there is none yet or `refresh` is set. @throws StudioError */
export async function listModels(
  room: ModelsRoom,
  { refresh }: { refresh: boolean },
): Promise<{ models: Model[]; asOf: string }> {
  const stored = (): { models: Model[]; asOf: string } | null => {
    const baseUrl = room.baseUrl()
    return baseUrl === null ? null : room.store.modelLists.find(baseUrl)
  }
  const known = refresh ? null : stored()
  if (known) return known
  await room.fetch()
  const fetched = stored()
  if (!fetched) throw new StudioError('not_connected', 'Nothing is connected yet.')
  return fetched
}
