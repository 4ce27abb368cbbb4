import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { dayMs } from '../../../../src-main/core/shared/days.ts'
import { RetentionClock } from '../../../../src-main/core/store/retentionClock.ts'
import { freshFolder } from '../../helpers/core.ts'
import { confirmClock } from '../../helpers/deadlines.ts'
import { forge } from './forge.ts'
import { addFolder, message, put, remove, sha256 } from './studio.ts'
import { studiosOfTest } from './studiosOfTest.ts'

const { studio } = studiosOfTest()

const end9999 = 253_402_300_799_000

/** Two computers with the real clock of deletions, which has been right for long. */
function twoComputers(now: () => number = Date.now) {
  const folder = freshFolder()
  const open = () => {
    const dataDir = freshFolder()
    confirmClock(dataDir, now())
    return studio(dataDir, now, new RetentionClock({ dataDir, now }))
  }
  const [home, work] = [open(), open()]
  return { folder, home, work, sync: (one: typeof home) => one.archive.sync({ folder }) }
}

/** Dates the chat before the deletions of these tests: `put` shows it now. */
const shownLongAgo = ({ store }: ReturnType<typeof studio>, id: string): void =>
  store.syncMarks.set('conversation', id, 'removed', { at: Date.now() - 100 * dayMs, value: null })

