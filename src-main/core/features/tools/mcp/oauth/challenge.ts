/** The reason that an MCP server gave when it refused a request. Untrusted. @see RFC 6750, section 3; RFC 9728, section 5.1 */
export interface Challenge {
  resourceMetadataUrl: string | null
  /** Space-separated permissions. */
  scope: string | null
  /** Whether the token is valid and lacks permissions (403 `insufficient_scope`). */
  isAboutScope: boolean
}

export const noChallenge: Challenge = { resourceMetadataUrl: null, scope: null, isAboutScope: false }

/** `facts.code` of a failed sign-in for which a person must enter a client ID. */
export const clientNeeded = 'client_needed'
/** `facts.code` of a request that was refused because its token lacks permissions. */
export const scopeNeeded = 'insufficient_scope'

/** Upper limit of the permissions of one request, of the length of a name, and of all names together. */
const most = { scopes: 100, name: 200, length: 4000 }

/** The permissions in a text, each once, without those that the standard does not allow. @see RFC 6749, section 3.3 */
export function scopeNames(scope: string | null | undefined): string[] {
  const names = (scope ?? '').slice(0, most.length).split(' ')
  return [...new Set(names)]
    .filter((name) => name.length <= most.name && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))
    .slice(0, most.scopes)
}
