import { createRouterClient } from '@orpc/server'
import { expect, onTestFinished, vi } from 'vitest'
import { type Core, createCore } from '../../../../src-main/core/core.ts'
import type { SecretStore } from '../../../../src-main/core/host.ts'
import { type Sandbox, startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { SavedProfile } from '../../../../src-preload/contract/app.ts'
import { freshFolder, memorySecrets, testHost } from '../../helpers/core.ts'

/** A separate service, whose API keys differ from those of others. */
export async function service(seed: string, apiKey?: string): Promise<Sandbox> {
  const started = await startSandbox({ seed, ...(apiKey === undefined ? {} : { apiKey }) })
  onTestFinished(() => started.close().catch(() => undefined))
  return started
}

export interface Opened {
  core: Core
  client: ReturnType<typeof clientOf>
  dataDir: string
  /** The profile with this name. */
  profile(name: string): SavedProfile
  /** Switches by name, without waiting for the service. */
  use(name: string): Promise<unknown>
  /** Resolves when the active service has answered and its account is known. */
  settled(name: string): Promise<void>
}

const clientOf = (core: Core) => createRouterClient(core.router)

export async function open(
  given: { dataDir?: string; secrets?: SecretStore; options?: Parameters<typeof createCore>[1] } = {},
): Promise<Opened> {
  const { dataDir = freshFolder(), secrets = memorySecrets(), options = { proxyPort: 0 } } = given
  const core = await createCore(testHost(dataDir, secrets).host, options)
  onTestFinished(() => core.stop())
  const client = clientOf(core)
  const profile = (name: string): SavedProfile => {
    const found = core.state().profiles.find((one) => one.name === name)
    if (!found) throw new Error(`There is no connection ${name}.`)
    return found
  }
  return {
    core,
    client,
    dataDir,
    profile,
    use: (name) => client.connection.use({ id: profile(name).id }),
    settled: (name) =>
      vi.waitFor(
        async () => {
          const { connection } = core.state()
          expect(connection).toMatchObject({ state: 'connected', profile: { name } })
          const account = await accountOf(client, profile(name))
          expect(account).toMatchObject({ active: true, userId: expect.any(String), fetching: false })
        },
        { timeout: 15_000, interval: 20 },
      ),
  }
}

export async function accountOf(client: Opened['client'], { accountId }: SavedProfile) {
  for await (const accounts of await client.usage.watch()) return accounts.find(({ id }) => id === accountId) ?? null
  return null
}

/** Sends one chat request of an app to the local API. */
export function ask(core: Core, key: string, body: Record<string, unknown>, headers: Record<string, string> = {}) {
  const url = `${core.addresses().proxy}/chat/completions`
  return fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'mirror', messages: [{ role: 'user', content: 'Hello' }], ...body }),
  })
}
