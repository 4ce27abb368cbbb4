import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { onFolder } from '../../../../src-main/core/data/opening/openFolder.ts'
import { lockFolder } from '../../../../src-main/core/store/lock.ts'
import type { Opening } from '../../../../src-preload/contract/data.ts'
import { testHost } from '../../helpers/core.ts'
import { behead, filledFolder, moreRequests } from '../fill.ts'

/** Enough that every machine is busy with it for a while. */
const rows = 60_000
let sample: string
beforeAll(() => {
  sample = damagedFolder()
})

function damagedFolder(): string {
  const dataDir = filledFolder()
  moreRequests(dataDir, rows)
  behead(join(dataDir, 'ledger.sqlite'))
  return dataDir
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

const rowsOf = (dataDir: string): number => {
  const handle = new DatabaseSync(join(dataDir, 'ledger.sqlite'), { readOnly: true })
  const row = handle.prepare('SELECT count(*) AS n FROM requests').get()
  handle.close()
  return Number(row?.n)
}

it('ended while a large log is mended, the folder is free and as it was; the next start mends it, tells how far it is, and its /v1 asks to come again until then', async () => {
  const dataDir = sample
  const { host } = testHost(dataDir)
  const before = readFileSync(join(dataDir, 'ledger.sqlite'))
  const end = new AbortController()
  const ended = createCore(host, { proxyPort: null, signal: end.signal, opening: () => end.abort() })
  await expect(ended).rejects.toMatchObject({ kind: 'cancelled' })
  expect(readFileSync(join(dataDir, 'ledger.sqlite')).equals(before)).toBe(true)
  expect(existsSync(join(dataDir, 'damaged'))).toBe(false)

  const port = await freePort()
  const reported: Opening[] = []
  const answers: Promise<Response>[] = []
  const core = await createCore(host, {
    proxyPort: port,
    opening(work) {
      reported.push(work)
      const headers = { authorization: 'Bearer isk_any' }
      if (answers.length === 0) answers.push(fetch(`http://127.0.0.1:${port}/v1/models`, { headers }))
    },
  })
  try {
    const asked = await (answers[0] ?? Promise.reject(new Error('Nothing was told while it was mended.')))
    expect([asked.status, asked.headers.get('retry-after'), asked.headers.get('x-should-retry')]).toEqual([
      503,
      '2',
      null,
    ])
    expect(await asked.json()).toMatchObject({ error: { type: 'studio_unavailable', code: 'opening' } })
    const counted = reported.map((work) => work.rows ?? 0)
    expect(reported.at(-1)).toMatchObject({ stage: 'mending', database: 'ledger' })
    expect([...counted].sort((a, b) => a - b)).toEqual(counted)
    expect(counted.at(-1)).toBeGreaterThan(rows / 10)
    // The same address is the real one now, and nobody else stands there.
    const now = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: 'Bearer isk_any' } })
    expect(now.status).toBe(401)
    expect(core.addresses().proxy).toBe(`http://127.0.0.1:${port}/v1`)
  } finally {
    await core.stop()
  }
  // And the one that was refused a moment ago.
  expect(rowsOf(dataDir)).toBe(rows + 21)
  expect(readdirSync(join(dataDir, 'damaged'))).toHaveLength(1)
}, 60_000)

it('a failure of whoever shows what is done gives the start up, and the folder is free', async () => {
  const dataDir = damagedFolder()
  const { host } = testHost(dataDir)
  const opening = () => Promise.reject(new Error('No port is free.'))
  await expect(createCore(host, { proxyPort: null, opening })).rejects.toThrow('No port is free.')
  lockFolder(dataDir).release()
}, 60_000)

it('what a killed owner left is read whole by the next one that comes so far, however many give up before', async () => {
  const dataDir = damagedFolder()
  // As kill -9 leaves it.
  lockFolder(dataDir).abandon()
  const end = new AbortController()
  const parts = { dataDir, log: () => undefined, opening: () => end.abort(), signal: end.signal }
  await expect(onFolder(parts, () => undefined)).rejects.toMatchObject({ kind: 'cancelled' })
  const lock = lockFolder(dataDir)
  expect(lock.endedCleanlyBefore).toBe(false)
  lock.release()
}, 60_000)
