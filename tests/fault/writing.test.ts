// @isolated It starts processes or replaces what belongs to the process.
import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { freshFolder } from '../core/helpers/core.ts'
import { onlyLong } from '../helpers/effort.ts'
import { type Fault, lockOf, Studio, smallDisk } from './helpers/studio.ts'
import { driveThrough, driveWithoutFiles, storedReplies, until, wrongs } from './helpers/writing.ts'

// The short form of `npm run soak -- --faults`: a whole studio in its own process, whose databases accept no write for a while.

const lastsMs = 4000
/**
 * Limits for a machine that is busy with other tests; the soak test has those of an idle one. Before writes were queued, each blocked write
 * blocked the event loop, and every answer behind it, for 5000 ms.
 */
const bounds = { answeredMs: 4500, pauseMs: 1500 }

let service: Sandbox
beforeAll(async () => {
  service = await startSandbox({ port: 0 })
})
afterAll(() => service.close())
const studios: Studio[] = []
const leave: (() => void)[] = []
afterEach(async () => {
  for (const studio of studios.splice(0)) await studio.kill()
  for (const one of leave.splice(0)) one()
})

async function start(dataDir: string): Promise<Studio> {
  const studio = await Studio.start(dataDir, service)
  studios.push(studio)
  return studio
}

function freshData(): string {
  const dataDir = freshFolder()
  leave.push(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

describe('while another program holds a lock on a database', () => {
  it.each<[string, Record<string, string>]>([
    ['studio', { request: '200', settings: 'database_locked', key: 'database_locked' }],
    ...onlyLong(
      ['ledger', { request: '503', settings: 'ok', key: 'ok' }],
      ['bodies', { request: '200', settings: 'ok', key: 'ok' }],
      ['account', { request: '200', settings: 'ok', key: 'ok', account: 'database_locked' }],
    ),
  ])('%s: every caller gets an answer in time, and nothing is lost', { tags: 'long' }, async (name, first) => {
    const dataDir = freshData()
    const studio = await start(dataDir)
    const found = await driveThrough(studio, dataDir, lockOf(dataDir, name), lastsMs)
    expect(wrongs(found, bounds)).toEqual([])
    for (const [what, how] of Object.entries(first)) {
      expect(found.answered.find((one) => one.what === what)).toMatchObject({ how })
    }
    expect(await studio.stop()).toBe(0)
  })
})

describe('while the disk is full', () => {
  it('every caller gets an answer in time, and nothing is lost', async ({ skip }) => {
    const disk = smallDisk(24)
    if (!disk) return skip('This user makes no file systems.')
    leave.push(disk.leave)
    const studio = await start(disk.dataDir)
    const found = await driveThrough(studio, disk.dataDir, disk.full, lastsMs)
    expect(found.answered.filter(({ how }) => how !== 'ok' && how !== '200')).not.toEqual([])
    expect(wrongs(found, bounds)).toEqual([])
    expect(await studio.stop()).toBe(0)
  })
})

describe('without free file descriptors', () => {
  it('the process continues, and afterwards everything works', { tags: 'long' }, async () => {
    const dataDir = freshData()
    const studio = await Studio.start(dataDir, service, 400)
    studios.push(studio)
    expect(await driveWithoutFiles(studio, 2000)).toEqual([])
    expect(await studio.stop()).toBe(0)
  })
})

it('a process that is killed while a database is locked leaves no reply that seems to be in progress', {
  tags: 'long',
}, async () => {
  const dataDir = freshData()
  const studio = await start(dataDir)
  const wish = { requestId: crypto.randomUUID(), conversationId: null, text: 'Good morning', models: ['writer-small'] }
  const { result: sent } = await studio.call<{ conversationId: string; replyIds: string[] }>('chat.send', wish)
  const shown = async () =>
    (
      await studio.command<{ id: string; text: string; finishedAt: string | null }[]>('messages', {
        input: sent?.conversationId,
      })
    ).result?.find(({ id }) => id === sent?.replyIds[0])
  await until(async () => (await shown())?.text, 'the reply has begun')
  const lock: Fault = lockOf(dataDir, 'studio')
  await lock.begin()
  await until(async () => (await shown())?.finishedAt, 'the reply has ended')
  await studio.kill()
  await lock.end()
  expect(storedReplies(dataDir)).toMatchObject([{ finishedAt: null }])
  const next = await start(dataDir)
  expect(storedReplies(dataDir)).toMatchObject([
    {
      status: 'incomplete',
      problem: expect.stringContaining('Inference Studio stopped while this reply was running.'),
    },
  ])
  expect(await next.stop()).toBe(0)
})
