import { hash, randomBytes } from 'node:crypto'
import type { App, GraceHours } from '../../../../src-preload/contract/apps.ts'
import { StudioError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import {
  type AppChanges,
  changedSettings,
  checkedChanges,
  defaultAppSettings,
  leastUsedColour,
  type NewApp,
} from './appSettings.ts'

// Changes to apps and their keys in the database. The running core and the command line use the same functions.

type AppTable = Store['appKeys']

const hourMs = 3_600_000

/** A new key, with the SHA-256 of its secret. The database stores only the hash. */
function makeKey(id: string): { key: string; hash: Uint8Array } {
  const secret = randomBytes(32).toString('base64url')
  return { key: `isk_${id}_${secret}`, hash: hash('sha256', secret, 'buffer') }
}

/**
 * Adds an app. `key` is returned only here: the database stores the SHA-256 of its secret.
 * @throws StudioError `bad_input`
 */
export function addApp({ appKeys: table, transaction }: Store, given: NewApp): { app: App; key: string } {
  const changes = checkedChanges(given)
  refusePast(changes.expiresAt)
  const id = randomBytes(5).toString('hex')
  const { key, hash: secretHash } = makeKey(id)
  return transaction(() => {
    refuseTaken(table, changes.name, null)
    const plain = { ...defaultAppSettings, name: given.name, colour: leastUsedColour(table.list()) }
    const createdAt = new Date().toISOString()
    table.insert({ id, createdAt, ...changedSettings(plain, changes) }, secretHash)
    return { app: existing(table, id), key }
  })
}

/** @throws StudioError `no_such_item`, `bad_input` */
export function updateApp({ appKeys: table, transaction }: Store, id: string, given: AppChanges): App {
  const changes = checkedChanges(given)
  return transaction(() => {
    const before = existing(table, id)
    if (changes.name !== before.name) refuseTaken(table, changes.name, id)
    if (changes.expiresAt !== before.expiresAt) refusePast(changes.expiresAt)
    table.save(id, changedSettings(before, changes))
    return existing(table, id)
  })
}

/** Names tell apps apart, in commands too. @throws StudioError `bad_input` when an app that is not revoked has the name, ignoring case */
function refuseTaken(table: AppTable, name: string | undefined, id: string | null): void {
  const wanted = name?.toLowerCase()
  const other = table.list().find((app) => app.id !== id && app.revokedAt === null && app.name.toLowerCase() === wanted)
  if (other) throw new StudioError('bad_input', `Another app is already called ${other.name}.`)
}

/** A paused key is refused until it is resumed. @throws StudioError `no_such_item`, `bad_input` for a revoked key */
export function pauseApp({ appKeys: table, transaction }: Store, id: string, paused: boolean): App {
  return transaction(() => {
    const before = notRevoked(table, id)
    if ((before.pausedAt !== null) === paused) return before
    table.pause(id, paused ? new Date().toISOString() : null)
    return existing(table, id)
  })
}

/** Pauses or resumes every app that is not revoked. Returns how many apps changed. */
export function pauseAllApps({ appKeys: table, transaction }: Store, paused: boolean): number {
  return transaction(() => {
    const at = paused ? new Date().toISOString() : null
    const changed = table
      .list()
      .filter(({ revokedAt, pausedAt }) => revokedAt === null && (pausedAt !== null) !== paused)
    for (const { id } of changed) table.pause(id, at)
    return changed.length
  })
}

/**
 * Replaces an app's key with a new key, which is returned only here. The app keeps its id, limits, spend and log. A key that is still
 * valid from an earlier rotation stops working at once.
 * @param graceHours how long the replaced key still works
 * @throws StudioError `no_such_item`, `bad_input` for a revoked app
 */
export function rotateKey(
  { appKeys: table, transaction }: Store,
  id: string,
  graceHours: GraceHours,
): { app: App; key: string } {
  const { key, hash: secretHash } = makeKey(id)
  return transaction(() => {
    notRevoked(table, id)
    table.rotate(id, secretHash, new Date(Date.now() + graceHours * hourMs).toISOString())
    return { app: existing(table, id), key }
  })
}

/** Revokes a key permanently. Revoking it again has no effect. @throws StudioError `no_such_item` */
export function revokeApp({ appKeys: table, transaction }: Store, id: string): App {
  return transaction(() => {
    table.revoke(id, new Date().toISOString())
    return existing(table, id)
  })
}

function existing(table: AppTable, id: string): App {
  const found = table.find(id)
  if (!found) throw new StudioError('no_such_item', 'No app has this id.')
  return found.app
}

function notRevoked(table: AppTable, id: string): App {
  const found = existing(table, id)
  if (found.revokedAt !== null) throw new StudioError('bad_input', 'This app key is revoked, which can’t be undone.')
  return found
}

function refusePast(expiresAt: string | null | undefined): void {
  if (expiresAt && Date.parse(expiresAt) <= Date.now())
    throw new StudioError('bad_input', 'This expiry is in the past. Revoke or pause the key to end it now.')
}
