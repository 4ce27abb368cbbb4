import type { Endpoint } from '../../../src-preload/contract/requests.ts'
import { comparablePath } from './path.ts'

const byPath: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/completions', 'completions'],
  ['/v1/audio/speech', 'speech'],
  ['/v1/audio/transcriptions', 'transcription'],
  ['/v1/images/generations', 'images'],
])

/**
 * Which endpoint of the specification a path below the base address is; neither its query nor its case counts, since some servers route without regard to
 * case. `models`, `account` and `files` are GET and HEAD only (specification, Endpoints): with another method such a path is `other`.
 */
export function endpointOf(method: string, path: string): Endpoint {
  const bare = comparablePath(path)
  const named = byPath.get(bare)
  if (named) return named
  if (method !== 'GET' && method !== 'HEAD') return 'other'
  if (/^\/v1\/models(?:\/|$)/.test(bare)) return 'models'
  if (/^\/v1\/(?:keys|usage|rate-limit)(?:\/|$)/.test(bare)) return 'account'
  // The specification leaves the paths of files open: outside /v1, or under it where pictures and files would lie.
  return !/^\/v1(?:\/|$)/.test(bare) || /^\/v1\/(?:images|files)\//.test(bare) ? 'files' : 'other'
}

/** Endpoints that make the service work for credits and hold a concurrent slot of the key (specification, Limits). */
export const isInference = (endpoint: Endpoint): boolean =>
  endpoint === 'chat' ||
  endpoint === 'completions' ||
  endpoint === 'speech' ||
  endpoint === 'transcription' ||
  endpoint === 'images'

/** Read-outs: not work that is charged for, so an app that spent its budget, or may use certain models only, can still see what there is. */
export const isReadOut = (endpoint: Endpoint): boolean =>
  endpoint === 'models' || endpoint === 'account' || endpoint === 'files'
