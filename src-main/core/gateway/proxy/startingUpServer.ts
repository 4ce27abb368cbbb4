import { StudioError } from '../../errors.ts'
import type { Refusal } from './errorReplies.ts'
import type { LocalV1Settings } from './localV1.ts'
import { startProxy } from './server.ts'

/** In seconds a client asks again: its request was never sent. */
const retryAfterMs = 2000
const opening: Refusal = {
  status: 503,
  type: 'studio_unavailable',
  code: 'opening',
  message: 'Inference Studio is getting its data ready. Ask again in a few seconds.',
  retryAfterMs,
  // Who comes again meets another server.
  close: true,
}

/**
 * Stands where the local /v1 will, while nobody can look keys up: whoever gets past the gate is told to ask again. Null where it should not
 * stand, or can't: what the local /v1 meets on that port it says itself.
 */
export async function startStartingUpServer(
  { enabled, port, ipv6 }: LocalV1Settings,
  allowedOrigins: readonly string[],
): Promise<{ baseUrl: string; close(): Promise<void> } | null> {
  // Nobody knows a port that is not chosen yet.
  if (!enabled || port === 0) return null
  const nobody = (): never => {
    throw new StudioError('bug', 'Nobody is let in before the keys can be read.')
  }
  const nothing = (): void => undefined
  const deps = { verify: nobody, relay: nobody, used: nobody, refused: nothing, changed: nothing, failed: nothing }
  try {
    return await startProxy({ port, ipv6 }, { ...deps, closed: opening, allowedOrigins: () => allowedOrigins })
  } catch {
    return null
  }
}
