import type { Endpoint } from '../../../../src-preload/contract/requests.ts'
import { comparablePath } from '../path.ts'

const byPath: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/completions', 'completions'],
  ['/v1/audio/speech', 'speech'],
  ['/v1/audio/transcriptions', 'transcription'],
  ['/v1/images/generations', 'images'],
])

/**
 * The endpoint of a path below the base address. Query and case are ignored, since some servers route without regard to case. `models`,
 * `account` and `files` are GET and HEAD only (specification, Endpoints): with another method such a path is `other`.
 */
export function endpointOf(method: string, path: string): Endpoint {
  const bare = comparablePath(path)
  const named = byPath.get(bare)
  if (named) return named
  if (method !== 'GET' && method !== 'HEAD') return 'other'
  if (/^\/v1\/models(?:\/|$)/.test(bare)) return 'models'
  if (/^\/v1\/(?:keys|usage|rate-limit)(?:\/|$)/.test(bare)) return 'account'
  // The specification leaves the paths of files open: outside /v1, or under it beside pictures and files.
  return !/^\/v1(?:\/|$)/.test(bare) || /^\/v1\/(?:images|files)\//.test(bare) ? 'files' : 'other'
}

/** Whether an endpoint works for credits and takes a concurrent slot of the key (specification, Limits). */
export const isInference = (endpoint: Endpoint): boolean =>
  endpoint === 'chat' ||
  endpoint === 'completions' ||
  endpoint === 'speech' ||
  endpoint === 'transcription' ||
  endpoint === 'images'

/**
 * Whether an endpoint only reads. Read-outs cost nothing, so an app may use them after its budget is spent, and whatever models it may use.
 */
export const isReadOut = (endpoint: Endpoint): boolean =>
  endpoint === 'models' || endpoint === 'account' || endpoint === 'files'
