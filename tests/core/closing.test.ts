// @isolated It replaces methods of classes that other tests use.
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, it, vi } from 'vitest'
import { createCore } from '../../src-main/core/core.ts'
import { reportOpening } from '../../src-main/core/data/opening/prepare.ts'
import { AlertsFeature } from '../../src-main/core/features/alerts/alerts.ts'
import { Archive } from '../../src-main/core/features/archive/archive.ts'
import { Session } from '../../src-main/core/features/connections/session.ts'
import { ChatLibrary } from '../../src-main/core/features/library/library.ts'
import { Outbox } from '../../src-main/core/features/outbox/outbox.ts'
import { UsageWorkerClient } from '../../src-main/core/features/usage/workerClient.ts'
import { Apps } from '../../src-main/core/gateway/apps/apps.ts'
import { LocalV1 } from '../../src-main/core/gateway/proxy/localV1.ts'
import { RequestScheduler } from '../../src-main/core/gateway/scheduler/requestScheduler.ts'
import { SqliteRequestLog } from '../../src-main/core/requestLog/requestLog.ts'
import { closeAll, closeTogether } from '../../src-main/core/shared/closeAll.ts'
import { folderUser } from '../../src-main/core/store/lock.ts'
import { freshFolder, testHost } from './helpers/core.ts'

afterEach(() => vi.restoreAllMocks())

const classes = {
  AlertsFeature,
  UsageWorkerClient,
  LocalV1,
  Outbox,
  Archive,
  ChatLibrary,
  Session,
  RequestScheduler,
  SqliteRequestLog,
  Apps,
}
const names = Object.keys(classes) as (keyof typeof classes)[]

/** Every part with a spy on its `close`. That of `failing` throws after it has done its work. */
function watchClosing(failing: keyof typeof classes | null) {
  return names.map((name) => {
    const prototype: { close(): unknown } = classes[name].prototype
    const { close } = prototype
    return vi.spyOn(prototype, 'close').mockImplementation(function (this: typeof prototype) {
      const closed = close.call(this)
      if (name !== failing) return closed
      return Promise.resolve(closed).then(() => {
        throw new Error(`${name} failed`)
      })
    })
  })
}

it.each(names)(
  'a core whose %s can’t be closed closes every other part, frees the folder and reports it',
  async (failing) => {
    const folder = freshFolder()
    const { host, lines } = testHost(folder)
    const core = await createCore(host, { proxyPort: 0 })
    const spies = watchClosing(failing)
    await core.stop()
    expect(spies.map((spy) => spy.mock.calls.length)).toEqual(names.map(() => 1))
    expect(lines.filter((line) => line.includes('could not be closed'))).toEqual([
      `error A part could not be closed: ${failing} failed`,
    ])
    expect(folderUser(folder)).toBeNull()
    // Without the owner's note, the next start knows that the last end was orderly.
    expect(existsSync(join(folder, 'studio.owner.json'))).toBe(false)
    // A closed database has no write-ahead log.
    expect(existsSync(join(folder, 'studio.sqlite-wal'))).toBe(false)
  },
)

it('a disk that is full when the databases are closed is reported for each, and the folder is free', async () => {
  const folder = freshFolder()
  const { host, lines } = testHost(folder)
  const core = await createCore(host, { proxyPort: null })
  const { close } = DatabaseSync.prototype
  const spies = watchClosing(null)
  const full = new Set<string>()
  const closing = vi.spyOn(DatabaseSync.prototype, 'close').mockImplementation(function (this: DatabaseSync) {
    const file = basename(this.location() ?? '')
    close.call(this)
    if (!file.endsWith('.sqlite')) return
    full.add(file)
    // As node:sqlite reports SQLITE_FULL.
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
  })
  await core.stop()
  closing.mockRestore()
  expect([...full].sort()).toEqual(['account.sqlite', 'bodies.sqlite', 'ledger.sqlite', 'studio.sqlite'])
  expect(spies.map((spy) => spy.mock.calls.length)).toEqual(names.map(() => 1))
  expect(lines.join('\n')).toMatch(/error A part could not be closed: .*full/)
  expect(folderUser(folder)).toBeNull()
  const again = await createCore(testHost(folder).host, { proxyPort: null })
  await again.stop()
})

it('a start that fails undoes every step, although one of them fails too', async () => {
  const report = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const opening = reportOpening(freshFolder(), null)
  const undone: string[] = []
  opening.onFailure(() => undone.push('lock'))
  opening.onFailure(() => {
    throw new Error('The store is on a full disk.')
  })
  opening.onFailure(async () => undone.push('request log'))
  expect(await opening.failed(new Error('No start.'))).toBe(false)
  expect(undone).toEqual(['request log', 'lock'])
  expect(report.mock.calls.join()).toContain('A part could not be closed: The store is on a full disk.')
})

it('closing collects the failures of nested steps, in order or together', async () => {
  const done: string[] = []
  const fail = (message: string) => () => Promise.reject(new Error(message))
  const closing = closeAll([
    () => done.push('first'),
    () => closeTogether([fail('one'), () => done.push('second'), fail('two')]),
    fail('three'),
    () => done.push('third'),
  ])
  await expect(closing).rejects.toMatchObject({
    errors: [{ message: 'one' }, { message: 'two' }, { message: 'three' }],
  })
  expect(done).toEqual(['first', 'second', 'third'])
  await expect(closeAll([() => done.push('fourth')])).resolves.toBeUndefined()
})
