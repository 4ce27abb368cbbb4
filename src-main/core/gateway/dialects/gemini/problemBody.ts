import type { DialectProblem, JsonObject } from '../types.ts'

/** `error.status` by HTTP status: names of google.rpc.Code. @see https://cloud.google.com/apis/design/errors */
const names: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [402, 'FAILED_PRECONDITION'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [405, 'UNIMPLEMENTED'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

const nameOf = (status: number): string =>
  names.get(status) ?? (status >= 400 && status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')

/** The body of an error reply, and the last element of a stream that failed. A field of the request is named as the API names it. */
export function problemBody({ status, message, param }: DialectProblem): JsonObject {
  const violation = { field: param, description: message }
  const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] }]
  return { error: { code: status, message, status: nameOf(status), ...(param !== null && { details }) } }
}

/**
 * The element of a stream that reports its failure. A failure of the service is always `ABORTED` here: Gemini CLI takes codes of 500 and more as
 * a reason to send the request again, although a part of the reply has arrived and may have been paid for.
 */
export const problemOfStream = (problem: DialectProblem): JsonObject =>
  problemBody(problem.status >= 500 ? { ...problem, status: 409 } : problem)
