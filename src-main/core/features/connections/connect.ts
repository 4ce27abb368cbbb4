import { randomUUID } from 'node:crypto'
import type { Profile } from '../../../../src-preload/contract/app.ts'
import { placeOf } from '../../../../src-preload/contract/hostPlace.ts'
import { StudioError } from '../../errors.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { StoredProfile } from '../../store/profiles.ts'
import { type BaseAddress, parseBaseAddress } from '../../upstream/address.ts'
import { openUpstream } from '../../upstream/client.ts'
import { Credential } from '../../upstream/credential.ts'
import { type ProbeResult, probe } from './probe.ts'
import { allProfiles, freeName, keyOf, profileNamed, profileOf, sandboxId, shownProfile } from './profiles.ts'
import type { Session } from './session.ts'

/** An address with its API key. `allowInsecure` permits http:// outside this computer. */
export interface ConnectionAddress {
  baseUrl: string
  credential: Credential
  allowInsecure: boolean
}

/** Input of `connect`. `keyStorage` is where the API key is stored. */
export interface NewConnection extends ConnectionAddress {
  /** Profile whose address and API key are replaced. */
  id?: string | undefined
  /** Replaces the profile with this name, or the only one at this address, instead of adding one. */
  updateExisting?: boolean | undefined
  name?: string | undefined
  keyStorage: 'keychain' | 'session'
}

/**
 * Tests an address and an API key with a single attempt, because a person waits. Stores nothing. @throws StudioError
 */
export async function test(
  { system }: Pick<Session, 'system'>,
  { baseUrl, credential, allowInsecure }: ConnectionAddress,
): Promise<ProbeResult> {
  const base = parseBaseAddress(baseUrl, { allowInsecure })
  refuseShortKey(base, credential)
  const upstream = openUpstream({
    base,
    credential,
    network: { system },
    retry: { maxAttempts: 1 },
  })
  try {
    return await probe(upstream)
  } finally {
    await upstream.close()
  }
}

/**
 * Refuses to send a short key outside the local network, because a short key can't be masked in replies and logs.
 * @throws StudioError `bad_input`
 */
function refuseShortKey(base: BaseAddress, credential: Credential): void {
  if (credential.isNone || !credential.isShort || placeOf(new URL(base.url).hostname) !== 'elsewhere') return
  throw new StudioError('bad_input', 'This API key is too short for a service on the internet.')
}

/**
 * Tests the connection, stores its API key and makes it active. If the test or the keychain fails, nothing is stored
 * and the previous connection stays.
 * @throws StudioError with the reason of a failed test; `bad_input` if the name is taken; `keychain_missing`, `keychain_locked`: the caller
 * can then offer `session`
 */
export function connect(session: Session, input: NewConnection): Promise<Profile> {
  return session.open(async () => {
    const { credential, allowInsecure, keyStorage } = input
    const base = parseBaseAddress(input.baseUrl, { allowInsecure })
    const former = replacedBy(session, input, base.url)
    const id = former?.id ?? randomUUID()
    const name = freeName(session, id, input.name ?? former?.name, new URL(base.url).host)
    await test(session, input)
    const keyKept = credential.isNone ? 'unneeded' : keyStorage
    if (keyKept === 'keychain') await credential.store(session.secrets, id)
    else if (former?.keyKept === 'keychain') await session.secrets.delete(id)
    if (keyKept === 'session') session.keys.set(id, credential)
    else session.keys.delete(id)
    const profile: StoredProfile = { id, name, kind: 'service', baseUrl: base.url, keyKept, allowInsecure }
    session.store.profiles.saveActive(profile)
    session.use(profile, session.client(profile, base, credential), true)
    // Stores the model list. The test has passed, so a failure here changes the state but does not fail `connect`.
    await session.check()
    return shownProfile(profile)
  })
}

