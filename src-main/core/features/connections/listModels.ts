import type { Model } from '../../../../src-preload/contract/models.ts'
import { StudioError } from '../../errors.ts'
import type { ListPlace } from '../../store/modelLists.ts'
import type { Store } from '../../store/store.ts'

export interface ModelsFeature {
  store: Store
  /** The active profile and its address, whether it answers or not. */
  place(): ListPlace | null
  /** Fetches the list and stores it as that profile's. @throws StudioError */
  fetch(): Promise<unknown>
}

/** The list as last fetched, with its age; asks when there is none yet or `refresh` is set. @throws StudioError */
export async function listModels(
  feature: ModelsFeature,
  { refresh }: { refresh: boolean },
): Promise<{ models: Model[]; asOf: string }> {
  const stored = (): { models: Model[]; asOf: string } | null => {
    const place = feature.place()
    return place === null ? null : feature.store.modelLists.find(place)
  }
  const known = refresh ? null : stored()
  if (known) return known
  await feature.fetch()
  const fetched = stored()
  if (!fetched) throw new StudioError('not_connected', 'Nothing is connected yet.')
  return fetched
}
