import { createRequire } from 'node:module'
import { StudioError } from '../core/errors.ts'
import type { SecretStore } from '../core/host.ts'

const service = 'Inference Studio'
const probeAccount = '.probe'

type Keytar = Pick<typeof import('keytar'), 'getPassword' | 'setPassword' | 'deletePassword'>

/** Loaded on first use, because loading throws without libsecret. */
const loadKeytar = (): Keytar => createRequire(import.meta.url)('keytar')

/**
 * The keychain of the operating system. On Linux a locked keyring reports "nothing stored" for reads and deletes,
 * so an empty result counts only after a probe entry was written successfully.
 */
export function createKeychain(load: () => Keytar = loadKeytar): SecretStore {
  let loaded: Keytar | null = null

  async function ask<T>(question: (keytar: Keytar) => Promise<T>): Promise<T> {
    try {
      loaded ??= load()
      return await question(loaded)
    } catch (thrown) {
      throw keychainError(thrown)
    }
  }

  const proveUnlocked = (): Promise<boolean> =>
    ask(async (keytar) => {
      await keytar.setPassword(service, probeAccount, 'probe')
      return await keytar.deletePassword(service, probeAccount)
    })

  const silentWhenLocked = process.platform === 'linux'

  return {
    async probe() {
      try {
        await proveUnlocked()
        return { available: true, reason: null }
      } catch (thrown) {
        return { available: false, reason: keychainError(thrown).message }
      }
    },

    async get(account) {
      const secret = await ask((keytar) => keytar.getPassword(service, account))
      if (secret === null && silentWhenLocked) await proveUnlocked()
      return secret
    },

    async set(account, secret) {
      await ask((keytar) => keytar.setPassword(service, account, secret))
    },

    async delete(account) {
      const deleted = await ask((keytar) => keytar.deletePassword(service, account))
      if (!deleted && silentWhenLocked) await proveUnlocked()
    },
  }
}

/** The words for a Linux session that can have no keychain, such as one without a desktop. */
export const noSessionBus = 'No keychain can be used here, because there is no D-Bus session bus.'

const lockedMessage = /collection\/|locked collection|interaction is not allowed|dismissed|was cancell?ed/i
/** The last two come from GIO, for an empty address and without a display. */
const noBusMessage = /D-Bus|DBUS|Could not connect|No such file or directory|given address is empty|cannot autolaunch/i
const noServiceMessage = /org\.freedesktop\.secrets/i

/** Classifies by message: errors of keytar have no code. The messages come from libsecret, Security.framework or Windows. */
function keychainError(thrown: unknown): StudioError {
  if (thrown instanceof StudioError) return thrown
  const words = thrown instanceof Error ? thrown.message : String(thrown)
  const because = { cause: thrown }
  if (words.includes('Failed to load keytar') || words.includes('Cannot find module')) {
    const how = process.platform === 'linux' ? ' Install the package libsecret-1-0.' : ''
    return new StudioError('keychain_missing', `The keychain library could not be loaded.${how}`, {}, because)
  }
  if (lockedMessage.test(words)) {
    return new StudioError('keychain_locked', 'The keychain is locked. Unlock it and try again.', {}, because)
  }
  if (noServiceMessage.test(words)) {
    const why = 'No keychain service is running (such as gnome-keyring or KWallet).'
    return new StudioError('keychain_missing', why, {}, because)
  }
  if (noBusMessage.test(words)) {
    return new StudioError('keychain_missing', noSessionBus, {}, because)
  }
  return new StudioError('keychain_missing', `The keychain failed: ${words}`, {}, because)
}
