import type { ErrorResponse, ErrorType } from '@anthropic-ai/sdk/resources/shared'
import type { DialectProblem, JsonObject } from '../types.ts'

/** `request_too_large` is documented for 413 but is missing in the SDK's type. */
type MessagesErrorType = ErrorType | 'request_too_large'

const types: ReadonlyMap<number, MessagesErrorType> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

/** `error.type` for an HTTP status. The SDK decides about a retry from the status and `x-should-retry`, never from the type. */
function errorTypeOf(status: number): MessagesErrorType {
  return types.get(status) ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error')
}

/** The body of an error reply. The API has no field for the parameter, so the message begins with its path. */
export function problemBody(problem: DialectProblem, requestId: string | null): JsonObject {
  return bodyOf(errorTypeOf(problem.status), problem, requestId)
}

/**
 * The data of an `error` event. A failure of the service is always `api_error` here: agents may take `overloaded_error` as a reason to send
 * the request again, although a part of the reply has arrived and may have been paid for.
 */
export function problemOfStream(problem: DialectProblem): JsonObject {
  return bodyOf(problem.status >= 500 ? 'api_error' : errorTypeOf(problem.status), problem, null)
}

function bodyOf(
  type: MessagesErrorType,
  { message, param, details }: DialectProblem,
  requestId: string | null,
): JsonObject {
  const text = param === null || message.startsWith(param) ? message : `${param}: ${message}`
  return {
    type: 'error',
    error: details === undefined ? { type, message: text } : { type, message: text, details },
    request_id: requestId,
  } satisfies Omit<ErrorResponse, 'error'> & {
    error: { type: MessagesErrorType; message: string; details?: JsonObject }
  }
}
