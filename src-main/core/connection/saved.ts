import type { Profile } from '../../../src-preload/contract/app.ts'
import type { SecretStore } from '../host.ts'
import { openStore } from '../store/store.ts'
import { profileNamed, shownProfile } from './profiles.ts'

/** A connection as the command line shows it; whether its key is at hand the keychain alone knows. */
export interface ListedProfile extends Profile {
  active: boolean
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
