import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../../../src-main/core/data/databases.ts'
import { markerName } from '../../../src-main/core/store/dataFolder.ts'
import { firstCases } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { needs } from '../../helpers/programs.mjs'
import { realCommands } from './fixtures/inProcess.ts'
import { commandLine, type Ended, type Running, studioEntry } from './fixtures/process.ts'

// Tests every command with a data folder option: on folders of other programs, on paths that are no folder, and on a valid data folder.

const root = realpathSync(temporaryFolder('studio-folders-'))
const home = join(root, 'home')
const temporary = join(root, 'temporary')
const work = join(root, 'work')
const environment = {
  HOME: home,
  TMPDIR: temporary,
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
  KEY: 'sk-canary-of-the-data-folder',
}
const { start } = commandLine(studioEntry, environment)
const here = realCommands(environment)
const running: Running[] = []
/** A folder with a conversation, an app, a request log and an image, left by a program that ended normally. */
let sample = ''
let backup = ''

beforeAll(async () => {
  for (const folder of [home, temporary, work]) mkdirSync(folder)
  sample = join(root, 'sample')
  const ended = [
    await run(['chat', 'Hello', '--sandbox', '--data-dir', sample]),
    await run(['apps', 'add', 'An editor', '--data-dir', sample]),
  ]
  expect(ended.map(({ code }) => code)).toEqual([0, 0])
  backup = join(root, 'backup.tar')
  expect(await run(['backup', backup, '--data-dir', sample])).toMatchObject({ code: 0 })
})
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.child.kill('SIGKILL')
    await one.ended
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function run(args: string[], env: Record<string, string> = {}, stdin = ''): Promise<Ended> {
  const one = start(args, env, stdin)
  running.push(one)
  // A command that keeps running (serve) is a failure too, so the test must not wait for it.
  const timer = setTimeout(() => one.child.kill('SIGKILL'), 40_000)
  try {
    return await one.ended
  } finally {
    clearTimeout(timer)
    running.splice(running.indexOf(one), 1)
  }
}

const given = ['--base-url', 'http://127.0.0.1:1', '--api-key-env', 'KEY']
/** Commands that write. They mark the folder as a data folder before any other change. */
const writing: Record<string, string[]> = {
  serve: ['serve', '--no-web', '--api-port', '0', ...given],
  chat: ['chat', 'Hello', ...given],
  login: ['login', ...given],
  logout: ['logout'],
  'apps add': ['apps', 'add', 'Another'],
  'apps set': ['apps', 'set', 'An editor', '--rpm', '5'],
  'apps pause': ['apps', 'pause', 'An editor'],
  'apps resume': ['apps', 'resume', 'An editor'],
  'apps revoke': ['apps', 'revoke', 'An editor'],
  'connections use': ['connections', 'use', 'Mine'],
  'connections forget': ['connections', 'forget', 'Mine'],
  erase: ['erase', '--what', 'log', '--older-than', '1', '--yes'],
  restore: ['restore', 'BACKUP', '--yes'],
}
/** Commands that only read. They change nothing in the folder. */
const reading: Record<string, string[]> = {
  doctor: ['doctor', '--ignore-warnings'],
  'doctor of a given address': ['doctor', ...given],
  'apps list': ['apps', 'list'],
  'apps show': ['apps', 'show', 'An editor'],
  'connections list': ['connections', 'list'],
  requests: ['requests'],
  usage: ['usage'],
  limits: ['limits'],
  keys: ['keys'],
  backup: ['backup', 'OUT.tar'],
  'backup to standard output': ['backup', '-'],
  'export chats': ['export', '--what', 'chats', '--output', 'OUT.zip'],
  'export requests': ['export', '--what', 'requests', '--output', 'OUT.csv'],
  'export usage': ['export', '--what', 'usage', '--output', 'OUT.csv'],
  'export media': ['export', '--what', 'media', '--output', 'OUT'],
  'export all': ['export', '--what', 'all', '--output', 'OUT'],
}
const commands = { ...writing, ...reading }
/** Commands that run in a process of their own: those that would continue after a wrong start, and those that read standard input. */
const alone = /^(serve|chat|login|restore|erase)$/

/** Runs a command and returns its error. */
const refused = (name: string, args: string[]): Promise<Ended> =>
  alone.test(name) ? run(args, {}, 'sk-typed') : here(args)

