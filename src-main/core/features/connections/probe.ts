import type { Model } from '../../../../src-preload/contract/models.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { Upstream } from '../../upstream/client.ts'
import type { CallOptions } from '../../upstream/types.ts'

/**
 * Like `fetchModelList`, but with a single attempt and a time limit of `answerMs` (ms). First opens a TCP connection, which costs no
 * request.
 * @throws StudioError
 */
export async function checkModels(upstream: Upstream, answerMs: number): Promise<Model[]> {
  await upstream.reach()
  const timeout = AbortSignal.timeout(answerMs)
  try {
    return await fetchModelList(upstream, { once: true, signal: timeout })
  } catch (thrown) {
    if (!timeout.aborted) throw thrown
    throw new StudioError('headers_timeout', 'The service did not begin to answer in time.', {}, { cause: thrown })
  }
}

/** Fetches the model list without storing it. @throws StudioError */
export async function fetchModelList(
  upstream: Pick<Upstream, 'listModels'>,
  options: CallOptions = {},
): Promise<Model[]> {
  const { value } = await upstream.listModels(options)
  return value.data.map(({ id, created, owned_by }) => ({
    id,
    created: created ?? null,
    ownedBy: owned_by ?? null,
  }))
}

/** Result of a connection test: number of models, and details of the API key if the service has them. */
export interface ProbeResult {
  baseUrl: string
  models: number
  keyPrefix: string | null
  keyName: string | null
}

/** Describes an address and an API key before they are stored. Stores nothing. @throws StudioError */
export async function probe(upstream: Upstream): Promise<ProbeResult> {
  const { value } = await upstream.listModels()
  // The details of the API key are optional: a service that lacks them can still be used.
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
