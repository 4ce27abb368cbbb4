import type { Profile, SavedProfile } from '../../../../src-preload/contract/app.ts'
import { StudioError } from '../../errors.ts'
import type { StoredProfile } from '../../store/profiles.ts'
import { Credential, loadCredential } from '../../upstream/credential.ts'
import type { Session } from './session.ts'

/** Id of the only sandbox profile. */
export const sandboxId = 'sandbox'

/** Stored profiles and profiles of this run, sorted by name. */
export function allProfiles({ store, temporary }: Session): StoredProfile[] {
  const stored = store.profiles.all()
  const own = [...temporary.values()].filter(({ id }) => !stored.some((one) => one.id === id))
  return [...stored, ...own].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** All profiles for the list in the window. `accountOf` returns the id of the account of a profile. */
export function savedProfiles(session: Session, accountOf: (profile: Profile) => string | null): SavedProfile[] {
  const { profile: active } = session.connection
  const keptNow = (profile: StoredProfile): Profile['keyKept'] => {
    if (profile.id === active?.id) return active.keyKept
    return profile.keyKept === 'session' && !session.keys.has(profile.id) ? 'none' : profile.keyKept
  }
  return allProfiles(session).map((profile) => ({
    ...profile,
    keyKept: keptNow(profile),
    active: profile.id === active?.id,
    accountId: accountOf(profile),
  }))
}

/** @throws StudioError `no_such_item` */
export function profileOf(session: Session, id: string): StoredProfile {
  const found = allProfiles(session).find((profile) => profile.id === id)
  if (!found) throw new StudioError('no_such_item', 'This connection does not exist any more.')
  return found
}

/** Finds a profile by id, or else by name, ignoring case. @throws StudioError `no_such_item` */
export function profileNamed(profiles: readonly StoredProfile[], which: string): StoredProfile {
  const found = profiles.find(({ id }) => id === which) ?? profiles.find(({ name }) => isSameName(name, which))
  if (found) return found
  const names = profiles.map(({ name }) => name).join(', ')
  throw new StudioError(
    'no_such_item',
    `No connection is called ${which}. ${names ? `Existing connections: ${names}.` : ''}`.trim(),
  )
}

const isSameName = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase()

/**
 * Returns the requested name of a profile, or the default name, to which a number is added if it is taken.
 * @throws StudioError `bad_input` if the requested name is taken
 */
export function freeName(session: Session, id: string, requested: string | undefined, defaultName: string): string {
  const others = allProfiles(session).filter((profile) => profile.id !== id)
  const isTaken = (name: string): boolean => others.some((other) => isSameName(other.name, name))
  const wanted = requested?.trim()
  if (wanted) {
    if (isTaken(wanted)) throw new StudioError('bad_input', `Another connection is already called ${wanted}.`)
    return wanted
  }
  for (let number = 1; ; number++) {
    const name = number === 1 ? defaultName : `${defaultName} ${number}`
    if (!isTaken(name)) return name
  }
}

/**
 * Reads the API key of a profile.
 * @throws StudioError `not_connected` if the person must enter the key again, and errors of the keychain
 */
export async function keyOf(session: Session, profile: StoredProfile): Promise<Credential> {
  const { id, name, keyKept } = profile
  if (keyKept === 'unneeded') return Credential.none
  const credential = keyKept === 'keychain' ? await loadCredential(session.secrets, id) : session.keys.get(id)
  if (credential) return credential
  const words =
    keyKept === 'keychain'
      ? `The keychain has no API key for ${name} any more. Enter it again.`
      : `The API key of ${name} was stored for one session only. Enter it again.`
  throw new StudioError('not_connected', words)
}

/** The fields of a profile that a window may see. */
export const shownProfile = ({ id, name, kind, baseUrl, keyKept }: Profile): Profile => ({
  id,
  name,
  kind,
  baseUrl,
  keyKept,
})
