import { createRouterClient } from '@orpc/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Core, createCore } from '../../../../src-main/core/core.ts'
import { createRetention, type ErasablePart } from '../../../../src-main/core/data/retention/retention.ts'
import { openRequestLogReader } from '../../../../src-main/core/requestLog/reader.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { type DeletableKind, deletableKinds, type RetentionState } from '../../../../src-preload/contract/retention.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { isOnDisk } from '../../../helpers/onDisk.ts'
import { freshFolder, testHost } from '../../helpers/core.ts'
import { confirmClock, rightClock } from '../../helpers/deadlines.ts'
import { usedFolder } from '../usedFolder.ts'

const open: Core[] = []
afterEach(async () => {
  for (const core of open.splice(0)) await core.stop()
})

/** The whole core on a folder that has been used for a year, controlled like from a page. */
async function studio() {
  const folder = await usedFolder(freshFolder())
  const { host, lines } = testHost(folder.dataDir)
  const core = await createCore(host, { proxyPort: null })
  open.push(core)
  const client = createRouterClient(core.router)
  /** Counts, starts and waits for the end. */
  async function erase(what: DeletableKind[], olderThanDays: number, archivedOnly = false) {
    const plan = await client.retention.count({ what, olderThanDays, archivedOnly })
    const parts = plan.parts.map((part) => ({ what: part.what, reported: part.items }))
    await client.retention.start({ before: plan.before, archivedOnly, parts })
    return { plan, last: await ended(await client.retention.watch()) }
  }
  return { ...folder, core, client, erase, lines }
}

async function ended(states: AsyncIterable<RetentionState>): Promise<NonNullable<RetentionState['last']>> {
  for await (const { running, last } of states) if (running === null && last) return last
  throw new Error('It never ended.')
}

/** Searches the files on the disk, from another process, because this process must not open them through fs. */

const sumsOf = (dataDir: string): unknown => {
  const reader = openRequestLogReader(dataDir)
  try {
    return reader.usedByDay('book', 0, 100_000)
  } finally {
    reader.close()
  }
}

