import type { Model } from '../../../src-preload/contract/models.ts'
import { asStudioError } from '../errors.ts'
import type { ListPlace } from '../store/modelLists.ts'
import type { Store } from '../store/store.ts'
import type { Upstream } from '../upstream/client.ts'

/** Fetches the model list and keeps it with its age. @throws StudioError */
export async function askModels(
  upstream: Pick<Upstream, 'listModels'>,
  place: ListPlace,
  store: Store,
): Promise<Model[]> {
  const { value } = await upstream.listModels()
  const models = value.data.map(({ id, created, owned_by }) => ({
    id,
    created: created ?? null,
    ownedBy: owned_by ?? null,
  }))
  store.modelLists.save(place, models, new Date().toISOString())
  return models
}

export interface Tested {
  baseUrl: string
  models: number
  keyPrefix: string | null
  keyName: string | null
}

/** What a person sees of an address and a key before they are kept. Keeps nothing. @throws StudioError */
export async function probe(upstream: Upstream): Promise<Tested> {
  const { value } = await upstream.listModels()
  // The key's own record is a kindness: a service that answers the list but not this one can still be used.
  const key = await upstream.getCurrentKey().then(
    (reply) => reply.value,
    (thrown: unknown) => {
      const failure = asStudioError(thrown)
      if (failure.kind === 'unauthorized' || failure.kind === 'bug') throw failure
      return null
    },
  )
  const { url } = upstream.base
  return { baseUrl: url, models: value.data.length, keyPrefix: key?.key_prefix ?? null, keyName: key?.name ?? null }
}
