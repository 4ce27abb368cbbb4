import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createRouterClient, type RouterClient } from '@orpc/server'
import { afterEach, describe, expect, it } from 'vitest'
import { createCore } from '../../../src-main/core/core.ts'
import { keptBackupName } from '../../../src-main/core/data/backup/manifest.ts'
import { BackupSchedule, type BackupScheduleOptions } from '../../../src-main/core/data/backup/schedule.ts'
import { verifyBackup } from '../../../src-main/core/data/backup/verify.ts'
import { StudioError } from '../../../src-main/core/errors.ts'
import type { DataState } from '../../../src-preload/contract/data.ts'
import { freshFolder, testHost } from '../helpers/core.ts'
import { filledFolder } from './fill.ts'

const open: { close?(): void; stop?(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) {
    one.close?.()
    await one.stop?.()
  }
})
type Client = RouterClient<Awaited<ReturnType<typeof createCore>>['router']>
const soon = { first: 1, look: 5, age: 3_600_000 }

function scheduleOf(backUp: BackupScheduleOptions['backUp'], isOn = true) {
  const settings = { backupFolder: '/backups', backupAutomatic: isOn, backupKeep: { daily: 7 } }
  const lines: string[] = []
  const schedule = new BackupSchedule({
    settings: () => settings,
    backUp,
    changed: () => undefined,
    log: (level, line) => lines.push(`${level} ${line}`),
    delays: soon,
  })
  open.push(schedule)
  return { schedule, settings, lines }
}
const one = { path: '/backups/a', madeAt: 1_790_000_000_000 }

describe('the schedule of backups', () => {
  it('backs up while it is on, and at once when it is switched on', async () => {
    let calls = 0
    const { schedule, settings } = scheduleOf(async () => {
      calls += 1
      return [one]
    }, false)
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect([calls, schedule.state]).toEqual([0, null])
    settings.backupAutomatic = true
    schedule.settingsChanged()
    await expect
      .poll(() => schedule.state)
      .toEqual({
        latest: { at: new Date(one.madeAt).toISOString(), path: one.path },
        count: 1,
        problem: null,
      })
  })

  it('says why it failed, once in the log, tries again, and keeps what it knew', async () => {
    let calls = 0
    const { schedule, lines } = scheduleOf(async () => {
      calls += 1
      if (calls === 1) return [one]
      throw new StudioError('disk_full', 'The disk is full.')
    })
    await expect.poll(() => calls).toBeGreaterThan(4)
    expect(schedule.state).toMatchObject({ latest: { path: one.path }, problem: { kind: 'disk_full' } })
    expect(lines).toEqual(['warn The automatic backup failed: The disk is full.'])
  })

  it('waits while another backup runs, and a backup that a person cancelled is no failure', async () => {
    let calls = 0
    const { schedule, lines } = scheduleOf(() => {
      calls += 1
      return calls === 1 ? null : Promise.reject(new StudioError('cancelled', 'Cancelled.'))
    })
    await expect.poll(() => calls).toBeGreaterThan(2)
    expect([schedule.state, lines]).toEqual([null, []])
  })
})

async function stateOf(client: Client, until: (state: DataState) => boolean): Promise<DataState> {
  for await (const state of await client.data.watch()) if (until(state)) return state
  throw new Error('The state ended.')
}

describe('a running core', () => {
  it('writes a backup when it is switched on, deletes what the rules do not keep, and makes no second one that day', async () => {
    const folder = freshFolder()
    const old = keptBackupName('2020-01-01T00:00:00.000Z', hostname())
    writeFileSync(join(folder, old), '')
    const core = await createCore(testHost(filledFolder()).host, { proxyPort: null })
    open.push(core)
    const client = createRouterClient(core.router)
    const given = { backupFolder: folder, backupAutomatic: true, backupKeep: { last: 1 } }
    await client.app.updateSettings(given)
    const state = await stateOf(client, ({ automatic }) => automatic?.latest != null)
    expect(state.automatic).toMatchObject({ count: 1, problem: null })
    const [name = '', ...more] = readdirSync(folder)
    expect([name === old, more]).toEqual([false, []])
    await verifyBackup({ path: join(folder, name) })
    await client.app.updateSettings({ backupKeep: { last: 5 } })
    await stateOf(client, ({ automatic }) => automatic?.latest != null)
    expect(readdirSync(folder)).toEqual([name])
  })

  it('says that the folder is missing, or is in the data folder', async () => {
    const dataDir = filledFolder()
    const inside = join(dataDir, 'media')
    mkdirSync(inside, { recursive: true })
    const core = await createCore(testHost(dataDir).host, { proxyPort: null })
    open.push(core)
    const client = createRouterClient(core.router)
    for (const [backupFolder, words] of [
      [join(freshFolder(), 'missing'), /does not exist/],
      [inside, /inside the data folder/],
    ] as const) {
      await client.app.updateSettings({ backupFolder, backupAutomatic: true })
      const { automatic } = await stateOf(client, (state) => words.test(state.automatic?.problem?.message ?? ''))
      expect(automatic?.problem).toMatchObject({ kind: 'bad_input' })
    }
  })
})
