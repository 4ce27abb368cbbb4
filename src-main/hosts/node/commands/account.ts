import { t } from '../../../../src-renderer/i18n/cli.ts'
import { type KeySource, readApiKey } from '../apiKey.ts'
import type { Parts } from '../dependencies.ts'
import { chosenKeyFile, keyFileText } from '../keyFile.ts'
import { exitCodes, printJson, say } from '../output.ts'
import { sealKey } from '../seal.ts'
import { firstState, withStudio } from '../studio.ts'

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
  return withStudio(options, parts, async ({ client: { connection } }, interrupt) => {
    const { publicKey } = await connection.sealingKey()
    const profile = await interrupt.or(
      connection.connect({
        ...(options.name !== undefined && { name: options.name }),
        baseUrl: options.baseUrl,
        key: await sealKey(publicKey, text),
        keyStorage: 'keychain',
        // An existing connection with this name gets the new URL and key.
        updateExisting: true,
        allowInsecure: options.allowInsecure,
      }),
    )
    if (options.json) printJson(profile)
    else {
      const file = chosenKeyFile()
      const to = { name: profile.name, address: profile.baseUrl }
      say(file ? t('account.connectedFile', { ...to, file: keyFileText(file) }) : t('account.connected', to))
    }
    return exitCodes.ok
  })
}

/** `logout`: deletes the connection in use and its API key. Chats stay. */
export function logout(options: { dataDir?: string; json: boolean }, parts: Parts): Promise<number> {
  return withStudio(options, parts, async (studio) => {
    const isConnected = (await firstState(studio)).connection.profile !== null
    if (isConnected) await studio.client.connection.disconnect()
    if (options.json) printJson({ loggedOut: isConnected })
    else if (isConnected) say(t('account.deleted'))
    else say(t('account.none'))
    return exitCodes.ok
  })
}
