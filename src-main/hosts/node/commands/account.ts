import { createRouterClient, type RouterClient } from '@orpc/server'
import { type KeySource, readApiKey } from '../apiKey.ts'
import type { Parts, RunningCore } from '../dependencies.ts'
import { openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { keyPlace } from '../keyFile.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { sealKey } from '../seal.ts'

interface LoginOptions extends KeySource {
  baseUrl: string
  name?: string
  allowInsecure: boolean
  dataDir?: string
  json: boolean
}

/** `login`: tests the base URL and API key, stores the key in the keychain and puts the connection in use. */
export async function login(options: LoginOptions, parts: Parts): Promise<number> {
  const text = await readApiKey(options)
  return withCore(options.dataDir, parts, async (core) => {
    const { connection } = createRouterClient(core.router)
    const { publicKey } = await connection.sealingKey()
    const profile = await connection.connect({
      ...(options.name !== undefined && { name: options.name }),
      baseUrl: options.baseUrl,
      key: await sealKey(publicKey, text),
      keyStorage: 'keychain',
      // An existing connection with this name gets the new URL and key.
      updateExisting: true,
      allowInsecure: options.allowInsecure,
    })
    if (options.json) printJson(profile)
    else say(`Connected to ${profile.name} (${profile.baseUrl}). The API key is stored in ${keyPlace()}.`)
  })
}

/** `logout`: deletes the connection in use and its API key. Chats stay. */
export function logout(options: { dataDir?: string; json: boolean }, parts: Parts): Promise<number> {
  return withCore(options.dataDir, parts, async (core) => {
    const client = createRouterClient(core.router)
    const isConnected = await hasConnection(client)
    if (isConnected) await client.connection.disconnect()
    if (options.json) printJson({ loggedOut: isConnected })
    else if (isConnected) say('Deleted the connection and its API key. Chats stay.')
    else say('No connection is in use.')
  })
}

async function hasConnection(client: RouterClient<RunningCore['router']>): Promise<boolean> {
  for await (const { connection } of await client.app.watch()) return connection.profile !== null
  return false
}

async function withCore(dataDir: string | undefined, parts: Parts, use: (core: RunningCore) => Promise<void>) {
  const host = createNodeHost(await openDataDir(dataDir))
  const core = await parts.startCore(host, { proxyPort: null })
  try {
    await use(core)
  } finally {
    await core.stop()
  }
  return exitCodes.ok
}
