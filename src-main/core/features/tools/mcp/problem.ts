import { InsufficientScopeError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import type { ProblemKind } from '../../../../../src-preload/contract/problem.ts'
import { StudioError } from '../../../errors.ts'
import { scopeNeeded } from './oauth/challenge.ts'

/**
 * Converts a failure of a server to an error that a person can read. `ended` describes how the process of the server ended,
 * or is null.
 */
export function asProblem(thrown: unknown, ended: string | null): StudioError {
  if (thrown instanceof StudioError) return thrown
  if (thrown instanceof InsufficientScopeError) {
    return new StudioError('forbidden', 'It needs more permissions (403).', { status: 403, code: scopeNeeded })
  }
  if (thrown instanceof SdkHttpError) return ofStatus(thrown)
  if (thrown instanceof SdkError) return ofLibrary(thrown, ended)
  const words = thrown instanceof Error ? thrown.message : String(thrown)
  const code = networkCode(thrown)
  if (code !== null) return ofNetwork(code)
  if (ended !== null) return new StudioError('connection_lost', `It ended ${ended}.`, {}, { cause: thrown })
  return new StudioError('malformed_reply', `It did not follow the protocol: ${short(words)}`, {}, { cause: thrown })
}

const short = (words: string): string => words.replaceAll(/\s+/g, ' ').slice(0, 500).toWellFormed()

function ofStatus(thrown: SdkHttpError): StudioError {
  const { status } = thrown.data
  const facts = { status }
  if (thrown.message.includes('Redirect')) {
    return new StudioError(
      'foreign_address',
      `It redirects to another address, which is not allowed: ${short(thrown.message)}`,
      facts,
    )
  }
  if (status === 401) {
    return new StudioError(
      'unauthorized',
      'It did not accept the Authorization header (401). Enter a valid one.',
      facts,
    )
  }
  if (status === 403) return new StudioError('forbidden', 'It refuses access (403).', facts)
  if (status === 404) return new StudioError('not_found', 'There is no MCP server at this address (404).', facts)
  return new StudioError('unexpected_status', `It answered with ${status}: ${short(thrown.message)}`, facts)
}

function ofLibrary(thrown: SdkError, ended: string | null): StudioError {
  const cause = { cause: thrown }
  const code = networkCode(thrown) ?? networkCode(causeInData(thrown.data))
  if (code !== null) return ofNetwork(code)
  if (ended !== null) return new StudioError('connection_lost', `It ended ${ended}.`, {}, cause)
  const kinds: Partial<Record<SdkErrorCode, [ProblemKind, string]>> = {
    [SdkErrorCode.RequestTimeout]: ['connect_timeout', 'It did not answer in time.'],
    [SdkErrorCode.ConnectionClosed]: ['connection_lost', 'The connection to it ended.'],
    [SdkErrorCode.NotConnected]: ['connection_lost', 'The connection to it ended.'],
    [SdkErrorCode.UnsupportedResultType]: [
      'not_implemented',
      'It requests more input, which Inference Studio gives to no server.',
    ],
  }
  const known = kinds[thrown.code]
  if (known) return new StudioError(known[0], known[1], {}, cause)
  return new StudioError('malformed_reply', `It did not follow the protocol: ${short(thrown.message)}`, {}, cause)
}

const causeInData = (data: unknown): unknown =>
  typeof data === 'object' && data && 'cause' in data ? data.cause : null

/** Network error code of an error or one of its causes. */
function networkCode(thrown: unknown, depth = 0): string | null {
  if (!(thrown instanceof Error) || depth > 5) return null
  if (
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    /^(E[A-Z]+$|UND_ERR|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(thrown.code)
  ) {
    return thrown.code
  }
  return networkCode(thrown.cause, depth + 1)
}

function ofNetwork(code: string): StudioError {
  if (/^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    return new StudioError('tls_failed', `Its certificate is not valid (${code}).`)
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') {
    return new StudioError('connection_lost', `The connection to it broke (${code}).`)
  }
  return new StudioError('connect_failed', `Nothing answers at its address (${code}).`)
}
