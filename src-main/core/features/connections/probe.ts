import type { Model } from '../../../../src-preload/contract/models.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { Upstream } from '../../upstream/client.ts'
import type { CallOptions } from '../../upstream/types.ts'

/**
 * The same, once and without patience: first whether anybody is there, which costs no request. `answerMs` is all that the answer may take.
 * @throws StudioError
 */
export async function askAgain(upstream: Upstream, answerMs: number): Promise<Model[]> {
  await upstream.reach()
  const late = AbortSignal.timeout(answerMs)
  try {
    return await askModels(upstream, { once: true, signal: late })
  } catch (thrown) {
    if (!late.aborted) throw thrown
    throw new StudioError('headers_timeout', 'The service did not begin to answer in time.', {}, { cause: thrown })
  }
}

/** Fetches the model list. Keeps nothing. @throws StudioError */
export async function askModels(upstream: Pick<Upstream, 'listModels'>, options: CallOptions = {}): Promise<Model[]> {
  const { value } = await upstream.listModels(options)
  return value.data.map(({ id, created, owned_by }) => ({
    id,
    created: created ?? null,
    ownedBy: owned_by ?? null,
  }))
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
