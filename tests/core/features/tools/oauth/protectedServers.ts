import { closeAfterEach } from '../../../../helpers/closers.ts'
import {
  type AuthorizationServerOptions,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../../../helpers/mcp/authorizationServer.ts'
import { startHttp } from '../../../../helpers/mcp/http.ts'
import { type Feature, makeFeature } from '../helpers.ts'

export interface ProtectedServerOptions extends AuthorizationServerOptions {
  mode?: 'modern' | 'sessions'
  /** Permissions that the server needs now. */
  needs?: () => string[]
  feature?: Parameters<typeof makeFeature>[0]
  /** Headers that the person entered. */
  headers?: Record<string, string>
}

export interface ProtectedServer {
  id: string
  feature: Feature
  authorization: TestAuthorizationServer
  http: Awaited<ReturnType<typeof startHttp>>
}

/**
 * Returns a function that starts an MCP server with an authorization server, and adds it to a feature of its own, switched on. All of
 * them close after each test. Call it at the top of a test file.
 */
export function protectedServers(): (options?: ProtectedServerOptions) => Promise<ProtectedServer> {
  const closers = closeAfterEach()
  return async ({ mode = 'modern', needs, feature: more, headers: secrets = {}, ...options } = {}) => {
    const authorization = await startAuthorizationServer(options)
    closers.push(() => authorization.close())
    const http = await startHttp(mode, authorization.protect(needs))
    closers.push(() => http.close())
    const feature = makeFeature({ ...more, limits: { backOffMs: [], ...more?.limits } })
    closers.push(() => feature.close())
    const transport = { kind: 'http' as const, url: http.url, headers: Object.keys(secrets) }
    const { id } = await feature.tools.saveServer({ name: 'Test', transport, timeoutSeconds: 20, secrets })
    await feature.tools.switchServer(id, true)
    return { id, feature, authorization, http }
  }
}