describe('the deadline of a deletion elsewhere begins when this computer learns of it', () => {
  it('for a chat that was deleted 40 days ago, and whose file no longer has it', async () => {
    const { home, work, sync } = twoComputers()
    const id = put(home.store, [message({ text: 'Dear' })])
    shownLongAgo(home, id)
    await sync(home)
    await sync(work)
    remove(home.store, id, new Date(Date.now() - 40 * dayMs).toISOString())
    const { file } = await sync(home)
    forge(file, (name, text) =>
      name === 'sync.json' ? text.replace(/("removed":\{"[\da-f-]{36}":)\d+/u, `$1${Date.now() - 40 * dayMs}`) : text,
    )
    await sync(work)
    expect(work.store.archive.state(id)).toBe('removed')
    expect(await work.library.sweep()).toBe(0)
    expect(work.store.archive.state(id)).toBe('removed')
    const [removed] = work.library.removed()
    expect(Date.parse(removed?.erasedAt ?? '')).toBeGreaterThan(Date.now() + 29 * dayMs)
  })

  it('for a chat whose file says so in its fields, and for a message', async () => {
    const { home, work, sync } = twoComputers()
    const first = message({ text: 'Question' })
    const second = message({ text: 'Answer', parentId: first.id })
    const [whole, part] = [put(home.store, [message()]), put(home.store, [first, second])]
    for (const id of [whole, part]) shownLongAgo(home, id)
    await sync(home)
    await sync(work)
    const long = Date.now() - 40 * dayMs
    home.store.conversations.setName(whole, 'Renamed')
    const { file } = await sync(home)
    forge(file, (name, text) => {
      if (name !== 'sync.json') return text
      const list = JSON.parse(text)
      list.conversations[whole].fields.removed = { at: long, value: '1' }
      list.conversations[part].messages[second.id] = { at: long, value: '1' }
      return JSON.stringify(list)
    })
    await sync(work)
    expect(work.store.archive.state(whole)).toBe('removed')
    expect(work.store.erasures.removed()).toHaveLength(2)
    expect(await work.library.sweep()).toBe(0)
  })
})

describe('a time in the future', () => {
  it.each([
    [
      'a title',
      (list: { conversations: Record<string, { fields: Record<string, { at: number }> }> }, id: string) => {
        Object.assign(list.conversations[id]?.fields.title ?? {}, { at: end9999 })
      },
    ],
    [
      'a deletion',
      (list: { removed: Record<string, number> }, _id: string, other: string) => {
        list.removed[other] = end9999
      },
    ],
    [
      'a folder',
      (
        list: { folders: Record<string, { at: number; value: string | null }> },
        _id: string,
        _other: string,
        folder: string,
      ) => {
        list.folders[folder] = { at: end9999, value: null }
      },
    ],
  ])('of %s in one file stops no sync: what follows is read by the other computer', async (_what, change) => {
    const { home, work, sync } = twoComputers()
    const id = put(home.store, [message()])
    const folderId = addFolder(home.store, 'Taxes')
    const other = put(work.store, [message({ text: 'Mine' })])
    home.store.conversations.setName(id, 'First')
    const { file } = await sync(home)
    forge(file, (name, text) => {
      if (name !== 'sync.json') return text
      const list = JSON.parse(text)
      change(list, id, other, folderId)
      return JSON.stringify(list)
    })
    await sync(work)
    work.store.conversations.setName(id, 'Second')
    work.store.folders.update(folderId, { name: 'Taxes 2' })
    work.store.conversations.setRemoved(other, new Date().toISOString())
    await sync(work)
    const { files } = await sync(home)
    expect(files.filter(({ outcome }) => outcome === 'refused')).toEqual([])
    expect(home.store.conversations.get(id).title).toBe('Second')
    expect(home.store.folders.rows()).toMatchObject([{ name: 'Taxes 2' }])
  })

  it('that an earlier version has stored is written as one that every version reads', async () => {
    const { home, work, sync } = twoComputers()
    const id = put(home.store, [message()])
    home.store.conversations.setName(id, 'First')
    home.store.syncMarks.set('conversation', id, 'title', { at: end9999, value: null })
    home.store.conversations.setName(id, 'Second')
    expect(home.store.syncMarks.of('conversation', id).get('title')?.at).toBeGreaterThan(end9999)
    await sync(home)
    expect((await sync(work)).files).toMatchObject([{ outcome: 'merged', added: 1 }])
    expect(work.store.conversations.get(id).title).toBe('Second')
    work.store.conversations.setName(id, 'Third')
    await sync(work)
    await sync(home)
    expect(home.store.conversations.get(id).title).toBe('Third')
  })
})

describe('a clock that is behind', () => {
  /** Two computers, of which the second has its own clock. */
  function withOwnClock() {
    const folder = freshFolder()
    const clock = { now: Date.now }
    const [home, work] = [studio(), studio(undefined, () => clock.now())]
    return { home, work, clock, sync: (one: typeof home) => one.archive.sync({ folder }) }
  }
  const behind = (): number => Date.now() - 400 * dayMs

  it('at one sync loses nothing: the changes are merged when it is right', async () => {
    const { home, work, clock, sync } = withOwnClock()
    const [id, other] = [put(home.store, [message()]), put(home.store, [message()])]
    for (const one of [home, work, home, work]) await sync(one)
    home.store.conversations.setName(id, 'A new title')
    remove(home.store, other)
    await sync(home)
    clock.now = behind
    const first = await sync(work)
    expect(first).toMatchObject({ isComplete: false, notes: [expect.stringContaining('time is in the future')] })
    clock.now = Date.now
    expect(await sync(work)).toMatchObject({ isComplete: true, files: [{ outcome: 'merged' }] })
    expect(work.store.conversations.get(id).title).toBe('A new title')
    expect(work.store.archive.state(other)).toBe('removed')
    expect((await sync(work)).files).toMatchObject([{ outcome: 'unchanged' }])
  })

  it('dates a new chat now, and a chat that is deleted there stays deleted', async () => {
    const { home, work, clock, sync } = withOwnClock()
    const now = new Date().toISOString()
    const id = put(home.store, [message({ createdAt: now })], { createdAt: now, updatedAt: now })
    await sync(home)
    clock.now = behind
    await sync(work)
    expect(Date.parse(work.store.archive.conversation(id)?.updatedAt ?? '')).toBeGreaterThan(behind() - dayMs)
    remove(work.store, id, new Date(behind()).toISOString())
    await sync(work)
    expect(work.store.archive.state(id)).toBe('removed')
    clock.now = Date.now
    await sync(work)
    expect(work.store.archive.conversation(id)?.updatedAt).toBe(now)
  })
})

describe('a damaged library', () => {
  it('is read when its file is whole again', async () => {
    const { folder, home, work, sync } = twoComputers()
    addFolder(home.store, 'Taxes')
    const { file } = await sync(home)
    const whole = readFileSync(file)
    const entries = unzipSync(whole)
    const library = Buffer.from(entries['library.json'] ?? [])
    library[library.length >> 1] = (library[library.length >> 1] ?? 0) ^ 1
    writeFileSync(file, zipSync({ ...entries, 'library.json': library }))
    expect(await sync(work)).toMatchObject({ isComplete: false })
    expect(work.store.folders.rows()).toEqual([])
    writeFileSync(join(folder, basename(file)), whole)
    expect(await sync(work)).toMatchObject({ isComplete: true })
    expect(work.store.folders.rows()).toMatchObject([{ name: 'Taxes' }])
  })
})

it('many deletions are merged with turns between them', async () => {
  const { home, work, sync } = twoComputers()
  const id = put(home.store, [message()])
  put(home.store, [message()])
  shownLongAgo(home, id)
  const taxes = addFolder(home.store, 'Taxes')
  await sync(home)
  await sync(work)
  await work.pin(taxes, 'kept.txt', 'Kept')
  const { file } = await sync(home)
  const at = Date.now()
  const marks = (form: () => string, value: unknown) =>
    Object.fromEntries(Array.from({ length: 2000 }, () => [form(), value]))
  const mark = { at, value: '1' }
  forge(file, (name, text) => {
    if (name !== 'sync.json') return text
    const list = JSON.parse(text)
    Object.assign(list.removed, marks(randomUUID, at))
    Object.assign(list.prompts, marks(randomUUID, mark))
    list.files[taxes] = { ...list.files[taxes], ...marks(() => sha256(randomUUID()), mark) }
    return JSON.stringify(list)
  })
  let [turns, isDone] = [0, false]
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  expect(await sync(work)).toMatchObject({ isComplete: true })
  isDone = true
  expect(turns).toBeGreaterThan(30)
  expect(work.store.syncMarks.removed().length).toBeGreaterThanOrEqual(2000)
  expect(work.store.syncMarks.items('prompt').size).toBe(2000)
  expect(work.store.syncMarks.files().get(taxes)?.size).toBeGreaterThanOrEqual(2000)
  expect(work.pinned(taxes)).toEqual(['kept.txt: Kept'])
})

describe('junk in the folder', () => {
  it('does not hide the file of a new computer, however much of it there is', async () => {
    const { folder, home, work, sync } = twoComputers()
    const { file } = await sync(home)
    utimesSync(file, 1, 1)
    for (let n = 0; n < 1001; n += 1) writeFileSync(join(folder, `inference-studio-junk${n}.zip`), 'not a zip')
    const { files } = await sync(work)
    expect(files.find(({ name }) => name === basename(file))).toMatchObject({ outcome: 'merged' })
  })

  it('is named with its reason, and the files of the other computers are merged', { timeout: 60_000 }, async () => {
    const { folder, home, work, sync } = twoComputers()
    const id = put(home.store, [message({ text: 'Whole' })])
    await sync(home)
    for (let n = 0; n < 100; n += 1) writeFileSync(join(folder, `inference-studio-junk${n}.zip`), 'not a zip')
    for (let n = 0; n < 100; n += 1)
      writeFileSync(join(folder, `inference-studio-foreign${n}.zip`), zipSync({ 'x.txt': strToU8('x') }))
    mkdirSync(join(folder, 'inference-studio-folder.zip'))
    const { files, notes } = await sync(work)
    expect(work.store.archive.state(id)).toBe('here')
    expect(files.filter(({ outcome }) => outcome === 'merged')).toHaveLength(1)
    const ignored = files.filter(({ outcome }) => outcome === 'refused')
    expect(ignored.length).toBeGreaterThan(0)
    expect(ignored.length).toBeLessThanOrEqual(100)
    for (const { problem } of ignored) expect(problem).toMatch(/\.$/)
    expect(notes.join(' ')).toMatch(/Further files of the folder that were not merged: \d+/)
    expect((await sync(work)).written).toBe(false)
  })

  it('never hides the file of a computer that was merged before, however new and many the others are', async () => {
    const { folder, home, work, sync } = twoComputers()
    put(home.store, [message()])
    const { file } = await sync(home)
    await sync(work)
    for (let n = 0; n < 70; n += 1) copyFileSync(file, join(folder, `inference-studio-copy${n}.zip`))
    for (let n = 0; n < 70; n += 1) truncateSync(join(folder, `inference-studio-copy${n}.zip`), 1000 + n)
    const second = put(home.store, [message({ text: 'Second' })])
    await sync(home)
    utimesSync(file, 1, 1)
    await sync(work)
    expect(work.store.archive.state(second)).toBe('here')
    expect(existsSync(file)).toBe(true)
    expect(readdirSync(folder)).toHaveLength(72)
  })
})
