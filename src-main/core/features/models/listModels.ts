import type { Model } from '../../../../src-preload/contract/models.ts'
import { StudioError } from '../../errors.ts'
import type { ListPlace } from '../../store/modelLists.ts'
import type { Store } from '../../store/store.ts'

/** Dependencies of `listModels`. */
export interface ModelsFeature {
  store: Store
  /** The active profile and its address, or null. The service need not answer. */
  place(): ListPlace | null
  /** Fetches the list and stores it for that profile. @throws StudioError */
  fetch(): Promise<unknown>
}

/** Returns the stored model list with its age. Fetches it if there is none or `refresh` is set. @throws StudioError */
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
