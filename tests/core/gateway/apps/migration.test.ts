import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { defaultAppSettings } from '../../../../src-main/core/gateway/apps/appSettings.ts'
import { openApps } from '../../../../src-main/core/gateway/apps/apps.ts'
import { sql as first } from '../../../../src-main/core/store/migrations/001-first.ts'
import { databaseFile, openStore } from '../../../../src-main/core/store/store.ts'
import { colour } from '../../../../src-preload/contract/requests.ts'
import { freshFolder } from '../../helpers/core.ts'

/** Creates a database of the first version with this many keys. */
function firstVersion(folder: string, keys: number): void {
  writeFileSync(databaseFile(folder), '')
  const handle = new DatabaseSync(databaseFile(folder))
  handle.exec(first)
  handle.exec(`PRAGMA application_id = ${0x49537475}; PRAGMA user_version = 1`)
  const insert = handle.prepare(
    'INSERT INTO tool_keys (id, name, hash, created_at, last_used_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  // In reverse, so that the order of the instants differs from that of the rows.
  for (let n = keys; n-- > 0; )
    insert.run(
      `oldkey${n}`,
      `app ${n}`,
      new Uint8Array(32).fill(n),
      `2026-11-01T00:00:${String(n).padStart(2, '0')}.000Z`,
      n === 1 ? '2026-11-02T00:00:00.000Z' : null,
      n === 2 ? '2026-11-03T00:00:00.000Z' : null,
    )
  handle.close()
}

it('a migration leaves the keys of the first version unchanged, without limits, and gives each a colour', () => {
  const folder = freshFolder()
  firstVersion(folder, 11)
  const apps = openApps(folder)
  const list = apps.list().toReversed()
  apps.close()
  expect(list).toHaveLength(11)
  for (const [n, app] of list.entries())
    expect(app).toEqual({
      ...defaultAppSettings,
      id: `oldkey${n}`,
      name: `app ${n}`,
      colour: colour.options[n % colour.options.length],
      createdAt: `2026-11-01T00:00:${String(n).padStart(2, '0')}.000Z`,
      lastUsedAt: n === 1 ? '2026-11-02T00:00:00.000Z' : null,
      pausedAt: null,
      previousKeyUntil: null,
      revokedAt: n === 2 ? '2026-11-03T00:00:00.000Z' : null,
    })
  expect(defaultAppSettings.retries).toBe(true)
})

it('the secrets of migrated keys are still valid', () => {
  const folder = freshFolder()
  firstVersion(folder, 3)
  const store = openStore(folder)
  expect(store.appKeys.find('oldkey1')?.hash).toEqual(new Uint8Array(32).fill(1))
  expect(store.appKeys.find('nobody')).toBeNull()
  store.close()
})
