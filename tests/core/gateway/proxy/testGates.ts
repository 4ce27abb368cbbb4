import { once as event } from 'node:events'
import type { Server } from 'node:net'
import { afterEach } from 'vitest'
import type { FrontendDependencies, ProxyBounds } from '../../../../src-main/core/gateway/proxy/frontendOptions.ts'
import { ask } from '../../../helpers/appRequest.ts'
import { echo, goodKey, type Line, type OpenGate, open, openGate } from '../../../helpers/gate.ts'

/** Opens gates and connections that are closed after each test. Call it at the top of a test file. */
export function testGates() {
  const gates: OpenGate[] = []
  const servers: Server[] = []
  const lines: Line[] = []
  afterEach(async () => {
    for (const { socket } of lines.splice(0)) socket.destroy()
    for (const gate of gates.splice(0)) await gate.close()
    for (const server of servers.splice(0)) server.close()
  })

  async function gateWith(
    bounds: Partial<ProxyBounds> = {},
    relay: FrontendDependencies['relay'] = echo,
    ipv6 = false,
  ): Promise<OpenGate> {
    const gate = await openGate(relay, bounds, { port: 0, ipv6 })
    gates.push(gate)
    return gate
  }
  const line = (gate: OpenGate): Line => {
    const opened = open(gate.port)
    lines.push(opened)
    return opened
  }
  return { gateWith, line, gates, servers }
}

export const withKey = { authorization: `Bearer ${goodKey}` }
export const head = (gate: OpenGate, more = '', first = 'GET /v1/models') =>
  `${first} HTTP/1.1\r\nHost: 127.0.0.1:${gate.port}\r\nAuthorization: Bearer ${goodKey}\r\n${more}\r\n`
export const models = (gate: OpenGate) => ask(`${gate.url}/v1/models`, { headers: withKey })
export const statuses = (heard: string) =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** Reads the body to its end and replies with its number of bytes. */
export const swallow: FrontendDependencies['relay'] = async (request, response, pass) => {
  pass.proceed()
  let bytes = 0
  try {
    for await (const piece of request) bytes += (piece as Buffer).length
  } catch {
    return
  }
  response.end(String(bytes))
}

/** Sends endless replies as fast as they are read, and counts the running ones. */
export function endless() {
  const state = { running: 0 }
  const relay: FrontendDependencies['relay'] = async (_request, response) => {
    state.running += 1
    const piece = Buffer.alloc(64 * 1024, 'x')
    const gone = new Promise<void>((resolve) => response.once('close', resolve))
    const pump = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', pump)
    pump()
    await gone
    state.running -= 1
  }
  return { state, relay }
}

/** Starts a reply and never ends it. */
export const quietStream: FrontendDependencies['relay'] = async (_request, response) => {
  response.write('data: 1\n\n')
  await event(response, 'close')
}
