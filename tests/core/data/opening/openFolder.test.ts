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

/** Enough rows to keep every machine busy for a while. */
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

it('Opening that is cancelled while a large log is recovered leaves the folder free and unchanged; the next start reports its progress, and /v1 answers 503 until then', {
  tags: 'long',
}, async () => {
  const dataDir = sample
  const { host } = testHost(dataDir)
  const before = readFileSync(join(dataDir, 'ledger.sqlite'))
  const end = new AbortController()
  const ended = createCore(host, { proxyPort: null, signal: end.signal, opening: () => end.abort() })
  await expect(ended).rejects.toMatchObject({ kind: 'cancelled' })
  expect(readFileSync(join(dataDir, 'ledger.sqlite')).equals(before)).toBe(true)
  expect(existsSync(join(dataDir, 'damaged'))).toBe(false)

  const port = await freePort()
  const stages: Opening[] = []
  const answers: Promise<Response>[] = []
  const core = await createCore(host, {
    proxyPort: port,
    opening(work) {
      stages.push(work)
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
    const counted = stages.map((work) => work.rows ?? 0)
    expect(stages.at(-1)).toMatchObject({ stage: 'mending', database: 'ledger' })
    expect([...counted].sort((a, b) => a - b)).toEqual(counted)
    expect(counted.at(-1)).toBeGreaterThan(rows / 10)
    // The same address is now that of the real server, and no other server listens there.
    const now = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: 'Bearer isk_any' } })
    expect(now.status).toBe(401)
    expect(core.addresses().proxy).toBe(`http://127.0.0.1:${port}/v1`)
  } finally {
    await core.stop()
  }
  // Also for the client that was refused a moment ago.
  expect(rowsOf(dataDir)).toBe(rows + 21)
  expect(readdirSync(join(dataDir, 'damaged'))).toHaveLength(1)
})

it('An error while progress is shown ends the start, and the folder is free', {
  tags: 'long',
}, async () => {
  const dataDir = damagedFolder()
  const { host } = testHost(dataDir)
  const opening = () => Promise.reject(new Error('No port is free.'))
  await expect(createCore(host, { proxyPort: null, opening })).rejects.toThrow('No port is free.')
  lockFolder(dataDir).release()
})

it('The next start that is not cancelled fully checks the files of a killed owner', async () => {
  const dataDir = damagedFolder()
  // The state after kill -9.
  lockFolder(dataDir).abandon()
  const end = new AbortController()
  const parts = { dataDir, log: () => undefined, opening: () => end.abort(), signal: end.signal }
  await expect(onFolder(parts, () => undefined)).rejects.toMatchObject({ kind: 'cancelled' })
  const lock = lockFolder(dataDir)
  expect(lock.endedCleanlyBefore).toBe(false)
  lock.release()
}, 60_000)