/** Returns the profile to replace, or null to add one. @throws StudioError `no_such_item`, `bad_input` */
function replacedBy(
  session: Session,
  { id, updateExisting, name }: NewConnection,
  baseUrl: string,
): StoredProfile | null {
  if (id !== undefined) {
    const former = profileOf(session, id)
    if (former.kind === 'service' && former.keyKept !== 'environment') return former
    throw new StudioError('bad_input', `${former.name} has no address or API key to change.`)
  }
  if (updateExisting !== true) return null
  const services = session.store.profiles.all().filter(({ kind }) => kind === 'service')
  const wanted = (name ?? new URL(baseUrl).host).trim().toLowerCase()
  const named = services.find((one) => one.name.toLowerCase() === wanted)
  if (named || name !== undefined) return named ?? null
  const [only, ...others] = services.filter((one) => one.baseUrl === baseUrl)
  return only && others.length === 0 ? only : null
}

/** Like `connect`, for the command line, which has the API key as text. */
export function login(
  session: Session,
  input: { name?: string; baseUrl: string; key: string; allowInsecure?: boolean; updateExisting?: boolean },
) {
  const credential = Credential.fromText(input.key)
  const { name, baseUrl, allowInsecure = false, updateExisting } = input
  return connect(session, { name, baseUrl, credential, allowInsecure, updateExisting, keyStorage: 'keychain' })
}

/** Starts the sandbox if needed and makes it active. `remember: false` applies to this run only. */
export function connectSandbox(session: Session, { remember = true } = {}): Promise<Profile> {
  return session.open(async () => {
    const profile = await startedSandbox(session)
    if (remember) session.store.profiles.saveActive(profile)
    else session.temporary.set(profile.id, profile)
    await openSandbox(session, profile)
    return shownProfile(profile)
  })
}

/** Connects for this run only. The API key is from the environment or standard input and is not stored. */
export function connectForNow(
  session: Session,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): Promise<void> {
  return session.open(async () => {
    const credential = Credential.fromText(apiKey)
    const base = parseBaseAddress(baseUrl, { allowInsecure: false })
    refuseShortKey(base, credential)
    const id = 'environment'
    const profile: StoredProfile = {
      id,
      name: freeName(session, id, undefined, new URL(base.url).host),
      kind: 'service',
      baseUrl: base.url,
      keyKept: 'environment',
      allowInsecure: false,
    }
    session.temporary.set(id, profile)
    session.keys.set(id, credential)
    session.use(profile, session.client(profile, base, credential), false)
  })
}

/**
 * Connects a stored profile by id or name, for this run only. @throws as `use`
 */
export async function connectNamed(session: Session, which: string): Promise<void> {
  const { id } = profileNamed(allProfiles(session), which)
  await use(session, id, { remember: false })
}

/**
 * Makes a profile active; with `remember: false` for this run only. Reads its API key first, so that the previous
 * connection stays if that fails. Requests already sent finish on the previous connection.
 * @throws StudioError `no_such_item`, `not_connected`, and errors of the keychain
 */
export function use(session: Session, id: string, { remember = true } = {}): Promise<Profile> {
  return session.open(async () => {
    const profile = profileOf(session, id)
    const isActive = session.current !== null && session.connection.profile?.id === id
    if (profile.kind === 'sandbox') {
      const started = await startedSandbox(session)
      if (remember) session.store.profiles.saveActive(started)
      if (!isActive) await openSandbox(session, started)
      return shownProfile(started)
    }
    const credential = isActive ? null : await keyOf(session, profile)
    const base = parseBaseAddress(profile.baseUrl, profile)
    if (remember && !session.temporary.has(id)) session.store.profiles.activate(id)
    if (credential) session.use(profile, session.client(profile, base, credential), false)
    return shownProfile(profile)
  })
}

/** Like `use`, then checks the service in the background. @throws as `use` */
export async function switchTo(session: Session, id: string): Promise<Profile> {
  const profile = await use(session, id)
  if (session.connection.state === 'checking') inBackground('The service could not be checked', session.check())
  return profile
}

