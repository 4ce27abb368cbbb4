import { randomUUID } from 'node:crypto'
import type { Profile } from '../../../src-preload/contract/app.ts'
import { StudioError } from '../errors.ts'
import type { StoredProfile } from '../store/profiles.ts'
import { parseBaseAddress } from '../upstream/address.ts'
import { openUpstream } from '../upstream/client.ts'
import { Credential, loadCredential, saveCredential } from '../upstream/credential.ts'
import { askModels, probe, type Tested } from './probe.ts'
import type { Session } from './session.ts'

export interface Address {
  baseUrl: string
  credential: Credential
  allowInsecure: boolean
}

/** Asks once, without the patience of later calls: a person is waiting for this answer. Keeps nothing. @throws StudioError */
export async function test({ baseUrl, credential, allowInsecure }: Address): Promise<Tested> {
  const upstream = openUpstream({
    base: parseBaseAddress(baseUrl, { allowInsecure }),
    credential,
    retry: { maxAttempts: 1 },
  })
  try {
    return await probe(upstream)
  } finally {
    await upstream.close()
  }
}

/**
 * Tests, keeps the key where asked, and makes this the active profile. When the test or the keychain fails, nothing is kept
 * and what was connected before stays.
 * @throws StudioError what the test met; `keychain_missing`, `keychain_locked`: then `session` can be offered
 */
export function connect(
  session: Session,
  input: Address & { name?: string | undefined; keep: 'keychain' | 'session' },
): Promise<Profile> {
  return session.open(async () => {
    const { credential, allowInsecure, keep } = input
    const { baseUrl } = await test(input)
    const former = session.store.profiles.ofKind('service')
    const id = former?.id ?? randomUUID()
    if (keep === 'keychain') await saveCredential(session.secrets, id, credential)
    else if (former?.keyKept === 'keychain') await session.secrets.delete(id)
    const name = input.name?.trim() || new URL(baseUrl).host
    const profile: StoredProfile = { id, name, kind: 'service', baseUrl, keyKept: keep, allowInsecure }
    session.store.profiles.saveActive(profile)
    const upstream = session.client(parseBaseAddress(baseUrl, { allowInsecure }), credential)
    session.use(profile, upstream, true)
    // Keeps the model list; the test has passed, so what this meets is a state and no failure of the connecting.
    await session.check()
    return { id, name, kind: 'service', baseUrl, keyKept: keep }
  })
}

/** The same for the command line, which has the key as text. */
export function login(
  session: Session,
  input: { name?: string; baseUrl: string; key: string; allowInsecure?: boolean },
) {
  const credential = Credential.fromText(input.key)
  const { name, baseUrl, allowInsecure = false } = input
  return connect(session, { name, baseUrl, credential, allowInsecure, keep: 'keychain' })
}

/** Starts the sandbox if it does not run and makes it the active profile; `keep` false for this run alone. */
export function connectSandbox(session: Session, { keep = true } = {}): Promise<Profile> {
  return session.open(async () => {
    const stored = session.store.profiles.ofKind('sandbox')
    const profile = await sandboxProfile(session, stored?.id ?? randomUUID())
    if (keep) session.store.profiles.saveActive(profile)
    const { allowInsecure: _, ...shown } = profile
    return shown
  })
}

/** Connects for this run alone; the key came from the environment or standard input and is kept nowhere. */
export function connectForNow(
  session: Session,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): Promise<void> {
  return session.open(async () => {
    const credential = Credential.fromText(apiKey)
    const base = parseBaseAddress(baseUrl, { allowInsecure: false })
    const profile: StoredProfile = {
      id: 'environment',
      name: new URL(base.url).host,
      kind: 'service',
      baseUrl: base.url,
      keyKept: 'environment',
      allowInsecure: false,
    }
    session.use(profile, session.client(base, credential), false)
  })
}

/** Opens the stored profile: finds its key, starts its sandbox. A failure becomes the state. */
export function openStored(session: Session): Promise<void> {
  return session.open(async () => {
    const profile = session.store.profiles.active()
    if (!profile) return session.forget()
    session.opening(profile)
    try {
      if (profile.kind === 'sandbox') return void (await sandboxProfile(session, profile.id))
      const credential = profile.keyKept === 'keychain' ? await loadCredential(session.secrets, profile.id) : null
      if (!credential) {
        session.fail({ ...profile, keyKept: 'none' }, keyGone(profile))
        return
      }
      const base = parseBaseAddress(profile.baseUrl, profile)
      session.use(profile, session.client(base, credential), false)
    } catch (thrown) {
      session.fail(profile, thrown)
    }
  })
}

/** Asks again; where no client could be opened, looks for its key once more. */
export async function recheck(session: Session): Promise<void> {
  session.rechecks.tell()
  if (!session.current) await openStored(session)
  await session.check()
}

/** Something says that the service may be back: it is looked for now where it was not there. */
export const lookAgain = (session: Session): void => void session.back.lookNow()

/** Forgets the active profile and its key. The sandbox's place is taken by the service's profile, if one is stored. */
export async function disconnect(session: Session): Promise<void> {
  // In turn: just after the start the stored profile is still being opened, and is the one to forget.
  const forgotten = await session.open(async () => {
    const { profile } = session.connection
    if (!profile) return false
    if (profile.keyKept === 'keychain') await session.secrets.delete(profile.id)
    session.forget()
    if (profile.kind === 'sandbox') {
      await session.sandbox?.close()
      session.sandbox = null
    }
    session.store.profiles.remove(profile.id)
    return true
  })
  if (!forgotten) return
  await openStored(session)
  void session.check()
}

async function sandboxProfile(session: Session, id: string): Promise<StoredProfile> {
  if (!session.sandbox) {
    // Loaded when first asked for: most runs never need it.
    const { startSandbox } = await import('../../sandbox/sandbox.ts')
    session.sandbox = await startSandbox()
  }
  const { baseUrl, apiKey } = session.sandbox
  const base = parseBaseAddress(baseUrl, { allowInsecure: false })
  const shown = { id, name: 'Sandbox', kind: 'sandbox', baseUrl: base.url, keyKept: 'sandbox' } as const
  const profile = { ...shown, allowInsecure: false }
  const upstream = session.client(base, Credential.fromText(apiKey))
  await askModels(upstream, session.store)
  session.use(profile, upstream, true)
  return profile
}

function keyGone(profile: StoredProfile): StudioError {
  const words =
    profile.keyKept === 'keychain'
      ? 'The keychain holds no key for this connection any more. Give it again.'
      : 'The key was kept for that session only. Give it again.'
  return new StudioError('not_connected', words)
}
