import { DialectError } from '../dialectError.ts'
import type { JsonObject } from '../types.ts'

/**
 * The request of a turn on a WebSocket, from a `response.create` message. Its reply is always streamed, whatever `stream` says.
 * @throws DialectError for a message of another type, and for a warm-up without output
 */
export function turnRequest({ type, stream: _, ...body }: JsonObject): JsonObject {
  if (type !== 'response.create') {
    throw new DialectError(
      'type',
      'A message must be a JSON object with the type response.create.',
      'unknown_message_type',
    )
  }
  // Coding agents use it to prepare a connection. A reply that nobody reads would have a price.
  if (body.generate === false) {
    throw new DialectError('generate', 'The service has no request without output. Leave out generate.')
  }
  return { ...body, stream: true }
}
