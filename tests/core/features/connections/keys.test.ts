import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { sealKey } from '../../../../src-renderer/api/seal.ts'
import { freshFolder, memorySecrets } from '../../helpers/core.ts'
import { type Opened, open } from './helpers.ts'

/** A local server as people run them: it offers one model and checks the key only if it has one. */
async function localServer(key: string | null) {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer(({ headers }, reply) => {
    requests.push(headers)
    const isGood = key === null || headers.authorization === `Bearer ${key}`
    reply.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
    reply.end(isGood ? '{"object":"list","data":[{"id":"llama","object":"model"}]}' : '{"error":{"message":"No."}}')
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, requests }
}

const sealed = async ({ client }: Opened, key: string) => sealKey((await client.connection.sealingKey()).publicKey, key)

it('connects without a key to a service that needs none, and does so again after a restart without a keychain', async () => {
  const { baseUrl, requests } = await localServer(null)
  const dataDir = freshFolder()
  const first = await open({ dataDir })
  const profile = await first.client.connection.connect({ baseUrl, key: null, keyStorage: 'session' })
  expect(profile.keyKept).toBe('unneeded')
  expect(requests.every(({ authorization }) => authorization === undefined)).toBe(true)
  await first.core.stop()

  const again = await open({ dataDir, secrets: memorySecrets() })
  await expect.poll(() => again.core.state().connection.state).toBe('connected')
  expect(again.core.state().profiles).toMatchObject([{ keyKept: 'unneeded', active: true }])
})

it('accepts a short key for a local server, and refuses it for a service on the internet before anything is sent', async () => {
  const { baseUrl } = await localServer('abc')
  const world = await open()
  await world.client.connection.connect({ baseUrl, key: await sealed(world, 'abc'), keyStorage: 'session' })
  expect(world.core.state().connection.state).toBe('connected')
  const remote = { baseUrl: 'https://service.invalid', key: await sealed(world, 'abc') }
  await expect(world.client.connection.test(remote)).rejects.toMatchObject({ data: { kind: 'bad_input' } })
})

it('keeps the stored connection when a changed one is refused for its missing key', async () => {
  const { baseUrl } = await localServer('a-long-enough-key')
  const world = await open()
  const kept = { baseUrl, key: await sealed(world, 'a-long-enough-key'), keyStorage: 'session' as const }
  const { id } = await world.client.connection.connect(kept)
  const refused = world.client.connection.connect({ ...kept, id, key: null })
  await expect(refused).rejects.toMatchObject({ data: { kind: 'unauthorized' } })
  expect(world.core.state().profiles).toMatchObject([{ id, keyKept: 'session' }])
})

it('names the fault of a connection that was refused, and of a host that does not exist', async () => {
  const world = await open()
  const ask = async (baseUrl: string) =>
    world.client.connection.test({ baseUrl, key: null }).then(
      () => expect.unreachable(),
      (thrown: unknown) => thrown,
    )
  expect(await ask('http://127.0.0.1:9')).toMatchObject({ data: { kind: 'connect_failed', fault: 'ECONNREFUSED' } })
  expect(await ask('https://no-such-host.invalid')).toMatchObject({
    data: { kind: 'connect_failed', fault: expect.stringMatching(/^(?:ENOTFOUND|EAI_)/) },
  })
})