describe('deletion by age', () => {
  it('counts first and deletes nothing; then it deletes permanently what was counted', async () => {
    const { client, erase, dataDir, talks, requests } = await studio()
    const sums = sumsOf(dataDir)
    expect(sums).toHaveLength(requests)
    const all = await client.retention.count({ what: [...deletableKinds], olderThanDays: 105 })
    expect(all.parts.map(({ what, items }) => [what, items])).toEqual([
      ['conversations', 2],
      ['bodies', 26],
      ['log', 26],
      ['alerts', 0],
      ['speech', 0],
      ['recordings', 1],
      ['images', 1],
    ])
    expect(all.parts[0]?.titles).toEqual(['Talk of day-200-ago', 'Talk of day-300-ago'])
    for (const text of ['day-300-ago', 'day-200-ago', 'day-110-ago']) expect(isOnDisk(dataDir, text)).toBe(true)

    const { last } = await erase([...deletableKinds], 105)
    expect(last).toMatchObject({ by: 'person', stopped: false, problem: null })
    expect(last.parts.map(({ what, items }) => [what, items])).toEqual(
      all.parts.map(({ what, items }) => [what, items]),
    )
    // Below 250 days only the pinned conversation is left.
    for (const text of ['day-300-ago', 'day-200-ago', 'day-110-ago']) expect(isOnDisk(dataDir, text)).toBe(false)
    for (const text of ['day-250-ago', 'day-100-ago', 'day-20-ago']) expect(isOnDisk(dataDir, text)).toBe(true)
    expect((await client.requests.counts({ filter: {} })).stored).toBe(requests - 26)
    expect(sumsOf(dataDir)).toEqual(sums)
    const kept = new Set<string>()
    for await (const event of await client.chat.watchList()) {
      if (event.type === 'snapshot') for (const { id } of event.conversations) kept.add(id)
      break
    }
    expect(kept).toEqual(new Set([talks.pinned, talks.late, talks.new]))
    expect((await client.library.listDeleted()).conversations).toEqual([])
    const uses = Object.fromEntries((await client.media.storageUse()).uses.map(({ kind, items }) => [kind, items]))
    expect(uses).toMatchObject({ images: 2, recordings: 0 })
    const again = await client.retention.count({ what: [...deletableKinds], olderThanDays: 105 })
    expect(again.parts.every(({ items }) => items === 0)).toBe(true)
  })

  it('deletes only conversations of the archive when requested, and bodies without their rows', async () => {
    const { client, erase, dataDir, requests } = await studio()
    const { plan } = await erase(['conversations'], 105, true)
    expect(plan.parts).toMatchObject([{ what: 'conversations', items: 1, titles: ['Talk of day-200-ago'] }])
    expect(isOnDisk(dataDir, 'What was asked day-200-ago')).toBe(false)
    expect(isOnDisk(dataDir, 'What was asked day-300-ago')).toBe(true)
    await erase(['bodies'], 105)
    expect(isOnDisk(dataDir, 'ask day-110-ago')).toBe(false)
    expect(isOnDisk(dataDir, 'ask day-100-ago')).toBe(true)
    expect((await client.requests.counts({ filter: {} })).stored).toBe(requests)
  })

  it('never deletes more than was counted: it reports that and deletes nothing', async () => {
    const { client, talks } = await studio()
    const plan = await client.retention.count({ what: ['conversations'], olderThanDays: 105 })
    await client.chat.update({ conversationId: talks.pinned, pinned: false })
    const { before, archivedOnly } = plan
    const start = client.retention.start({ before, archivedOnly, parts: [{ what: 'conversations', reported: 2 }] })
    await expect(start).rejects.toMatchObject({ data: { kind: 'bad_input' } })
    const later = new Date(Date.now() + 60_000).toISOString()
    const future = client.retention.start({ before: later, archivedOnly, parts: [{ what: 'log', reported: 1e9 }] })
    await expect(future).rejects.toMatchObject({ data: { kind: 'bad_input' } })
    expect((await client.retention.count({ what: ['conversations', 'log'], olderThanDays: 0 })).parts).toMatchObject([
      { items: 5 },
      { items: 37 },
    ])
  })

  it('the setting for the log deletes only the log, is off by default, and logs what was deleted', {
    tags: 'long',
  }, async () => {
    const { dataDir } = await usedFolder(freshFolder())
    const { host, lines } = testHost(dataDir)
    confirmClock(dataDir)
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] })
    try {
      const core = await createCore(host, { proxyPort: null })
      open.push(core)
      const client = createRouterClient(core.router)
      expect(core.state().settings.logDays).toBeNull()
      vi.advanceTimersByTime(60_000)
      expect((await client.requests.counts({ filter: {} })).stored).toBe(37)
      await client.app.updateSettings({ logDays: 95 })
      vi.advanceTimersByTime(86_400_000)
      vi.useRealTimers()
      await eventually(() => expect(lines.join()).toContain('Deleted 27 requests older than 95 days'))
      expect((await client.requests.counts({ filter: {} })).stored).toBe(10)
      expect((await client.retention.count({ what: ['conversations'], olderThanDays: 90 })).parts[0]?.items).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('one start with the clock a year ahead', () => {
  it('deletes no requests, bodies and chats, although all of them would be too old', { tags: 'long' }, async () => {
    const { dataDir, talks } = await usedFolder(freshFolder())
    confirmClock(dataDir)
    const store = openStore(dataDir)
    store.settings.write({ logDays: 370, bodyDays: 365 })
    store.conversations.setRemoved(talks.new, new Date().toISOString())
    store.close()
    const toFake = ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'] as const
    vi.useFakeTimers({ toFake: [...toFake], now: Date.now() + 371 * 86_400_000 })
    try {
      const { host, lines } = testHost(dataDir)
      const core = await createCore(host, { proxyPort: null })
      open.push(core)
      const client = createRouterClient(core.router)
      const [log, bodies] = (await client.retention.count({ what: ['log', 'bodies'], olderThanDays: 0 })).parts
      vi.advanceTimersByTime(3 * 3_600_000)
      vi.useRealTimers()
      // The sweeps have begun. What they delete is gone, or logged, before the program ends.
      await core.stop()
      expect(lines.filter((line) => /eleted/.test(line))).toEqual([])
      const left = openStore(dataDir)
      expect(left.archive.state(talks.new)).toBe('removed')
      left.close()
      const again = await createCore(testHost(dataDir).host, { proxyPort: null })
      open.push(again)
      const plan = await createRouterClient(again.router).retention.count({ what: ['log', 'bodies'], olderThanDays: 0 })
      expect(plan.parts.map(({ items }) => items)).toEqual([log?.items, bodies?.items])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('one deletion at a time', () => {
  const nothing: ErasablePart = { count: () => ({ items: 0, bytes: null, titles: [] }), erase: async () => 0 }
  const kinds = (given: Partial<Record<DeletableKind, ErasablePart>>): Record<DeletableKind, ErasablePart> => ({
    conversations: nothing,
    log: nothing,
    bodies: nothing,
    alerts: nothing,
    speech: nothing,
    recordings: nothing,
    images: nothing,
    ...given,
  })
  const before = new Date(0).toISOString()

  it('reports its progress, can be stopped, and excludes a second one', async () => {
    const step = Promise.withResolvers<void>()
    const slow: ErasablePart = {
      count: () => ({ items: 10, bytes: 5, titles: [] }),
      async erase(_wish, _reported, { done, stopped }) {
        done(3)
        await step.promise
        expect(stopped()).toBe(true)
        return 4
      },
    }
    const erasing = createRetention({
      kinds: kinds({ log: slow }),
      logDays: () => null,
      deadlines: rightClock(),
      log: () => undefined,
    })
    const start = () =>
      erasing.start({
        before,
        archivedOnly: false,
        parts: [
          { what: 'images', reported: 0 },
          { what: 'log', reported: 10 },
        ],
      })
    await start()
    await expect(start()).rejects.toMatchObject({ kind: 'busy' })
    expect(erasing.state.read().running).toMatchObject({
      by: 'person',
      parts: [
        { what: 'log', items: 10, done: 3 },
        { what: 'images', items: 0, done: 0 },
      ],
    })
    expect(erasing.stop()).toEqual({ stopping: true })
    step.resolve()
    await erasing.ended()
    expect(erasing.state.read()).toMatchObject({
      running: null,
      last: {
        stopped: true,
        problem: null,
        parts: [
          { what: 'log', items: 4 },
          { what: 'images', items: 0 },
        ],
      },
    })
    expect(erasing.stop()).toEqual({ stopping: false })
    await erasing.close()
  })

  it('that fails reports why and how far it came, and the next one may begin', async () => {
    const failing: ErasablePart = {
      ...nothing,
      async erase(_wish, _reported, { done }) {
        done(2)
        throw new Error('the disk is gone')
      },
    }
    const lines: string[] = []
    const log = (level: string, line: string) => lines.push(`${level} ${line}`)
    const erasing = createRetention({
      kinds: kinds({ bodies: failing }),
      logDays: () => null,
      deadlines: rightClock(),
      log,
    })
    await erasing.start({ before, archivedOnly: false, parts: [{ what: 'bodies', reported: 5 }] })
    await erasing.ended()
    expect(erasing.state.read().last).toMatchObject({
      problem: { message: expect.stringContaining('the disk is gone') },
      parts: [{ what: 'bodies', items: 2 }],
    })
    expect(lines).toEqual([expect.stringMatching(/^error .*the disk is gone/)])
    await erasing.start({ before, archivedOnly: false, parts: [{ what: 'alerts', reported: 0 }] })
    await erasing.close()
  })
})
