import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../../../src-main/core/data/databases.ts'
import { openStore } from '../../../src-main/core/store/store.ts'
import { filledFolder } from '../../core/data/fill.ts'
import { firstCases, tries } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { lacks } from '../../helpers/programs.mjs'
import { realCommands } from './fixtures/inProcess.ts'
import { commandLine, type Ended, gather, studioEntry } from './fixtures/process.ts'

// Tests a start and the reading commands with a file that is no database: too short, a folder, a pipe, a broken link, unreadable.

const root = realpathSync(temporaryFolder('studio-files-'))
chmodSync(root, 0o755)
const environment = { HOME: root, TMPDIR: root, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
const { start } = commandLine(studioEntry, environment)
const here = realCommands(environment)
let sample = ''
beforeAll(() => {
  sample = filledFolder()
})
afterAll(() => {
  for (const folder of [root, sample]) rmSync(folder, { recursive: true, force: true })
})

/** Runs a command and kills it when it hangs, which the exit code shows. */
async function ended(running: ReturnType<typeof gather>): Promise<Ended> {
  const timer = setTimeout(() => running.child.kill('SIGKILL'), 50_000)
  try {
    return await running.ended
  } finally {
    clearTimeout(timer)
  }
}
const run = (...args: string[]): Promise<Ended> => ended(start(args))
/** Starts without a network. Opens every database as `serve` does. */
const starting = (dataDir: string): string[] => [
  'erase',
  '--what',
  'alerts',
  '--older-than',
  '36500',
  '--yes',
  '--data-dir',
  dataDir,
]
const startIn = (dataDir: string): Promise<Ended> => run(...starting(dataDir))
const startHere = (dataDir: string): Promise<Ended> => here(starting(dataDir))

function copyOf(): string {
  const dataDir = mkdtempSync(join(root, 'data-'))
  cpSync(sample, dataDir, { recursive: true })
  return dataDir
}
const mediaIn = (dataDir: string): string[] => readdirSync(join(dataDir, 'media')).sort()
/** Entries of the folder, without the lock and the files that SQLite creates beside an open database. */
const namesIn = (dataDir: string): string[] =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== 'studio.lock' && !/-(?:wal|shm)$/.test(name))
    .sort()
const inWords = ({ code, stdout, stderr }: Ended): void => {
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).not.toMatch(/\n\s+at |Something went wrong/)
}

const short: Record<string, Buffer> = {
  'of no bytes': Buffer.alloc(0),
  'of 1 byte': Buffer.from('x'),
  'of 15 bytes': Buffer.from('SQLite format 3'),
  'of 100 bytes': Buffer.from('garbage, nothing but garbage. '.repeat(4)).subarray(0, 100),
  'of 511 zeros': Buffer.alloc(511),
}
const odd: Record<string, { make: (path: string) => void; words: RegExp }> = {
  'that is a folder': { make: (path) => mkdirSync(path), words: /is a folder, where a database/ },
  'that is a link to nothing': {
    make: (path) => symlinkSync('nowhere', path),
    words: /is a link to a file that is not/,
  },
  ...(lacks('posix') === null && {
    'that is a named pipe': {
      make: (path: string) => execFileSync('sh', ['-c', 'mkfifo "$0"', path]),
      words: /is no file, where a database/,
    },
  }),
}

const tested = databases.slice(0, tries(1, databases.length)).map(({ name, file }) => ({ name, file }))

