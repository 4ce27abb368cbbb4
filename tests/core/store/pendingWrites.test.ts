// @isolated It starts processes or replaces what belongs to the process.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Listeners } from '../../../src-main/core/shared/events.ts'
import { guarded, inBackground, onUnexpected } from '../../../src-main/core/shared/unexpected.ts'
import { coreBusyMs, openDatabase } from '../../../src-main/core/store/database.ts'
import { PendingWrites, untilWritten } from '../../../src-main/core/store/pendingWrites.ts'
import { eventually } from '../../helpers/eventually.ts'
import { freshFolder } from '../helpers/core.ts'
import { lock } from '../helpers/lock.ts'

const kind = {
  applicationId: 1,
  migrations: ['CREATE TABLE log (seq INTEGER PRIMARY KEY, what TEXT NOT NULL) STRICT'],
  synchronous: 'NORMAL',
} as const

function open() {
  const folder = freshFolder()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'a.sqlite')
  const opened = openDatabase(file, kind, { busyMs: coreBusyMs })
  const pending = new PendingWrites(() => opened.handle.isTransaction)
  const database = pending.before(opened)
  onTestFinished(() => {
    pending.close()
    opened.close()
  })
  const insert = opened.handle.prepare('INSERT INTO log (what) VALUES (?)')
  const write = (what: string): void => database.transaction(() => void insert.run(what))
  const all = (): unknown[] =>
    opened.handle
      .prepare('SELECT what FROM log ORDER BY seq')
      .all()
      .map(({ what }) => what)
  const waitsMs = (): unknown => opened.handle.prepare('PRAGMA busy_timeout').get()?.timeout
  return { file, database, pending, write, all, waitsMs }
}

/** What was reported while the test runs. */
function reports(): string[] {
  const lines: string[] = []
  onTestFinished(onUnexpected((line) => lines.push(line)))
  return lines
}

const msOf = (work: () => unknown): number => {
  const from = performance.now()
  try {
    work()
  } catch {
    // A lock under the control of the test.
  }
  return performance.now() - from
}

describe('a database of a running core, while another program holds its lock', () => {
  it('blocks the first write for at most 100 ms, and the others not at all', () => {
    const { file, write, database, waitsMs } = open()
    const release = lock(file)
    // How long SQLite itself waits. A clock would also count the time in which a busy machine runs other programs.
    expect(waitsMs()).toBeLessThanOrEqual(100)
    expect(msOf(() => write('a'))).toBeGreaterThan(coreBusyMs / 2)
    expect(waitsMs()).toBe(0)
    expect(() => write('a')).toThrow(expect.objectContaining({ errcode: 5 }))
    expect(database.isWritable()).toBe(false)
    expect(waitsMs()).toBe(0)
    release()
  })

  it('accepts writes again, and waits for the next lock as for the first', () => {
    const { file, write, all, database } = open()
    const release = lock(file)
    expect(() => write('a')).toThrow()
    release()
    expect(database.isWritable()).toBe(true)
    write('b')
    expect(all()).toEqual(['b'])
    const again = lock(file)
    expect(msOf(() => write('c'))).toBeGreaterThan(coreBusyMs / 2)
    again()
  })

  it('is reported as locked, not as a folder that another process uses', async () => {
    const { file, write } = open()
    const release = lock(file)
    const closing = new AbortController()
    closing.abort()
    const asked = untilWritten('A test', () => write('a'), closing.signal)
    await expect(asked).rejects.toMatchObject({ errcode: 5 })
    release()
  })
})

