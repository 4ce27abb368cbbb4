import { expect, it, onTestFinished } from 'vitest'
import { openRequestLogTables } from '../../../src-main/core/store/requestLog/open.ts'
import { freshFolder } from '../helpers/core.ts'

const body = { text: 'twelve bytes', bytes: 12, capped: false }
const kept = (id: number) => ({
  id,
  who: 'app',
  at: 1,
  requestHeaders: null,
  replyHeaders: null,
  request: body,
  reply: null,
  againOf: null,
  replyTimes: null,
})

function open(dataDir: string) {
  const tables = openRequestLogTables(dataDir)
  onTestFinished(() => tables.close())
  return tables.bodies
}

it('an empty database has no logged bodies, and a body that is stored again counts once', () => {
  const bodies = open(freshFolder())
  expect(bodies.bytes()).toBe(0)
  bodies.save([kept(1)])
  bodies.save([kept(1), kept(2)])
  expect(bodies.bytes()).toBe(24)
})

it('the size follows what another process stores and deletes', () => {
  const dataDir = freshFolder()
  const [here, elsewhere] = [open(dataDir), open(dataDir)]
  here.save([kept(1), kept(2)])
  expect(elsewhere.bytes()).toBe(24)
  elsewhere.eraseSome('all', 10)
  expect(here.bytes()).toBe(0)
  expect(elsewhere.bytes()).toBe(0)
})
