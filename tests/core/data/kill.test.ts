import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { writeBackup } from '../../../src-main/core/data/backup/write.ts'
import { databases } from '../../../src-main/core/data/databases.ts'
import { eraseOrdered, orderErasure } from '../../../src-main/core/data/eraseEverything.ts'
import { recoverFolder } from '../../../src-main/core/data/recovery/recovery.ts'
import { createReports } from '../../../src-main/core/data/recovery/reports.ts'
import { stageBackup } from '../../../src-main/core/data/restore/stage.ts'
import { settleSwaps } from '../../../src-main/core/data/restore/swap.ts'
import { openStore } from '../../../src-main/core/store/store.ts'
import { tries } from '../../helpers/effort.ts'
import { randomNumbers } from '../../helpers/random.ts'
import { freshFolder, memorySecrets } from '../helpers/core.ts'
import { contentsOf, filledFolder, soundness } from './fill.ts'

/** Number of rounds of each test. */
const moments = tries(2, 10)
const program = fileURLToPath(new URL('../helpers/dieForever.ts', import.meta.url))

/** Runs a step and kills it (-9) after a delay, or lets it kill itself. Returns true when the step had finished before. */
async function killed(args: string[], afterMs: number | null): Promise<boolean> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let said = ''
  for await (const chunk of child.stdout) {
    if (said === '' && afterMs !== null) setTimeout(() => child.kill('SIGKILL'), afterMs)
    said += String(chunk)
  }
  await exited
  expect(said).toMatch(/^ready\n/)
  return said.includes('done')
}

function copyOf(from: string): string {
  const dataDir = freshFolder()
  cpSync(from, dataDir, { recursive: true })
  return dataDir
}
const contents = (dataDir: string) => ({
  rows: databases.map(({ pathIn }) => contentsOf(pathIn(dataDir))),
  files: readdirSync(join(dataDir, 'media')).sort(),
})
const mend = (dataDir: string): void =>
  recoverFolder({
    dataDir,
    how: 'everything',
    typeOf: () => ({ kind: 'image', mime: 'image/png', width: 1, height: 1 }),
    log: () => undefined,
  })
/** A random moment from the start to shortly after the end. */
const within = (ms: number): number[] => {
  const random = randomNumbers()
  return Array.from({ length: moments }, () => random() * ms)
}

it('a backup that is killed at any moment is complete or does not have its name, and the folder is unchanged', {
  tags: 'long',
}, async () => {
  const dataDir = filledFolder({ conversations: 20, messages: 40, requests: 3000 })
  const before = contents(dataDir)
  for (const ms of within(400)) {
    const path = join(freshFolder(), 'a.tar')
    await killed(['backup', dataDir, path], ms)
    const part = readdirSync(dirname(path)).find((name) => name.endsWith('.part'))
    if (existsSync(path)) await stageBackup({ dataDir: freshFolder(), path })
    else if (part !== undefined) {
      const attempt = stageBackup({ dataDir: freshFolder(), path: join(dirname(path), part) })
      // Its last byte may have been written, but not its name.
      await attempt.catch((thrown: unknown) => expect(thrown).toMatchObject({ kind: 'bad_input' }))
    }
    expect(contents(dataDir)).toEqual(before)
  }
  // The next backup deletes the files that the killed backups left.
  await writeBackup({ dataDir, version: '1' }, { path: join(freshFolder(), 'b.tar') })
  expect(existsSync(join(dataDir, 'backups'))).toBe(false)
})

it('a restore that is killed before any of its renames leaves all old data, or the next start completes it', {
  tags: 'long',
}, async () => {
  const from = filledFolder({ conversations: 2 })
  const path = join(freshFolder(), 'a.tar')
  await writeBackup({ dataDir: from, version: '1' }, { path })
  const target = filledFolder({ conversations: 1 })
  const [old, fresh] = [contents(target), contents(from)]
  let sawOld = 0
  let sawNew = 0
  const dieAt = async (turn: number): Promise<boolean> => {
    const dataDir = copyOf(target)
    const isDone = await killed(['restore', dataDir, path, String(turn)], null)
    // The first step of the next start, before it opens anything.
    expect(settleSwaps(dataDir)).toBeNull()
    const now = contents(dataDir)
    if (JSON.stringify(now.files) === JSON.stringify(fresh.files)) {
      sawNew += 1
      expect(now).toEqual(fresh)
      expect(contents(createReports(dataDir).restored()?.keptAt ?? '')).toEqual(old)
    } else {
      sawOld += 1
      expect(now).toEqual(old)
      expect(createReports(dataDir).restored()).toBeNull()
    }
    expect(readdirSync(dataDir).filter((name) => /staging|waiting|swapping|discarded/.test(name))).toEqual([])
    return isDone
  }
  // Runs two at once, until one of them has no rename left before which it could be killed. Every third rename, from a random one on,
  // unless more rounds are
  // requested.
  const stride = moments > 10 ? 1 : 3
  for (let turn = 1 + Math.floor(randomNumbers()() * Math.min(2, stride)); ; turn += 2 * stride) {
    const ends = await Promise.all([dieAt(turn), dieAt(turn + stride)])
    if (ends.includes(true)) break
  }
  expect(sawOld).toBeGreaterThan(0)
  expect(sawNew).toBeGreaterThan(2)
})

