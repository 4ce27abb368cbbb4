/** An error with the service's own message. Becomes `{ error: { message, type, code } }` with its status. */
export class ServiceError extends Error {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly headers: Record<string, string>

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.name = 'ServiceError'
    this.status = status
    this.type = typeOfStatus(status)
    this.code = code
    this.headers = headers
  }
}

/** The client has closed the connection, so no reply is possible. Never leaves the sandbox. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection')
    this.name = 'ClientGone'
  }
}

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'insufficient_credits',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'internal_error',
  501: 'not_implemented_error',
  502: 'upstream_error',
  503: 'unavailable_error',
  504: 'timeout_error',
}

/** The service's message for each status of its table (section Errors). */
const WORDS: Record<number, string> = {
  400: 'The request is not valid.',
  401: 'The credential is not valid.',
  402: 'There are not enough credits for this request.',
  403: 'This credential has no permission for this request.',
  404: 'No such model or resource.',
  429: 'Too many requests; wait a little.',
  500: 'Something went wrong inside the service.',
  501: 'Not implemented.',
  502: 'The service could not reach the model.',
  503: 'The service is not available for the moment.',
  504: 'The model did not answer in time.',
}

export const typeOfStatus = (status: number) => TYPES[status] ?? 'error'
export const wordsOfStatus = (status: number) => WORDS[status] ?? `The service answered ${status}.`

export const errorBody = (error: ServiceError) => ({
  error: { message: error.message, type: error.type, code: error.code },
})
