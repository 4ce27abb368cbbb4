import type { Profile, SavedProfile } from '../../../../src-preload/contract/app.ts'
import { StudioError } from '../../errors.ts'
import type { StoredProfile } from '../../store/profiles.ts'
import { type Credential, loadCredential } from '../../upstream/credential.ts'
import type { Session } from './session.ts'

/** The sandbox has one profile, whenever it is made. */
export const sandboxId = 'sandbox'

/** What is stored, and what this run alone knows, by name. */
export function allProfiles({ store, passing }: Session): StoredProfile[] {
  const stored = store.profiles.all()
  const own = [...passing.values()].filter(({ id }) => !stored.some((one) => one.id === id))
  return [...stored, ...own].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** For the list that a person chooses from. `bookOf` answers the id of the book of a profile's account. */
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
  if (!found) throw new StudioError('no_such_item', 'This connection is not there any more.')
  return found
}

/** Of an id, else of a name, whatever its case. @throws StudioError `no_such_item` */
export function profileNamed(profiles: readonly StoredProfile[], which: string): StoredProfile {
  const found = profiles.find(({ id }) => id === which) ?? profiles.find(({ name }) => isSameName(name, which))
  if (found) return found
  const names = profiles.map(({ name }) => name).join(', ')
  throw new StudioError(
    'no_such_item',
    `No connection is called ${which}. ${names ? `There are: ${names}.` : ''}`.trim(),
  )
}

const isSameName = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase()

/**
 * The name that a profile may have: the one asked for, or the usual one with a number where that is taken.
 * @throws StudioError `bad_input` where the one asked for is taken
 */
export function freeName(session: Session, id: string, asked: string | undefined, usual: string): string {
  const others = allProfiles(session).filter((profile) => profile.id !== id)
  const isTaken = (name: string): boolean => others.some((other) => isSameName(other.name, name))
  const wanted = asked?.trim()
  if (wanted) {
    if (isTaken(wanted)) throw new StudioError('bad_input', `Another connection is called ${wanted} already.`)
    return wanted
  }
  for (let number = 1; ; number++) {
    const name = number === 1 ? usual : `${usual} ${number}`
    if (!isTaken(name)) return name
  }
}

/**
 * The key of a profile, from where it is kept.
 * @throws StudioError `not_connected` where it must be given again, and as the keychain fails
 */
export async function keyOf(session: Session, profile: StoredProfile): Promise<Credential> {
  const { id, name, keyKept } = profile
  const credential = keyKept === 'keychain' ? await loadCredential(session.secrets, id) : session.keys.get(id)
  if (credential) return credential
  const words =
    keyKept === 'keychain'
      ? `The keychain holds no key for ${name} any more. Give it again.`
      : `The key of ${name} was kept for that session only. Give it again.`
  throw new StudioError('not_connected', words)
}

export const shownProfile = ({ id, name, kind, baseUrl, keyKept }: Profile): Profile => ({
  ...{ id, name, kind, baseUrl, keyKept },
})
