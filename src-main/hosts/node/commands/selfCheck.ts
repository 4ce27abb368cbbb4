import { once } from 'node:events'
import { join } from 'node:path'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { WebSocket } from 'ws'
import type { Contract } from '../../../../src-preload/contract/contract.ts'
import type { Core } from '../../../core/core.ts'
import { type CheckedPage, mustBe } from '../../selfCheck/checks.ts'
import { hostOfCheck, newCheckFolder, selfCheck as runSelfCheck } from '../../selfCheck/selfCheck.ts'
import { words } from '../../selfCheck/words.ts'
import { createNodeHost } from '../host.ts'
import { log } from '../output.ts'
import { ownPackage, pageFolder } from '../package.ts'
import { startWebServer } from '../web/server.ts'

/** How long this process may live after the last line, ms. A part that hangs, such as a locked keychain, would keep it alive. */
const lastMs = 500

/** `self-check`: tries out every part of this installation in a temporary folder. Exits with 1 when a check failed. */
export async function selfCheck({ json, wait }: { json: boolean; wait: number }): Promise<number> {
  const code = await runSelfCheck(newCheckFolder(), {
    ...{ json, wait },
    parts: (folder) => ({
      host: { ...createNodeHost(folder), ...hostOfCheck },
      certificates: join(ownPackage().folder, 'out', 'main', 'certificates.js'),
      openPage,
    }),
  })
  setTimeout(() => process.exit(code), lastMs).unref()
  return code
}

/** The page as a browser would get it, with its cookies. */
async function openPage(core: Core): Promise<CheckedPage> {
  const studio = { router: core.router, metrics: core.metrics, media: core.media, bytes: core.bytes }
  const server = await startWebServer({ studio, pageFolder: pageFolder(), port: 0, orNext: false, log })
  const { origin, hash, host } = new URL(server.url)
  const session = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: new URLSearchParams(hash.slice(1)).get('token') }),
  })
  const cookies = session.headers.getSetCookie()
  /** Cookies have the path that they are for. */
  const cookieFor = (path: string): string =>
    cookies.find((one) => path.startsWith(/; Path=([^;]+)/.exec(one)?.[1] ?? '\0'))?.split(';')[0] ?? ''
  return {
    async request(path, headers = {}) {
      const reply = await fetch(`${origin}${path}`, { headers: { ...headers, cookie: cookieFor(path) } })
      const body = new Uint8Array(await reply.arrayBuffer())
      return { status: reply.status, headers: Object.fromEntries(reply.headers), body }
    },
    async look() {
      const stranger = await fetch(`${origin}/rpc`)
      mustBe(stranger.status === 401, words('failed.stranger', { status: String(stranger.status) }))
      return words('seen.served')
    },
    async call() {
      const websocket = new WebSocket(`ws://${host}/rpc`, { headers: { origin, cookie: cookieFor('/rpc') } })
      // Without a listener, a refused connection would end the process. `once` reports it.
      websocket.on('error', () => undefined)
      try {
        await once(websocket, 'open')
        // Its listeners get events of `ws`, which have the same members.
        const link = new RPCLink({ websocket: websocket as unknown as globalThis.WebSocket })
        const client: ContractRouterClient<Contract> = createORPCClient(link)
        const { report } = await client.app.diagnostics()
        mustBe(report.includes(ownPackage().version), words('failed.call'))
        return words('seen.webSocket')
      } finally {
        websocket.close()
      }
    },
    close: () => server.stop(),
  }
}
