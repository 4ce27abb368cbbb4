import { createHash } from 'node:crypto'
import * as z from 'zod'
import { asStudioError, StudioError } from '../../../../errors.ts'
import type { SecretStore } from '../../../../host.ts'
import { parseJson } from '../../../../store/rows.ts'
import type { Store } from '../../../../store/store.ts'

/** A program as an authorization server knows it. */
const oauthClient = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  /** Seconds since 1970; 0: the client never expires. */
  client_secret_expires_at: z.number().optional(),
  token_endpoint_auth_method: z.string().optional(),
  /** Redirect address that the client was registered with. Null: a person entered the client. */
  redirectUrl: z.string().nullable(),
})
export type StoredOAuthClient = z.infer<typeof oauthClient>

const oauthTokens = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  /** Granted permissions, space-separated, or null if the authorization server did not name them. */
  scope: z.string().nullable(),
  /** When the access token expires, ms since 1970. Null: unknown. */
  expiresAt: z.number().nullable(),
})
export type StoredOAuthTokens = z.infer<typeof oauthTokens>

const oauthGrant = z.object({
  /** Address of the MCP server for which the tokens were issued. They are sent nowhere else. */
  serverUrl: z.string(),
  /** Identifier of the MCP server at the authorization server (RFC 8707). */
  resource: z.string(),
  issuer: z.string(),
  tokenEndpoint: z.string(),
  tokenAuthMethods: z.array(z.string()),
  revocationEndpoint: z.string().nullable(),
  client: oauthClient,
  /** Null after signing out, or after the authorization server refused them. */
  tokens: oauthTokens.nullable(),
})
/** The result of a sign-in to one MCP server: the client and its tokens. Secret as a whole. */
export type OAuthGrant = z.infer<typeof oauthGrant>

export interface HeldGrant {
  readonly grant: OAuthGrant
  readonly storedIn: 'keychain' | 'session'
}

/** Largest part, in bytes: the credential store of Windows accepts 2,560 bytes per entry. */
const partBytes = 2000
const maxParts = 32

const head = z.object({ parts: z.number().int().min(1).max(maxParts), sha256: z.string() })

const accountOf = (serverId: string, part: number): string => `mcp-oauth:${serverId}:${part}`

/** All keychain accounts that may contain a part of the sign-in of a server. Part 0 says how many parts there are. */
export const grantAccounts = (serverId: string): string[] =>
  Array.from({ length: maxParts + 1 }, (_, part) => accountOf(serverId, part))

export interface OAuthGrantsOptions {
  secrets: SecretStore
  servers: Store['mcpServers']
  log: (line: string) => void
}

/**
 * Client and tokens of each server, in the keychain. Without a keychain they stay in memory until the program ends. The database stores
 * only the issuer, so that the keychain is not asked for servers that never had a sign-in.
 */
export class OAuthGrants {
  readonly #options: OAuthGrantsOptions
  readonly #held = new Map<string, HeldGrant>()

  constructor(options: OAuthGrantsOptions) {
    this.#options = options
  }

  /**
   * The grant of a server, or null. A grant for another address, or one that was written incompletely, counts as none.
   * @throws StudioError `keychain_missing`, `keychain_locked`
   */
  async read(serverId: string, serverUrl: string): Promise<HeldGrant | null> {
    const held = this.#held.get(serverId) ?? (await this.#load(serverId))
    if (held?.grant.serverUrl !== serverUrl) return null
    this.#held.set(serverId, held)
    return held
  }

  /** Stores a grant. Never throws for an unavailable keychain: the grant then lasts until the program ends. */
  async write(serverId: string, grant: OAuthGrant): Promise<HeldGrant> {
    // In memory first: the authorization server may have replaced the refresh token already.
    this.#held.set(serverId, { grant, storedIn: 'session' })
    try {
      await this.#save(serverId, grant)
    } catch (thrown) {
      this.#options.log(`The sign-in of a server lasts until the program ends: ${asStudioError(thrown).message}`)
      return { grant, storedIn: 'session' }
    }
    const held: HeldGrant = { grant, storedIn: 'keychain' }
    this.#held.set(serverId, held)
    return held
  }

