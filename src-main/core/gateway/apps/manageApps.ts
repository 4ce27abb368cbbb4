import type { App } from '../../../../src-preload/contract/apps.ts'
import { StudioError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { makeKey } from './appKeys.ts'
import {
  type AppChanges,
  changedSettings,
  checkedChanges,
  defaultAppSettings,
  leastUsedColour,
  type NewApp,
} from './appSettings.ts'

// What a person does with keys, over the database alone: the same for a running core and for the command line beside it.

/**
 * Makes a key for one tool. `key` is shown to whoever asked, once; the database keeps SHA-256 of the secret.
 * @throws StudioError `bad_input`
 */
export function addApp({ toolKeys, transaction }: Store, given: NewApp): { tool: App; key: string } {
  const changes = checkedChanges(given)
  refusePast(changes.expiresAt)
  const { id, key, hash } = makeKey()
  return transaction(() => {
    const plain = { ...defaultAppSettings, name: given.name, colour: leastUsedColour(toolKeys.list()) }
    const createdAt = new Date().toISOString()
    toolKeys.insert({ id, createdAt, ...changedSettings(plain, changes) }, hash)
    return { tool: existing(toolKeys, id), key }
  })
}

/** @throws StudioError `no_such_item`, `bad_input` */
export function updateApp({ toolKeys, transaction }: Store, id: string, given: AppChanges): App {
  const changes = checkedChanges(given)
  return transaction(() => {
    const before = existing(toolKeys, id)
    if (changes.expiresAt !== before.expiresAt) refusePast(changes.expiresAt)
    toolKeys.save(id, changedSettings(before, changes))
    return existing(toolKeys, id)
  })
}

/** A paused key is refused until it is resumed. @throws StudioError `no_such_item`, `bad_input` for a key that was revoked */
export function pauseApp({ toolKeys, transaction }: Store, id: string, paused: boolean): App {
  return transaction(() => {
    const before = existing(toolKeys, id)
    if (before.revokedAt !== null) throw new StudioError('bad_input', 'This key is revoked, which can’t be undone.')
    if ((before.pausedAt !== null) === paused) return before
    toolKeys.pause(id, paused ? new Date().toISOString() : null)
    return existing(toolKeys, id)
  })
}

/** Every key that is not revoked. Answers how many were changed by it. */
export function pauseAllApps({ toolKeys, transaction }: Store, paused: boolean): number {
  return transaction(() => {
    const at = paused ? new Date().toISOString() : null
    const changed = toolKeys
      .list()
      .filter(({ revokedAt, pausedAt }) => revokedAt === null && (pausedAt !== null) !== paused)
    for (const { id } of changed) toolKeys.pause(id, at)
    return changed.length
  })
}

/** Ends a key for good; revoking it again changes nothing. @throws StudioError `no_such_item` */
export function revokeApp({ toolKeys, transaction }: Store, id: string): App {
  return transaction(() => {
    toolKeys.revoke(id, new Date().toISOString())
    return existing(toolKeys, id)
  })
}

function existing(toolKeys: Store['toolKeys'], id: string): App {
  const found = toolKeys.find(id)
  if (!found) throw new StudioError('no_such_item', 'There is no tool key with this id.')
  return found.tool
}

function refusePast(expiresAt: string | null | undefined): void {
  if (expiresAt && Date.parse(expiresAt) <= Date.now())
    throw new StudioError('bad_input', 'This expiry is in the past. A key ends at once when it is revoked or paused.')
}
