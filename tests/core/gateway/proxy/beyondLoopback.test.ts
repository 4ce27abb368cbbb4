import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { startStartingUpServer } from '../../../../src-main/core/gateway/proxy/startingUpServer.ts'
import { ask, withKey } from '../../../helpers/appRequest.ts'
import { type OpenGate, openGate } from '../../../helpers/gate.ts'

// Other computers and containers, which the command line lets in for one run (docs/decisions/0056-running-as-a-service.md).

let gate: OpenGate | null = null
afterEach(async () => {
  await gate?.close()
  gate = null
})
/** An address of this computer that is not loopback. */
const outer = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address
const opened = async (address: string, hosts: string[]): Promise<OpenGate> => {
  gate = await openGate(undefined, {}, { port: 0, ipv6: false, beyond: { address, hosts } })
  return gate
}

describe('the local API beyond loopback', () => {
  it('accepts the given names and loopback as hosts, and no other', async () => {
    const { port } = await opened('0.0.0.0', ['studio', 'Gateway.example:8080'])
    const status = async (host: string): Promise<number> =>
      (await ask(`http://127.0.0.1:${port}/v1/models`, { headers: { ...withKey, host } })).status
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'studio', `STUDIO:${port}`, 'gateway.example:8080'])
      expect([host, await status(host)]).toEqual([host, 200])
    const others = ['studio:1', 'gateway.example', 'evil.example', `evil.studio:${port}`, `${outer}:${port}`]
    for (const host of others) expect([host, await status(host)]).toEqual([host, 421])
  })

  it.runIf(outer !== undefined).each(['0.0.0.0', outer ?? ''])(
    'at %s needs an app key there too, and web pages stay out',
    async (address) => {
      const { port } = await opened(address, [outer ?? ''])
      const at = `http://${outer}:${port}/v1/models`
      expect((await ask(at)).status).toBe(401)
      expect((await ask(at, { headers: withKey })).status).toBe(200)
      expect((await ask(at, { headers: { ...withKey, origin: `http://${outer}:${port}` } })).status).toBe(403)
      // Loopback works as before.
      expect((await ask(`http://127.0.0.1:${port}/v1/models`, { headers: withKey })).status).toBe(200)
    },
  )

  it.runIf(outer !== undefined)('does not listen there unless it was asked for', async () => {
    gate = await openGate()
    await expect(ask(`http://${outer}:${gate.port}/v1/models`, { headers: withKey })).rejects.toThrow(/ECONNREFUSED/)
  })

  it('says that an address is not one of this computer, and leaves nothing open', async () => {
    await expect(opened('192.0.2.1', ['studio'])).rejects.toMatchObject({
      kind: 'bad_input',
      message: expect.stringContaining('192.0.2.1'),
    })
  })

  it('answers /healthz while the data is prepared, so that no manager ends the program in the middle of it', async () => {
    const { port, close } = await openGate()
    await close()
    const server = await startStartingUpServer({ enabled: true, port, ipv6: false, ollamaApp: null }, [])
    try {
      expect((await ask(`${new URL(server?.baseUrl ?? '').origin}/healthz`)).status).toBe(200)
      expect((await ask(`${new URL(server?.baseUrl ?? '').origin}/readyz`, { headers: withKey })).status).toBe(503)
    } finally {
      await server?.close()
    }
  })
})