  /**
   * Deletes the tokens, and the client unless a person entered it: an authorization server may forget a registered client with its tokens.
   * @throws StudioError `keychain_missing`, `keychain_locked`
   */
  async forgetTokens(serverId: string, grant: OAuthGrant): Promise<void> {
    if (grant.client.redirectUrl === null) await this.write(serverId, { ...grant, tokens: null })
    else await this.delete(serverId)
  }

  /** Deletes the grant of a server. @throws StudioError `keychain_missing`, `keychain_locked` */
  async delete(serverId: string): Promise<void> {
    this.#held.delete(serverId)
    if (this.#options.servers.oauthIssuer(serverId) === null) return
    const { secrets, servers } = this.#options
    const parts = await this.#parts(serverId)
    for (let part = 0; part <= (parts ?? maxParts); part++) await secrets.delete(accountOf(serverId, part))
    servers.setOauthIssuer(serverId, null)
  }

  async #load(serverId: string): Promise<HeldGrant | null> {
    const { secrets, servers } = this.#options
    if (servers.oauthIssuer(serverId) === null) return null
    const first = readHead(await secrets.get(accountOf(serverId, 0)).catch(nullWithoutKeychain))
    if (!first) return null
    let text = ''
    for (let part = 1; part <= first.parts; part++) text += (await secrets.get(accountOf(serverId, part))) ?? ''
    // A kill while the parts were written leaves parts that do not belong together.
    if (sha256(text) !== first.sha256) return null
    const read = oauthGrant.safeParse(parseJson(text))
    return read.success ? { grant: read.data, storedIn: 'keychain' } : null
  }

  async #save(serverId: string, grant: OAuthGrant): Promise<void> {
    const { secrets, servers } = this.#options
    const text = asciiJson(grant)
    const parts = split(text)
    if (parts.length > maxParts) throw new StudioError('malformed_reply', 'The tokens are too long for the keychain.')
    const isFirst = servers.oauthIssuer(serverId) === null
    const partsBefore = isFirst ? 0 : ((await this.#parts(serverId)) ?? maxParts)
    // Before the first part, so that a kill leaves no part that a deletion would miss.
    if (isFirst) servers.setOauthIssuer(serverId, grant.issuer)
    try {
      await secrets.set(accountOf(serverId, 1), parts[0] ?? '')
    } catch (thrown) {
      if (isFirst) servers.setOauthIssuer(serverId, null)
      throw thrown
    }
    for (const [index, part] of parts.entries()) if (index > 0) await secrets.set(accountOf(serverId, index + 1), part)
    await secrets.set(accountOf(serverId, 0), JSON.stringify({ parts: parts.length, sha256: sha256(text) }))
    for (let part = parts.length + 1; part <= partsBefore; part++) await secrets.delete(accountOf(serverId, part))
    servers.setOauthIssuer(serverId, grant.issuer)
  }

  async #parts(serverId: string): Promise<number | null> {
    return readHead(await this.#options.secrets.get(accountOf(serverId, 0)))?.parts ?? null
  }
}

/** A data folder may come from a computer with a keychain. */
function nullWithoutKeychain(thrown: unknown): null {
  if (asStudioError(thrown).kind === 'keychain_missing') return null
  throw thrown
}

/** All values of a grant that must not appear anywhere. */
export const secretsOf = ({ client, tokens }: OAuthGrant): string[] =>
  [tokens?.accessToken, tokens?.refreshToken, client.client_secret].filter((value) => typeof value === 'string')

/** JSON in ASCII, so that each character is one byte. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const split = (text: string): string[] => text.match(new RegExp(`.{1,${partBytes}}`, 'gs')) ?? []

const readHead = (text: string | null): z.infer<typeof head> | null =>
  text === null ? null : (head.safeParse(parseJson(text)).data ?? null)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
