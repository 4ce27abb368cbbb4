import { StudioError } from '../../errors.ts'
import type { Refusal } from './errorReplies.ts'
import type { LocalV1Settings } from './localV1.ts'
import { startProxy } from './server.ts'

/** Short, because the request was never sent and the start mostly takes seconds. */
const retryAfterMs = 2000
const startingUp: Refusal = {
  status: 503,
  type: 'studio_unavailable',
  code: 'opening',
  message: 'Inference Studio is preparing its data. Try again in a few seconds.',
  retryAfterMs,
  // The next request must reach the real server on a new connection.
  close: true,
}

/**
 * Starts a server on the port of the local API for the time in which app keys can't be read. Requests that pass the guard get 503 with a
 * `Retry-After`. Returns null if the local API is off or the port is not available; the real server reports that problem later.
 */
export async function startStartingUpServer(
  { enabled, port, ipv6, beyond }: LocalV1Settings,
  allowedOrigins: readonly string[],
): Promise<{ baseUrl: string; close(): Promise<void> } | null> {
  // No client knows a port that is chosen only at the real start.
  if (!enabled || port === 0) return null
  const unexpected = (): never => {
    throw new StudioError('bug', 'A request was let in before the app keys could be read.')
  }
  const nothing = (): void => undefined
  const deps = {
    verify: unexpected,
    relay: unexpected,
    used: unexpected,
    refused: nothing,
    changed: nothing,
    failed: nothing,
  }
  try {
    return await startProxy(
      { port, ipv6, beyond },
      { ...deps, closed: startingUp, allowedOrigins: () => allowedOrigins },
    )
  } catch {
    return null
  }
}