let turn = 0
function argsOf(args: readonly string[], dataDir: string): string[] {
  turn += 1
  const words = args.map((arg) => arg.replace(/^OUT/, join(work, `out-${turn}`)).replace('BACKUP', backup))
  return [...words, '--data-dir', dataDir]
}

/** Every entry below a path: kind, mode, size, content and time of the last change, also of folders. */
function snapshot(path: string): Record<string, string> {
  const facts = lstatSync(path, { bigint: true })
  const common = `${facts.mode.toString(8)} ${facts.ino} ${facts.mtimeNs}`
  if (facts.isSymbolicLink()) return { [path]: `${common} -> ${readlinkSync(path)}` }
  if (facts.isDirectory()) {
    const below = readdirSync(path).map((name) => snapshot(join(path, name)))
    return Object.assign({ [path]: common }, ...below)
  }
  const content = facts.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
  return { [path]: `${common} ${facts.size} ${content}` }
}

/** A folder of another program, with files under all names that this program uses in its own folder. */
function foreignFolder(): string {
  const folder = mkdtempSync(join(root, 'foreign-'))
  const id = '0b5f2f0c-7a0e-4d6c-9a57-1c6e6c9f2b11'
  const names = [
    'tmp',
    'media',
    'making',
    'staging',
    'discarded',
    'backups',
    'waiting',
    'swapping',
    'damaged',
    'desktop',
  ]
  for (const name of names) {
    mkdirSync(join(folder, name, id), { recursive: true })
    for (const file of ['a.txt', `${id}/b`, `${id.slice(0, -1)}2`, `${id.slice(0, -1)}3.part`])
      writeFileSync(join(folder, name, file), `${name}/${file} of somebody`)
  }
  writeFileSync(join(folder, 'README.txt'), 'Read me first.')
  writeFileSync(join(folder, 'studio.lock'), 'a lock of another studio')
  writeFileSync(join(folder, 'studio.owner.json'), '{"owner":"Ann"}')
  writeFileSync(join(folder, 'studio.check'), 'checked')
  writeFileSync(join(folder, markerName), '{"application":"another-studio"}')
  for (const { file } of databases) {
    const other = new DatabaseSync(join(folder, file))
    other.exec("PRAGMA application_id = 7; CREATE TABLE theirs (a TEXT); INSERT INTO theirs VALUES ('x')")
    other.close()
  }
  writeFileSync(join(folder, 'bodies.sqlite'), 'no database at all')
  writeFileSync(join(folder, 'account.sqlite'), '')
  return folder
}

