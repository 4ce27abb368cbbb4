import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { SyncRuns, type SyncRunsOptions } from '../../../../src-main/core/features/archive/sync/syncRuns.ts'
import { freshFolder } from '../../helpers/core.ts'
import { message, put, type Studio } from './studio.ts'
import { studiosOfTest } from './studiosOfTest.ts'

const { studio } = studiosOfTest()
const open: SyncRuns[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Short waits. The interval is long, unless a test is about it. */
const delays = { first: 1, settle: 20, rest: 0, busy: 5 }
const often = 0.0003

function runsOf(one: Studio, folder: string | null, more: Partial<SyncRunsOptions> & { minutes?: number } = {}) {
  const { minutes = 60, ...options } = more
  const settings = { syncFolder: folder, syncAutomatic: folder !== null, syncMinutes: minutes }
  const lines: string[] = []
  const calls = { began: 0 }
  const runs = new SyncRuns({
    store: one.store,
    sync: (to, signal) => {
      calls.began += 1
      return one.archive.sync({ folder: to }, signal)
    },
    settings: () => settings,
    log: (level, line) => void lines.push(`${level} ${line}`),
    delays,
    ...options,
  })
  open.push(runs)
  const last = () => runs.state.read().last
  const ended = () => expect.poll(() => last() !== null && !runs.state.read().isRunning).toBe(true)
  return { runs, settings, lines, calls, last, ended }
}

it('runs at the start, and the result is there after a restart', async () => {
  const [folder, home] = [freshFolder(), studio()]
  put(home.store, [message()])
  const { last, ended, runs } = runsOf(home, folder)
  await ended()
  expect(last()).toMatchObject({ folder, isAutomatic: true, problem: null, report: { written: true, files: [] } })
  await runs.close()
  expect(runsOf(home, null).last()).toEqual(last())
})

it('runs by itself only where it is switched on, and at once when it is', async () => {
  const [folder, home] = [freshFolder(), studio()]
  // Also soon after the start and a run.
  const { settings, calls, ended, runs } = runsOf(home, null, { delays: { ...delays, first: 600_000, rest: 600_000 } })
  runs.changed()
  await runs.run(folder)
  expect(calls.began).toBe(1)
  Object.assign(settings, { syncFolder: folder, syncAutomatic: true, syncMinutes: 60 })
  put(home.store, [message()])
  runs.settingsChanged()
  await expect.poll(() => calls.began).toBe(2)
  await ended()
})

it('a message that is added while a sync ends is synced by the next run', async () => {
  const [folder, home, work] = [freshFolder(), studio(), studio()]
  let began = 0
  runsOf(home, folder, {
    minutes: often,
    sync: async (to, signal) => {
      began += 1
      const report = await home.archive.sync({ folder: to }, signal)
      if (began === 1) put(home.store, [message({ text: 'Late' })])
      return report
    },
  })
  await expect
    .poll(async () => {
      await work.archive.sync({ folder })
      return work.store.conversations.list().length
    })
    .toBe(1)
})

it('merges what another computer has written, and skips runs that would find nothing', async () => {
  const folder = freshFolder()
  const [home, work] = [studio(), studio()]
  const { calls, ended } = runsOf(home, folder, { minutes: often })
  await ended()
  const id = put(work.store, [message({ text: 'From work' })])
  await work.archive.sync({ folder })
  await expect.poll(() => home.store.conversations.find(id)?.title).toBe('A talk')
  await expect.poll(() => calls.began).toBeGreaterThan(1)
  // The last run reads the folder again after its own file has changed. From then on nothing is new.
  const counts: number[] = []
  await expect.poll(() => counts.push(calls.began) > 1 && counts.at(-1) === counts.at(-2), { interval: 150 }).toBe(true)
  const before = calls.began
  put(home.store, [message()])
  await expect.poll(() => calls.began).toBeGreaterThan(before)
})

it('does not skip the next run while something was not merged', async () => {
  const [folder, home] = [freshFolder(), studio()]
  const report = { file: '', written: false, isComplete: false, files: [], notes: [] }
  let began = 0
  runsOf(home, folder, {
    minutes: often,
    sync: async () => {
      began += 1
      return { ...report, isComplete: began > 5 }
    },
  })
  await expect.poll(() => began).toBeGreaterThan(5)
})

it('runs once when changes have settled', async () => {
  const [folder, home] = [freshFolder(), studio()]
  const { calls, ended, runs, last } = runsOf(home, folder)
  await ended()
  const { at } = last() ?? {}
  put(home.store, [message()])
  for (let change = 0; change < 20; change += 1) runs.changed()
  await expect.poll(() => last()?.at).not.toBe(at)
  expect(calls.began).toBe(2)
})

it('never runs twice at once, and tries again after an import, which is no result', async () => {
  const [folder, home] = [freshFolder(), studio()]
  const gates: (() => void)[] = []
  let [isImporting, tries] = [true, 0]
  const { runs, last, lines } = runsOf(home, folder, {
    sync: async (to) => {
      tries += 1
      if (isImporting) throw new StudioError('busy', 'Another file is being imported.')
      await new Promise<void>((resolve) => gates.push(resolve))
      return home.archive.sync({ folder: to })
    },
  })
  await expect.poll(() => tries).toBeGreaterThan(2)
  expect([last(), lines]).toEqual([null, []])
  isImporting = false
  await expect.poll(() => gates.length).toBe(1)
  expect(() => runs.run(folder)).toThrow(expect.objectContaining({ kind: 'busy' }))
  runs.changed()
  expect(runs.state.read().isRunning).toBe(true)
  gates.pop()?.()
  await expect.poll(() => last()?.report?.written).toBe(true)
  expect(gates).toEqual([])
})

it('says why it failed, logs it once, and works again when the folder is back', async () => {
  const [parent, home] = [freshFolder(), studio()]
  const folder = join(parent, 'stick')
  mkdirSync(folder)
  renameSync(folder, `${folder}-away`)
  const { lines, last, ended, calls } = runsOf(home, folder, { minutes: often })
  await ended()
  expect(last()).toMatchObject({
    report: null,
    problem: { kind: 'bad_input', message: expect.stringContaining(folder) },
  })
  await expect.poll(() => calls.began).toBeGreaterThan(2)
  expect(lines).toEqual([expect.stringContaining('The automatic sync failed')])
  renameSync(`${folder}-away`, folder)
  await expect.poll(() => last()?.problem).toBeNull()
  expect(last()?.report).toMatchObject({ written: true })
})

it('closing stops a sync between two chats, and the next one completes it', async () => {
  const folder = freshFolder()
  const [home, work] = [studio(), studio()]
  for (let at = 0; at < 6; at += 1) put(work.store, [message({ text: `Chat ${at}` })])
  await work.archive.sync({ folder })
  const { runs, last } = runsOf(home, null)
  const stopped = runs.run(folder)
  stopped.catch(() => undefined)
  await expect.poll(() => home.store.archive.ids().length, { interval: 1 }).toBeGreaterThan(0)
  await runs.close()
  const between = home.store.archive.ids().length
  // On a fast computer the sync may have ended first.
  if (between < 6) await expect(stopped).rejects.toMatchObject({ kind: 'cancelled' })
  expect(home.store.erasures.planned('import')).toEqual([])
  if (between < 6) expect(last()).toBeNull()
  await home.archive.sync({ folder })
  expect(home.store.archive.ids()).toHaveLength(6)
})
