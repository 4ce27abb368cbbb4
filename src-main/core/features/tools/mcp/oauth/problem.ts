import {
  IssuerMismatchError,
  OAuthClientFlowError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client'
import { StudioError } from '../../../../errors.ts'
import { clientNeeded } from './challenge.ts'

/**
 * Converts a failure of a sign-in to an error that a person can read. Contains no text of a server except a standard error code, because a
 * reply may repeat a token.
 * @param host of the server that answered
 */
export function signInProblem(thrown: unknown, host: string): StudioError {
  if (thrown instanceof StudioError) return thrown
  if (thrown instanceof OAuthError) return ofCode(thrown.code, host)
  if (thrown instanceof RegistrationRejectedError) {
    const words = `${host} does not register Inference Studio by itself (${thrown.status}). Enter a client ID.`
    return new StudioError('forbidden', words, { code: clientNeeded, status: thrown.status })
  }
  if (thrown instanceof IssuerMismatchError) {
    return new StudioError('foreign_address', `The sign-in was stopped: the answer does not come from ${host}.`)
  }
  if (thrown instanceof OAuthClientFlowError) {
    return new StudioError('foreign_address', `The sign-in was stopped: ${host} uses an address that is not safe.`)
  }
  // A reply that does not match its schema, no JSON, or a feature that the authorization server lacks.
  return new StudioError('malformed_reply', `${host} did not follow the rules of a sign-in.`, {}, { cause: thrown })
}

/** Sentences for error codes. @see RFC 6749, sections 4.1.2.1 and 5.2; RFC 8707, section 2 */
const known: Readonly<Record<string, (host: string) => StudioError>> = {
  access_denied: (host) => new StudioError('forbidden', `${host} reports that access was not allowed.`),
  invalid_grant: (host) =>
    new StudioError(
      'unauthorized',
      `${host} did not accept the sign-in: it has expired or was used before. Sign in again.`,
    ),
  invalid_client: (host) =>
    new StudioError('unauthorized', `${host} does not know this client ID, or the client secret is wrong.`, {
      code: clientNeeded,
    }),
  unauthorized_client: (host) =>
    new StudioError('forbidden', `${host} does not allow this client ID to sign in here.`, { code: clientNeeded }),
  invalid_scope: (host) =>
    new StudioError('forbidden', `${host} does not give the permissions that the server asks for.`),
  invalid_target: (host) => new StudioError('forbidden', `${host} gives no access to this server.`),
  temporarily_unavailable: (host) => new StudioError('unavailable', `${host} is not available now. Try again later.`),
  server_error: (host) => new StudioError('internal', `${host} failed. Try again later.`),
}

function ofCode(code: string, host: string): StudioError {
  const sentence = Object.hasOwn(known, code) ? known[code] : undefined
  if (sentence) return sentence(host)
  // Only a code in the standard's form, which cannot be a token of usual length.
  const shown = /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : ''
  return new StudioError('unauthorized', `${host} refused the sign-in${shown}.`)
}

/** The failure that an authorization server reports in the address of the redirect. */
export const redirectProblem = (code: string, host: string): StudioError => ofCode(code, host)