describe.each(tested)('$file', ({ name, file }) => {
  it.each(firstCases(2, Object.entries(short)))(
    'a damaged file (%s) is set aside, and no media file is lost',
    async (_, bytes) => {
      const dataDir = copyOf()
      writeFileSync(join(dataDir, file), bytes)
      const media = mediaIn(dataDir)
      const reading = await here(['backup', '-', '--data-dir', dataDir])
      inWords({ ...reading, stdout: '' })
      expect(reading.stderr).toMatch(/is damaged or is not a database/)
      expect(readFileSync(join(dataDir, file)).equals(bytes)).toBe(true)

      // One case for each database as a process, which also ends.
      const { code, stderr } = await (bytes.length === 0 ? startIn(dataDir) : startHere(dataDir))
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${file} is damaged (The file `)])
      const [stamp = ''] = readdirSync(join(dataDir, 'damaged'))
      const aside = join(dataDir, 'damaged', stamp)
      expect(readFileSync(join(aside, file)).equals(bytes)).toBe(true)
      expect(JSON.parse(readFileSync(join(aside, `${name}.json`), 'utf8'))).toMatchObject({ database: name })
      expect(mediaIn(name === 'studio' ? aside : dataDir)).toEqual(media)
      // Reported once, and the replacement is valid.
      expect(await startHere(dataDir)).toMatchObject({ code: 0, stderr: '' })
      expect(readdirSync(join(dataDir, 'damaged'))).toEqual([stamp])
    },
  )

  it.each(firstCases(1, Object.entries(odd)))(
    '%s is reported with a message, and no file changes',
    async (_, { make, words }) => {
      const dataDir = copyOf()
      rmSync(join(dataDir, file))
      make(join(dataDir, file))
      const before = namesIn(dataDir)
      const kind = lstatSync(join(dataDir, file)).mode & constants.S_IFMT
      const read = {
        studio: [['apps', 'list'], ['backup', '-'], ['requests']],
        ledger: [['requests'], ['backup', '-']],
        bodies: [['backup', '-']],
        account: [['usage'], ['backup', '-']],
      }[name]
      for (const args of [...read, null]) {
        const line = args === null ? starting(dataDir) : [...args, '--data-dir', dataDir]
        // A program that opens a pipe waits for ever, and would hang this process.
        const met = await (lstatSync(join(dataDir, file)).isFIFO() ? run(...line) : here(line))
        inWords(met)
        expect(met.stderr).toMatch(words)
      }
      expect(namesIn(dataDir)).toEqual(before)
      expect(lstatSync(join(dataDir, file)).mode & constants.S_IFMT).toBe(kind)
    },
  )

  it('an unreadable file is reported as a missing permission', { tags: 'long' }, async () => {
    const dataDir = copyOf()
    // Root can read every file, so another user starts the program.
    const isRoot = process.getuid?.() === 0
    const nobody = 65_534
    if (isRoot) {
      for (const path of readdirSync(dataDir, { recursive: true, encoding: 'utf8' }))
        chownSync(join(dataDir, path), nobody, nobody)
      chownSync(dataDir, nobody, nobody)
    }
    chmodSync(join(dataDir, file), 0)
    const before = namesIn(dataDir)
    const args = ['erase', '--what', 'alerts', '--older-than', '36500', '--yes', '--json', '--data-dir', dataDir]
    const met = await ended(
      gather(
        spawn(process.execPath, [studioEntry, ...args], {
          env: { PATH: process.env.PATH ?? '', ...environment },
          stdio: ['pipe', 'pipe', 'pipe'],
          ...(isRoot && { uid: nobody, gid: nobody }),
        }),
      ),
    )
    inWords({ ...met, stdout: '' })
    expect(JSON.parse(met.stdout)).toMatchObject({ problem: { kind: 'not_writable' } })
    expect(met.stderr).toContain(file)
    expect(met.stderr).toMatch(/permission denied/)
    expect(namesIn(dataDir)).toEqual(before)
  })
})

describe('media of a lost database', () => {
  const losses: Record<string, (path: string) => void> = {
    'is gone': (path) => rmSync(path),
    'has no table': (path) => {
      rmSync(path)
      const handle = new DatabaseSync(path)
      handle.exec('VACUUM')
      handle.close()
    },
    'was replaced by a new one': (path) => {
      const other = mkdtempSync(join(root, 'other-'))
      openStore(other).close()
      cpSync(join(other, 'studio.sqlite'), path)
    },
  }
  it.each(Object.entries(losses).slice(0, tries(1, 3)))('media are set aside when the database %s', async (_, lose) => {
    const dataDir = copyOf()
    const growing = join(dataDir, 'making', '0b5f2f0c-7a0e-4d6c-9a57-1c6e6c9f2b11')
    mkdirSync(join(dataDir, 'making'), { recursive: true })
    writeFileSync(growing, 'a recording')
    const media = mediaIn(dataDir)
    lose(join(dataDir, 'studio.sqlite'))
    // A command that would create a new database reports the problem instead.
    const added = await run('apps', 'add', 'An editor', '--data-dir', dataDir)
    inWords(added)
    expect(added.stderr).toMatch(/is damaged: .*Start Inference Studio/)
    const { code, stderr } = await startIn(dataDir)
    expect([code, stderr]).toEqual([0, expect.stringContaining('studio.sqlite is damaged')])
    const [stamp = ''] = readdirSync(join(dataDir, 'damaged'))
    const aside = join(dataDir, 'damaged', stamp)
    expect(mediaIn(aside)).toEqual(media)
    expect(readFileSync(join(aside, 'making', '0b5f2f0c-7a0e-4d6c-9a57-1c6e6c9f2b11'), 'utf8')).toBe('a recording')
    expect(JSON.parse(readFileSync(join(aside, 'studio.json'), 'utf8'))).toMatchObject({
      mediaSetAside: media.length + 1,
    })
    expect(await startIn(dataDir)).toMatchObject({ code: 0, stderr: '' })
    expect(await run('apps', 'add', 'An editor', '--data-dir', dataDir)).toMatchObject({ code: 0 })
  })

  it('a new folder and a folder without media are not reported as damage', { tags: 'long' }, async () => {
    const dataDir = mkdtempSync(join(root, 'new-'))
    for (let turn = 0; turn < 2; turn += 1) expect(await startIn(dataDir)).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(join(dataDir, 'damaged'))).toBe(false)
  })
})