/** Runs two at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  await Promise.all(
    [0, 1].map(async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
    }),
  )
}

describe('a data folder', () => {
  it('every command refuses a folder of another program with a message, and changes nothing in it or beside it', async () => {
    const folder = foreignFolder()
    const link = join(root, 'link-to-foreign')
    symlinkSync(folder, link)
    const before = snapshot(folder)
    await each(Object.entries(commands), async ([name, args]) => {
      for (const dataDir of name === 'serve' || name === 'backup' ? [folder, link] : [folder]) {
        const ended = await refused(name, argsOf(args, dataDir))
        expect([name, ended.code, ended.stdout]).toEqual([name, 1, ''])
        expect(ended.stderr, name).toMatch(/contains files of other programs .*Nothing in it was changed/)
        expect(ended.stderr, name).not.toMatch(/\n\s+at |Something went wrong/)
      }
    })
    expect(snapshot(folder)).toEqual(before)
    expect(readdirSync(work).filter((name) => name !== 'here')).toEqual([])
  }, 240_000)

  it('an empty --data-dir is a usage error, and the current folder is not touched', async () => {
    const cwd = join(work, 'here')
    mkdirSync(cwd, { recursive: true })
    cpSync(foreignFolder(), cwd, { recursive: true })
    const before = snapshot(cwd)
    const empty = ['', ' '] as const
    const previous = process.cwd()
    process.chdir(cwd)
    try {
      await each(Object.entries(commands), async ([name, args]) => {
        for (const dataDir of name === 'serve' ? empty : empty.slice(0, 1)) {
          const ended = await refused(name, argsOf(args, dataDir))
          expect([name, ended.code, ended.stdout]).toEqual([name, 2, ''])
          expect(ended.stderr, name).toMatch(/must not be empty/)
        }
      })
    } finally {
      process.chdir(previous)
    }
    expect(snapshot(cwd)).toEqual(before)
  }, 240_000)

  it('every command refuses a file, a device and a broken link with a message', {
    tags: 'long',
  }, async () => {
    const file = join(root, 'a-file')
    writeFileSync(file, 'somebody’s')
    const dangling = join(root, 'dangling')
    symlinkSync(join(root, 'nowhere'), dangling)
    const before = { ...snapshot(file), ...snapshot(dangling) }
    const places = [file, join(file, 'below'), '/dev/null', '/dev/null/below', dangling]
    await each(Object.entries(commands), async ([name, args]) => {
      for (const dataDir of name === 'serve' || name === 'usage' ? places : [file, '/dev/null']) {
        const ended = await refused(name, argsOf(args, dataDir))
        expect([name, dataDir, ended.code, ended.stdout]).toEqual([name, dataDir, 1, ''])
        expect(ended.stderr, name).toMatch(/is not a folder|can't be the data folder|does not exist/)
        expect(ended.stderr, name).not.toMatch(/\n\s+at |Something went wrong/)
      }
    })
    expect({ ...snapshot(file), ...snapshot(dangling) }).toEqual(before)
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it('the root folder and the home folder are refused, also when empty', { timeout: 120_000 }, async () => {
    const before = snapshot(home)
    for (const dataDir of ['/', home, join(home, '..', 'home')]) {
      for (const name of ['usage', 'apps add', 'serve']) {
        const ended = await refused(name, argsOf(commands[name] ?? [], dataDir))
        expect([dataDir, ended.code]).toEqual([dataDir, 1])
        expect(ended.stderr).toMatch(/is your home folder|is the root folder|contains files of other programs/)
      }
    }
    expect(snapshot(home)).toEqual(before)
  })

  it('commands that read change nothing in a data folder, after a clean exit and after a kill', {
    tags: 'long',
  }, async () => {
    const killed = join(root, 'killed')
    cpSync(sample, killed, { recursive: true })
    const serving = start(['serve', '--json', '--no-web', '--api-port', '0', '--sandbox', '--data-dir', killed])
    running.push(serving)
    await serving.line()
    serving.child.kill('SIGKILL')
    await serving.ended
    expect(readdirSync(killed)).toEqual(expect.arrayContaining(['studio.sqlite-wal', 'studio.owner.json']))
    // The state after a power failure: the write-ahead log exists, and its index does not.
    const cut = join(root, 'cut')
    cpSync(killed, cut, { recursive: true })
    rmSync(join(cut, 'studio.sqlite-shm'))

    const output = new Map<string, string[]>()
    for (const folder of [sample, killed, cut]) {
      const before = snapshot(folder)
      // The hardest case runs as processes, which also end.
      const command = folder === cut ? run : here
      await each(Object.entries(reading), async ([name, args]) => {
        const ended = await command(argsOf(args, folder))
        expect([name, folder, ended.code, ended.stderr]).toEqual([
          name,
          folder,
          // No process answers there, and no such file was ever created.
          name === 'doctor of a given address' || name === 'export media' ? 1 : 0,
          name.startsWith('export') || name.startsWith('backup to') ? expect.any(String) : '',
        ])
        if (name === 'apps list' || name === 'requests') output.set(name, [...(output.get(name) ?? []), ended.stdout])
      })
      expect(snapshot(folder), folder).toEqual(before)
    }
    for (const [name, [ended, ...killedOnes]] of output) {
      expect(ended).toMatch(name === 'requests' ? /chat/ : /An editor/)
      // Data that is only in the write-ahead log of the killed program is read too, with and without its index.
      const [one, other] = killedOnes
      expect(one, name).toBe(other)
      if (name === 'requests') expect(one?.length).toBeGreaterThan(ended?.length ?? 0)
    }
    expect(readdirSync(temporary)).toEqual([])
    expect(readdirSync(work).filter((name) => name.includes('backup'))).toEqual([])
  })

  it('commands that read create no data folder', { tags: 'long' }, async () => {
    await each(Object.entries(reading), async ([name, args]) => {
      const dataDir = join(root, 'not-there', name.replaceAll(' ', '-'))
      const ended = await here(argsOf(args, dataDir))
      expect(ended.stderr, name).not.toMatch(/\n\s+at |Something went wrong/)
    })
    expect(readdirSync(root)).not.toContain('not-there')
  })

  it('files of other programs in a data folder survive every command', async () => {
    const folder = join(root, 'mixed')
    cpSync(sample, folder, { recursive: true })
    const outside = mkdtempSync(join(root, 'outside-'))
    writeFileSync(join(outside, '0b5f2f0c-7a0e-4d6c-9a57-1c6e6c9f2b11'), 'outside')
    const theirs: string[] = []
    for (const name of ['media', 'making', 'tmp', 'staging/new', 'discarded', 'waiting', 'backups']) {
      mkdirSync(join(folder, name), { recursive: true })
      for (const file of ['a.txt', '.hidden', 'studio.sqlite.bak']) {
        theirs.push(join(folder, name, file))
        writeFileSync(join(folder, name, file), 'theirs')
      }
    }
    rmSync(join(folder, 'README.txt'))
    theirs.push(join(folder, 'README.txt'), join(folder, 'notes.txt'))
    for (const path of theirs.slice(-2)) writeFileSync(path, 'theirs')
    rmSync(join(folder, 'making'), { recursive: true })
    symlinkSync(outside, join(folder, 'making'))
    const left = theirs.filter((path) => dirname(path) !== join(folder, 'making'))
    for (const name of ['chat', 'erase', 'logout', 'apps add'] as const) {
      const args = name === 'chat' ? ['chat', 'Hello', '--sandbox'] : (writing[name] ?? [])
      expect(await run(argsOf(args, folder)), name).toMatchObject({ code: 0 })
    }
    for (const path of left) expect(readFileSync(path, 'utf8'), path).toBe('theirs')
    expect(readdirSync(outside)).toHaveLength(1)
    // A restore needs one of these names. It reports this, and moves the other entries aside with the data.
    const restored = await run(argsOf(writing.restore ?? [], folder))
    expect([restored.code, restored.stdout]).toEqual([1, ''])
    expect(restored.stderr).toMatch(/staging contains files of other programs/)
    for (const path of left) expect(readFileSync(path, 'utf8'), path).toBe('theirs')
  }, 120_000)
})

describe('marking a data folder', () => {
  it('a folder is marked atomically, whichever process is first', { tags: 'long' }, async () => {
    const source = new URL('../../../src-main/core/store/dataFolder.ts', import.meta.url)
    const claim = `const { claimFolder } = await import(${JSON.stringify(source.href)}); for (const dir of process.argv.slice(1)) claimFolder(dir)`
    const folders = Array.from({ length: 40 }, (_, at) => join(root, 'new', `deep-${at}`, 'data'))
    await Promise.all(
      [0, 1, 2].map(() => promisify(execFile)(process.execPath, ['--input-type=module', '-e', claim, ...folders])),
    )
    for (const folder of folders) {
      expect(readdirSync(folder)).toEqual([markerName])
      expect(JSON.parse(readFileSync(join(folder, markerName), 'utf8'))).toMatchObject({
        application: 'inference-studio',
      })
      expect(lstatSync(folder).mode & 0o777).toBe(0o700)
    }
  })

  it.each(
    firstCases(2, [
      ['with nothing in it', []],
      ['with what systems put there', ['.DS_Store', 'desktop.ini', 'lost+found/', '.Trash-1000/', '._x', 'Thumbs.db']],
      [
        'that a killed first start left',
        [`${markerName}.0a1b2c3d.new`, 'studio.lock', 'studio.owner.json', 'studio.sqlite.new-7'],
      ],
    ]),
  )('%s', async (_, names) => {
    const folder = mkdtempSync(join(root, 'almost-'))
    for (const name of names) {
      if (name.endsWith('/')) mkdirSync(join(folder, name))
      else writeFileSync(join(folder, name), '')
    }
    expect(await run(['apps', 'add', 'One', '--data-dir', folder])).toMatchObject({ code: 0 })
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([markerName, 'studio.sqlite']))
  })

  it.each([
    ['of an earlier version', markerName],
    ['that an unpacked backup made', null],
  ] as const)('a folder %s with one of our databases is marked', needs('posix'), async (_, without) => {
    const folder = mkdtempSync(join(root, 'earlier-'))
    if (without) {
      cpSync(sample, folder, { recursive: true })
      rmSync(join(folder, without))
      writeFileSync(join(folder, 'notes.txt'), 'theirs')
    } else {
      execFileSync('tar', ['xf', backup, '-C', folder])
    }
    const listed = await run(['apps', 'list', '--data-dir', folder])
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('An editor')])
    expect(readdirSync(folder)).not.toContain(markerName)
    expect(await run(['apps', 'add', 'One', '--data-dir', folder])).toMatchObject({ code: 0 })
    expect(readdirSync(folder)).toContain(markerName)
  })
})