it('the next start completes a recovery that was killed at any moment, and the damaged file is unchanged', {
  tags: 'long',
}, async () => {
  const sample = filledFolder({ conversations: 5 })
  const path = join(sample, 'studio.sqlite')
  const bytes = readFileSync(path)
  bytes.fill(0, 2 * 4096, 3 * 4096)
  writeFileSync(path, bytes)
  const calm = copyOf(sample)
  mend(calm)
  for (let turn = 1; ; turn += 1) {
    const dataDir = copyOf(sample)
    const isDone = await killed(['mend', dataDir, '-', String(turn)], null)
    settleSwaps(dataDir)
    mend(dataDir)
    expect(contentsOf(join(dataDir, 'studio.sqlite'))).toEqual(contentsOf(join(calm, 'studio.sqlite')))
    const [damage, ...more] = createReports(dataDir).damage()
    expect(more).toEqual([])
    expect(readFileSync(join(damage?.keptAt ?? '', 'studio.sqlite')).equals(bytes)).toBe(true)
    if (isDone) break
  }
})

it('a migration that is killed at any moment leaves the old or the new schema, and all rows', {
  tags: 'long',
}, async () => {
  const sample = filledFolder({ conversations: 60, messages: 60, requests: 0 }, { studio: 1 })
  const path = (dataDir: string): string => join(dataDir, 'studio.sqlite')
  const texts = (dataDir: string) =>
    contentsOf(path(dataDir))
      .get('messages')
      ?.map((row) => JSON.parse(row).text)
  const before = texts(sample)
  for (const ms of within(150)) {
    const dataDir = copyOf(sample)
    await killed(['migrate', dataDir], ms)
    expect(soundness(path(dataDir))).toEqual({ integrity: 'ok', foreign: 0 })
    openStore(dataDir, { checkWhole: true }).close()
    expect(texts(dataDir)?.sort()).toEqual(before?.sort())
  }
})

it('a deletion that is killed at any moment leaves a sound file, with every row that it had not reached', async () => {
  const sample = filledFolder({ requests: 4000 })
  for (const ms of within(200)) {
    const dataDir = copyOf(sample)
    await killed(['erase', dataDir], ms)
    const path = join(dataDir, 'bodies.sqlite')
    expect(soundness(path)).toEqual({ integrity: 'ok', foreign: 0 })
    const left = (contentsOf(path).get('bodies') ?? []).map((row) => Number(JSON.parse(row).id)).sort((a, b) => a - b)
    const all = (contentsOf(join(sample, 'bodies.sqlite')).get('bodies') ?? [])
      .map((row) => Number(JSON.parse(row).id))
      .sort((a, b) => a - b)
    expect(left).toEqual(all.slice(all.length - left.length))
    expect((all.length - left.length) % 3 === 0 || left.length === 0).toBe(true)
  }
}, 120_000)

it('a deletion of everything that is killed before any of its steps is completed by the next start', {
  tags: 'long',
}, async () => {
  const from = filledFolder({ conversations: 3, messages: 3, requests: 20 })
  const isLeft = (dataDir: string): boolean =>
    databases.some(({ pathIn }) => existsSync(pathIn(dataDir))) || readdirSync(join(dataDir, 'media')).length > 0
  // Doubling: the first deletions are of databases, and all later ones of many media files.
  for (let turn = 1, isDone = false; !isDone; turn *= 2) {
    const dataDir = copyOf(from)
    await orderErasure(dataDir, memorySecrets(), [])
    isDone = await killed(['eraseEverything', dataDir, '-', `rm${turn}`], null)
    if (turn > 1) expect(existsSync(databases[0]?.pathIn(dataDir) ?? '')).toBe(false)
    eraseOrdered(dataDir)
    if (existsSync(join(dataDir, 'media'))) expect(isLeft(dataDir)).toBe(false)
  }
})
