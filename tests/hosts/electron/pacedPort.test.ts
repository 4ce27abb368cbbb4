import { os } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { expect, it } from 'vitest'
import { Listeners } from '../../../src-main/core/shared/events.ts'
import { StateFeed } from '../../../src-main/core/shared/stateFeed.ts'
import { awaitReader, PacedPort } from '../../../src-main/hosts/electron/pacedPort.ts'
import { MessageChannelMain } from '../../helpers/electron/ports.ts'

const size = 50_000
const streams = 40
const changes = 1000

/** Streams of a changing state, to a page that reads only when the test allows. */
function setUp() {
  const changed = new Listeners()
  let number = 0
  const more = 'x'.repeat(size)
  const feed = new StateFeed({ everyMs: 0, read: () => ({ number, more }), observe: (notify) => changed.add(notify) })
  const router = { watch: os.handler(({ signal }) => feed.watch(signal)), small: os.handler(() => 'here') }
  const { port1, port2 } = new MessageChannelMain()
  const port = new PacedPort(port1)
  new RPCHandler(router, { experimental_transfer: awaitReader }).upgrade(port)
  port1.start()
  const heard = new Map<string, unknown[]>()
  const state = { reads: true, unread: 0 }
  port2.on('message', ({ data }: { data: string }) => {
    const { i, p } = JSON.parse(data)
    heard.set(i, [...(heard.get(i) ?? []), (p.b ?? p.d)?.json])
    if (state.reads) port2.postMessage(1)
    else state.unread += 1
  })
  port2.start()
  return {
    port,
    heard,
    state,
    call: (id: string, path: string) => port2.postMessage(JSON.stringify({ i: id, p: { u: path, b: {} } })),
    /** Reads all unread messages and all later ones. */
    readOn() {
      state.reads = true
      port2.postMessage(state.unread)
    },
    close: () => port2.close(),
    async change(times: number) {
      for (let round = 0; round < times; round += 1) {
        number += 1
        changed.notify()
        await new Promise((resolve) => setImmediate(resolve))
      }
      return number
    },
  }
}

it('messages to a hanging window wait, and it receives the last state when it reads again', async () => {
  const page = setUp()
  for (let id = 0; id < streams; id += 1) page.call(String(id), '/watch')
  await expect.poll(() => page.heard.size).toBe(streams)
  page.state.reads = false
  const last = await page.change(changes)
  expect(page.state.unread * size).toBeLessThan(8 * 1024 * 1024)
  expect(page.port.unread).toBeLessThan(8 * 1024 * 1024)
  page.call('call', '/small')
  page.readOn()
  for (let id = 0; id < streams; id += 1) {
    await expect.poll(() => page.heard.get(String(id))?.at(-1)).toMatchObject({ number: last })
  }
  await expect.poll(() => page.heard.get('call')).toEqual(['here'])
  expect(page.heard.get('0')?.length).toBeLessThan(changes / 2)
  await expect.poll(() => page.port.unread).toBe(0)
  page.close()
})

it('closing a hanging window ends its streams', async () => {
  const page = setUp()
  for (let id = 0; id < streams; id += 1) page.call(String(id), '/watch')
  await expect.poll(() => page.heard.size).toBe(streams)
  page.state.reads = false
  await page.change(200)
  page.close()
  await page.change(5)
  const { unread } = page.state
  await page.change(50)
  expect(page.state.unread).toBe(unread)
})
