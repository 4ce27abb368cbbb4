import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, test } from 'vitest'
import { openAccountReadOnly, openAccountStore } from '../../../src-main/core/store/account/open.ts'
import { openStoreReadOnly } from '../../../src-main/core/store/openReadOnly.ts'
import { openReadOnly } from '../../../src-main/core/store/readOnly.ts'
import { openRequestLogReadOnly, openRequestLogTables } from '../../../src-main/core/store/requestLog/open.ts'
import { databaseFile, openStore } from '../../../src-main/core/store/store.ts'
import { freshFolder } from '../helpers/core.ts'

const dataDir = freshFolder()
beforeAll(() => {
  openStore(dataDir).close()
  openAccountStore(dataDir).close()
  openRequestLogTables(dataDir).close()
})

test('A write through a read-only database does not compile, and fails at run time', () => {
  const { handle, close } = openReadOnly(databaseFile(dataDir))
  // @ts-expect-error A read-only connection has no exec.
  expect(() => handle.exec('DELETE FROM settings')).toThrow(/readonly/)
  // @ts-expect-error Its statements have no run.
  expect(() => handle.prepare('DELETE FROM settings').run()).toThrow(/readonly/)
  expect(() => handle.prepare("INSERT INTO settings (key, value) VALUES ('a', '1')").all()).toThrow(/readonly/)
  close()
  const [store, log, account] = [
    openStoreReadOnly(dataDir),
    openRequestLogReadOnly(dataDir),
    openAccountReadOnly(dataDir),
  ]
  // @ts-expect-error The readers of a table have no method that writes.
  expect(() => store?.appKeys.remove('id')).toThrow(TypeError)
  // @ts-expect-error A read-only store has no transaction.
  expect(() => store?.transaction(() => undefined)).toThrow(TypeError)
  // @ts-expect-error The request log has none either.
  expect(() => log?.requests.count(1, 2)).toThrow(TypeError)
  // @ts-expect-error The account database has none either.
  expect(() => account?.limits.put(1, 0, '{}', 0)).toThrow(TypeError)
  for (const opened of [store, log, account]) opened?.close()
})

const open: (typeof openStoreReadOnly | typeof openAccountReadOnly | typeof openRequestLogReadOnly)[] = [
  openStoreReadOnly,
  openAccountReadOnly,
  openRequestLogReadOnly,
]
test.each(open)('%o reads a folder, and has none to read in an empty one', (openIt) => {
  const opened = openIt(dataDir)
  expect(opened).not.toBeNull()
  opened?.close()
  expect(openIt(freshFolder())).toBeNull()
})

test('A copy has the content of the database, and its version', () => {
  const copy = `${freshFolder()}/copy.sqlite`
  const { version, copyTo, close } = openReadOnly(databaseFile(dataDir))
  copyTo(copy)
  close()
  const handle = new DatabaseSync(copy)
  expect(handle.prepare('PRAGMA user_version').get()).toEqual({ user_version: version })
  expect(version).toBeGreaterThan(0)
  handle.close()
})
