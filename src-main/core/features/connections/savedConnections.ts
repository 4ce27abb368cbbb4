import type { Profile } from '../../../../src-preload/contract/app.ts'
import type { SecretStore } from '../../host.ts'
import { openStoreReadOnly } from '../../store/openReadOnly.ts'
import type { StoredProfile } from '../../store/profiles.ts'
import { openStore } from '../../store/store.ts'
import { profileNamed, shownProfile } from './profiles.ts'

/** A connection as the command line shows it; whether its key is at hand the keychain alone knows. */
export interface ListedProfile extends Profile {
  active: boolean
}

/** What `openConnections` offers to commands that only read. Changes nothing in the folder. */
export function openConnectionsForReading(dataDir: string) {
  const store = openStoreReadOnly(dataDir)
  const stored = (): StoredProfile[] => store?.profiles.all() ?? []
  return {
    /** By name. */
    list: (): ListedProfile[] => {
      const active = store?.profiles.active()?.id
      return stored().map((profile) => ({ ...shownProfile(profile), active: profile.id === active }))
    },
    /** Stores the same connections in another data folder, the active one too. Their keys stay in the keychain, under the same ids. */
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

/** The stored connections of a data folder, for the command line: beside a running core, which follows each change, or without one. */
export function openConnections(dataDir: string) {
  const store = openStore(dataDir)
  const { profiles } = store
  const listed = (profile: Profile): ListedProfile => ({
    ...shownProfile(profile),
    active: profiles.active()?.id === profile.id,
  })
  return {
    /** By name. */
    list: (): ListedProfile[] => profiles.all().map(listed),
    /** Makes it the active one; asks nobody. @throws StudioError `no_such_item` */
    use(which: string): ListedProfile {
      const profile = profileNamed(profiles.all(), which)
      profiles.activate(profile.id)
      return listed(profile)
    },
    /** Its key first, here and in the keychain. @throws StudioError `no_such_item`, `keychain_missing`, `keychain_locked` (then it stays) */
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
