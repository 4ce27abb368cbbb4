import { ServiceError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import { chat } from './chat.ts'
import { imageFile, images } from './images.ts'
import * as readouts from './readouts.ts'
import { speech } from './speech.ts'
import { transcription } from './transcription.ts'

export interface SandboxRoute {
  method: 'GET' | 'POST'
  /** `{name}` matches one segment. */
  path: string
  run: (call: Call) => Promise<void>
}

const legacy = () =>
  Promise.reject(
    new ServiceError(501, 'not_implemented', 'Text completions are not implemented. Use /v1/chat/completions.'),
  )

export const ROUTES: readonly SandboxRoute[] = [
  { method: 'GET', path: '/v1/models', run: readouts.models },
  { method: 'POST', path: '/v1/chat/completions', run: chat },
  { method: 'POST', path: '/v1/completions', run: legacy },
  { method: 'POST', path: '/v1/audio/speech', run: speech },
  { method: 'POST', path: '/v1/audio/transcriptions', run: transcription },
  { method: 'POST', path: '/v1/images/generations', run: images },
  { method: 'GET', path: '/v1/rate-limit', run: readouts.rateLimit },
  { method: 'GET', path: '/v1/keys/', run: readouts.listKeys },
  { method: 'GET', path: '/v1/keys/current', run: readouts.currentKey },
  { method: 'GET', path: '/v1/keys/current/usage', run: readouts.keyUsage },
  { method: 'GET', path: '/v1/keys/current/usage/daily', run: readouts.keyDailyUsage },
  { method: 'GET', path: '/v1/keys/{keyId}/usage', run: readouts.keyUsage },
  { method: 'GET', path: '/v1/keys/{keyId}/usage/daily', run: readouts.keyDailyUsage },
  { method: 'GET', path: '/v1/usage', run: readouts.usage },
  // The `url`s of generated images. They require the API key too.
  { method: 'GET', path: '/v1/images/{name}', run: imageFile },
  // The sandbox's own route, outside the service.
  { method: 'GET', path: '/sandbox/requests', run: readouts.seenRequests },
]

/** The first matching route. Throws 404 with a message, with `Allow` if only the method is wrong. */
export function findRoute(method: string, path: string): { route: SandboxRoute; parameters: Record<string, string> } {
  const fitting = ROUTES.flatMap((route) => {
    const parameters = match(route.path, path)
    return parameters ? [{ route, parameters }] : []
  })
  const found = fitting.find(({ route }) => route.method === method)
  if (found) return found
  if (fitting.length === 0) throw new ServiceError(404, 'route_not_found', `There is nothing at ${path}.`)
  const allowed = fitting.map(({ route }) => route.method).join(', ')
  throw new ServiceError(404, 'method_not_found', `${path} answers ${allowed}, not ${method}.`, { Allow: allowed })
}

function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return null
  const parameters: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const actual = given[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name !== undefined && actual !== '') parameters[name] = actual
    else if (part !== actual) return null
  }
  return parameters
}