describe('background writes', () => {
  it('survive any order of locks and writes: each key gets its newest value, and none gets an older one back', () => {
    const { file, pending, write, all, database } = open()
    const step = fc.constantFrom('a', 'b', 'c', 'lock', 'release', 'flush')
    const run = (steps: readonly string[]): string[] => {
      database.transaction(() => database.handle.exec('DELETE FROM log'))
      const newest = new Map<string, string>()
      const held: (() => void)[] = []
      const change: Record<string, () => void> = {
        lock: () => {
          if (held.length === 0) held.push(lock(file))
        },
        release: () => held.pop()?.(),
        flush: () => pending.flush(),
      }
      for (const [n, one] of steps.entries()) {
        change[one]?.()
        if (change[one]) continue
        const what = `${one} ${String(n).padStart(3, '0')}`
        newest.set(one, what)
        pending.write(one, 'A test', () => write(what))
      }
      held.pop()?.()
      expect(pending.flush()).toBe(true)
      return [...newest.values()]
    }
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const newest = run(steps)
        const stored = all().map(String)
        for (const last of newest) {
          const ofKey = stored.filter((one) => one[0] === last[0])
          expect(ofKey.at(-1)).toBe(last)
          expect(ofKey).toEqual([...new Set(ofKey)].sort())
        }
      }),
      { numRuns: 60 },
    )
  })

  it('are retried automatically', async () => {
    const { file, pending, write, all } = open()
    const release = lock(file)
    pending.write('a', 'A test', () => write('a'))
    expect(pending.flush()).toBe(false)
    release()
    await eventually(() => expect(all()).toEqual(['a']))
    expect(pending.flush()).toBe(true)
  })

  it('run before a direct write', () => {
    const { file, pending, write, all } = open()
    const release = lock(file)
    pending.write('a', 'A test', () => write('first'))
    release()
    write('second')
    expect(all()).toEqual(['first', 'second'])
  })

  it('that a waiting write requests are written with it, also under its own key and when the program ends', async () => {
    const lines = reports()
    const { file, pending, write, all } = open()
    const release = lock(file)
    const again = (left: number) => () => {
      write(`a${left}`)
      pending.write('other', 'Another', () => write(`other${left}`))
      if (left > 0) pending.write('a', 'A write', again(left - 1))
    }
    pending.write('a', 'A write', again(2))
    expect(all()).toEqual([])
    release()
    expect(await pending.settled(5_000)).toBe(true)
    expect(all()).toEqual(['a2', 'other2', 'a1', 'other1', 'a0', 'other0'])
    const reported = lines.length
    const last = lock(file)
    pending.write('a', 'A write', again(1))
    last()
    pending.close()
    expect(all().slice(6)).toEqual(['a1', 'other1', 'a0', 'other0'])
    // The lock alone is reported, and nothing as lost.
    expect(lines.slice(reported).filter((line) => line.includes('not written'))).toEqual([])
  })

  it('within a transaction are not rolled back with it', async () => {
    const { database, pending, write, all } = open()
    const failing = (): void =>
      database.transaction(() => {
        pending.write('a', 'A test', () => write('kept'))
        throw new Error('No.')
      })
    expect(failing).toThrow('No.')
    await eventually(() => expect(all()).toEqual(['kept']))
  })

  it('that can never succeed are reported and do not block others', () => {
    const lines = reports()
    const { file, pending, write, all } = open()
    const release = lock(file)
    pending.write('a', 'A test', () => write('a'))
    pending.write('b', 'A mistake', () => {
      throw new TypeError('Not like this')
    })
    pending.write('c', 'A test', () => write('c'))
    release()
    expect(pending.flush()).toBe(true)
    expect(all()).toEqual(['a', 'c'])
    expect(lines).toContainEqual(expect.stringContaining('Not like this'))
  })

  it('block only a task that cannot continue without them', async () => {
    const { file, write, all } = open()
    const release = lock(file)
    let turns = 0
    const other = setInterval(() => {
      turns += 1
      if (turns === 10) release()
    }, 1)
    onTestFinished(() => clearInterval(other))
    await untilWritten('A test', () => write('a'))
    expect(all()).toEqual(['a'])
    expect(turns).toBeGreaterThanOrEqual(10)
  })
})

describe('a failure that no caller waits for', () => {
  it('in a listener stops neither the other listeners nor the notifier', () => {
    const lines = reports()
    const listeners = new Listeners<[number]>()
    const heard: number[] = []
    listeners.add((n) => heard.push(n))
    listeners.add(() => {
      throw new Error('A listener of this test')
    })
    listeners.add((n) => heard.push(n * 10))
    listeners.notify(1)
    expect(heard).toEqual([1, 10])
    expect(lines).toEqual([expect.stringContaining('A listener of this test')])
  })

  it('is reported once a minute, even when a report fails', async () => {
    const lines = reports()
    onTestFinished(
      onUnexpected(() => {
        throw new Error('The log is full')
      }),
    )
    const work = guarded('A timer of this test failed', () => {
      throw new Error('Each time')
    })
    work()
    work()
    inBackground('A task of this test failed', Promise.reject(new Error('Rejected')))
    await eventually(() => expect(lines).toHaveLength(2))
    expect(lines).toEqual(['A timer of this test failed: Each time', 'A task of this test failed: Rejected'])
  })
})