/** Opens the stored profile: reads its API key or starts its sandbox. A failure becomes the state `failed`. */
export function openStored(session: Session): Promise<void> {
  return session.open(async () => {
    const profile = session.store.profiles.active()
    if (!profile) return session.forget()
    session.opening(profile)
    try {
      if (profile.kind === 'sandbox') return await openSandbox(session, await startedSandbox(session))
      const credential = await keyOf(session, profile)
      const base = parseBaseAddress(profile.baseUrl, profile)
      session.use(profile, session.client(profile, base, credential), false)
    } catch (thrown) {
      const gone = thrown instanceof StudioError && thrown.kind === 'not_connected'
      session.fail(gone ? { ...profile, keyKept: 'none' } : profile, thrown)
    }
  })
}

/** Checks the service. If no client could be opened, reads the API key again first. */
export async function retest(session: Session): Promise<void> {
  session.rechecks.notify()
  if (!session.current) await openStored(session)
  await session.check()
}

/** Checks an unreachable service at once. Call on a hint that the service may be back. */
export const testIfOffline = (session: Session): void =>
  inBackground('The service could not be checked', session.reconnect.checkNow())

/** Renames a profile. @throws StudioError `no_such_item`, `bad_input` if the name is taken */
export function rename(session: Session, { id, name }: { id: string; name: string }): Profile {
  const profile = { ...profileOf(session, id), name: freeName(session, id, name, '') }
  if (session.temporary.has(id)) session.temporary.set(id, profile)
  session.store.profiles.rename(id, profile.name)
  if (session.connection.profile?.id === id) session.renamed(profile.name)
  else session.changes.notify()
  return shownProfile(profile)
}

/**
 * Deletes a profile and its API key, and ends its running requests. No other profile becomes active: the person must
 * choose whose account pays.
 * @throws StudioError `no_such_item`, `keychain_missing`, `keychain_locked` (then nothing is deleted)
 */
export function removeConnection(session: Session, id: string): Promise<void> {
  return session.open(async () => {
    const profile = profileOf(session, id)
    if (profile.keyKept === 'keychain') await session.secrets.delete(id)
    session.store.profiles.remove(id)
    session.temporary.delete(id)
    session.keys.delete(id)
    if (session.connection.profile?.id === id) session.forget()
    else session.changes.notify()
    session.retired.cut(id)
    session.forgotten.notify(id)
    if (profile.kind !== 'sandbox') return
    await session.sandbox?.close()
    session.sandbox = null
  })
}

/** Deletes the active profile and its API key. */
export async function disconnect(session: Session): Promise<void> {
  // Waits for the stored profile, which may still be opening after the start.
  const id = await session.open(async () => session.connection.profile?.id)
  if (id !== undefined) await removeConnection(session, id)
}

async function startedSandbox(session: Session): Promise<StoredProfile> {
  if (!session.sandbox) {
    // Loaded on first use, because most runs never need it.
    const { startSandbox } = await import('../../../sandbox/sandbox.ts')
    session.sandbox = await startSandbox({ past: session.sandboxUse() })
  }
  const known = session.store.profiles.sandbox()
  const base = parseBaseAddress(session.sandbox.baseUrl, { allowInsecure: false })
  const id = known?.id ?? sandboxId
  const name = known?.name ?? freeName(session, id, undefined, 'Sandbox')
  return { id, name, kind: 'sandbox', baseUrl: base.url, keyKept: 'sandbox', allowInsecure: false }
}

async function openSandbox(session: Session, profile: StoredProfile): Promise<void> {
  if (!session.sandbox) return
  const base = parseBaseAddress(profile.baseUrl, profile)
  session.use(profile, session.client(profile, base, Credential.fromText(session.sandbox.apiKey)), true)
  await session.check()
}
