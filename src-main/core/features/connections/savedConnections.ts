import type { Profile } from '../../../../src-preload/contract/app.ts'
import type { SecretStore } from '../../host.ts'
import { openStoreReadOnly } from '../../store/openReadOnly.ts'
import type { StoredProfile } from '../../store/profiles.ts'
import { openStore } from '../../store/store.ts'
import { profileNamed, shownProfile } from './profiles.ts'

/** A connection as the command line shows it. Only the keychain knows whether its API key is available. */
export interface ListedProfile extends Profile {
  active: boolean
}

/** The part of `openConnections` for commands that only read. Changes nothing in the folder. */
export function openConnectionsReadOnly(dataDir: string) {
  const store = openStoreReadOnly(dataDir)
  const stored = (): StoredProfile[] => store?.profiles.all() ?? []
  return {
    /** Sorted by name. */
    list: (): ListedProfile[] => {
      const active = store?.profiles.active()?.id
      return stored().map((profile) => ({ ...shownProfile(profile), active: profile.id === active }))
    },
    /**
     * Copies the connections to another data folder, with the active one. The API keys stay in the keychain, under the
     * same ids.
     */
    copyTo(otherDir: string): void {
      const active = store?.profiles.active()
      const other = openStore(otherDir)
      try {
        for (const profile of stored()) other.profiles.saveActive(profile)
        other.profiles.activate(active?.id ?? '')
      } finally {
        other.close()
      }
    },
    close: (): void => store?.close(),
  }
}

/** Opens the stored connections of a data folder for the command line. A running core follows each change. */
export function openConnections(dataDir: string) {
  const store = openStore(dataDir)
  const { profiles } = store
  const listed = (profile: Profile): ListedProfile => ({
    ...shownProfile(profile),
    active: profiles.active()?.id === profile.id,
  })
  return {
    /** Sorted by name. */
    list: (): ListedProfile[] => profiles.all().map(listed),
    /** Makes a connection active without contacting the service. @throws StudioError `no_such_item` */
    use(which: string): ListedProfile {
      const profile = profileNamed(profiles.all(), which)
      profiles.activate(profile.id)
      return listed(profile)
    },
    /**
     * Deletes a connection, its API key first. @throws StudioError `no_such_item`, `keychain_missing`,
     * `keychain_locked` (then nothing is deleted)
     */
    async forget(which: string, secrets: SecretStore): Promise<ListedProfile> {
      const profile = profileNamed(profiles.all(), which)
      const forgotten = listed(profile)
      if (profile.keyKept === 'keychain') await secrets.delete(profile.id)
      profiles.remove(profile.id)
      return forgotten
    },
    close: (): void => store.close(),
  }
}
