import type { Endpoint } from '../../../src-preload/contract/requests.ts'

const byPath: Record<string, Endpoint> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/audio/speech': 'speech',
  '/v1/audio/transcriptions': 'transcription',
  '/v1/images/generations': 'images',
}

/** Which endpoint of the specification a path below the base address is; the query does not count. */
export function endpointOf(method: string, path: string): Endpoint {
  const bare = path.split('?', 1)[0] ?? ''
  const named = byPath[bare.endsWith('/') ? bare.slice(0, -1) : bare]
  if (named) return named
  if (/^\/v1\/models(?:\/|$)/.test(bare)) return 'models'
  if (/^\/v1\/(?:keys|usage|rate-limit)(?:\/|$)/.test(bare)) return 'account'
  const reads = method === 'GET' || method === 'HEAD'
  // The specification leaves the paths of files open: outside /v1, or under it where pictures and files would lie.
  return reads && (!bare.startsWith('/v1/') || /^\/v1\/(?:images|files)\//.test(bare)) ? 'files' : 'other'
}

/** Endpoints that make the service work for credits and hold a concurrent slot of the key (specification, Limits). */
export const isInference = (endpoint: Endpoint): boolean =>
  endpoint === 'chat' ||
  endpoint === 'completions' ||
  endpoint === 'speech' ||
  endpoint === 'transcription' ||
  endpoint === 'images'
