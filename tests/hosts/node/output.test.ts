import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openApps } from '../../../src-main/core/gateway/apps/apps.ts'
import { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { fillFolder } from '../../core/data/fill.ts'
import { rightClock } from '../../core/helpers/deadlines.ts'
import { mountMemoryDisk, unmountMemoryDisk } from '../../core/helpers/memoryDisk.ts'
import { firstCases, onlyLong, tries } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { needs } from '../../helpers/programs.mjs'
import { commandLine, type Ended, environmentOf, studioEntry } from './fixtures/process.ts'

// Tests commands whose output can't be written, with real files, devices and pipes on the descriptors of a real process.

const home = temporaryFolder('studio-output-')
const common = { HOME: home, TMPDIR: home }
const { start, run } = commandLine(studioEntry, common)
const dataDir = join(home, 'data')
const where = ['--data-dir', dataDir]
const backupFile = join(home, 'kept.tar')

/** Runs a command with a file or device as its standard output or error. */
async function into(files: { stdout?: string; stderr?: string }, args: string[]): Promise<Ended> {
  const opened = Object.values(files).map((path) => openSync(path, 'w'))
  const [first = 0] = opened
  const child = spawn(process.execPath, [studioEntry, ...args], {
    env: environmentOf(common),
    // A command that continues instead of failing must not outlive the test.
    timeout: 60_000,
    killSignal: 'SIGKILL',
    stdio: [
      'ignore',
      files.stdout === undefined ? 'pipe' : first,
      files.stderr === undefined ? 'pipe' : (opened.at(-1) ?? 0),
    ],
  })
  for (const descriptor of opened) closeSync(descriptor)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, ...output }
}

beforeAll(async () => {
  fillFolder(dataDir, { conversations: 30, messages: 4, requests: 60, days: 3 })
  expect(await run(['apps', 'add', 'editor', ...where])).toMatchObject({ code: 0 })
  expect(await run(['backup', backupFile, ...where])).toMatchObject({ code: 0 })
}, 120_000)
afterAll(() => rmSync(home, { recursive: true, force: true }))

const names = (): string[] => {
  const apps = openApps(dataDir)
  try {
    return apps.list().map(({ name }) => name)
  } finally {
    apps.close()
  }
}

/** Every command that prints, in each of its forms. */
const printing: string[][] = [
  ['--help'],
  ['--version'],
  ['help', 'apps'],
  ['apps', 'add', '--help'],
  ['apps', 'list', ...where],
  ['apps', 'list', '--json', ...where],
  ['apps', 'show', 'editor', ...where],
  ['apps', 'set', 'editor', '--rpm', '5', ...where],
  ['apps', 'pause', 'editor', '--json', ...where],
  ['apps', 'resume', '--all', ...where],
  ['connections', ...where],
  ['requests', ...where],
  ['requests', '--json', ...where],
  ['usage', ...where],
  ['usage', '--format', 'json', ...where],
  ['usage', '--format', 'csv', '--output', '-', ...where],
  ['usage', '--format', 'parquet', ...where],
  ['limits', ...where],
  ['keys', ...where],
  ['backup', '-', ...where],
  ['backup', join(home, 'another.tar'), '--force', ...where],
  ['restore', backupFile, '--yes', '--data-dir', join(home, 'restored')],
  ['export', '--what', 'requests', ...where],
  ['export', '--what', 'requests', '--format', 'json', ...where],
  ['export', '--what', 'requests', '--format', 'parquet', ...where],
  ['export', '--what', 'chats', ...where],
  ['export', '--what', 'chats', '--format', 'markdown', ...where],
  ['export', '--what', 'usage', ...where],
  ['erase', '--what', 'alerts', '--older-than', '1', '--yes', ...where],
  ['doctor', '--sandbox', '--data-dir', join(home, 'doctor')],
  ['chat', 'Hello', '--sandbox', '--data-dir', join(home, 'chat')],
  ['serve', '--sandbox', '--web-port', '0', '--api-port', '0', '--data-dir', join(home, 'serve')],
  ['serve', '--json', '--no-web', '--api-port', '0', '--data-dir', join(home, 'serve')],
  ['sandbox', '--port', '0'],
]
/** `npm test` tries one command for each way of writing output, `npm run test:long` every command. */
const waysOfWriting =
  /^(--help|apps list|requests --data-dir|usage --format parquet|backup -|export --what chats --data-dir|chat)/
const everyCommand = printing.map((args) => [args.filter((arg) => !arg.includes('/')).join(' '), args] as const)
const named = everyCommand.filter(([name]) => tries(0, 1) === 1 || waysOfWriting.test(name))

describe.runIf(existsSync('/dev/full'))('a device that is full', { timeout: 120_000 }, () => {
  it.each(named)('a full standard output is reported as a failure: %s', async (_, args) => {
    const { code, stderr } = await into({ stdout: '/dev/full' }, args)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Standard output can’t be written: the disk is full \(ENOSPC\)\.\n$/),
    ])
  })

  it.each([[['--json']], [[]]])('an app whose key could not be printed is deleted: apps add %j', async (more) => {
    const before = names()
    const { code, stderr } = await into({ stdout: '/dev/full' }, ['apps', 'add', 'unseen', ...more, ...where])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/unseen could not be shown, so the app was deleted again\.\n.*disk is full/),
    ])
    expect(names()).toEqual(before)
  })

  it.each([
    [0, ['apps', 'list', ...where]],
    [2, ['apps', 'list', '--nothing']],
    ...onlyLong<[number, string[]]>(
      [1, ['apps', 'show', 'nobody', ...where]],
      [1, ['export', '--what', 'chats', '--output', '/nowhere/x', ...where]],
    ),
  ])('a full standard error does not change the exit code %i', async (code, args) => {
    expect((await into({ stderr: '/dev/full' }, args)).code).toBe(code)
  })

  it('full standard output and standard error still fail', { tags: 'long' }, async () => {
    expect((await into({ stdout: '/dev/full', stderr: '/dev/full' }, ['apps', 'list', ...where])).code).toBe(1)
  })
})

describe('the null device', () => {
  // Node also opens the null device for a closed standard output.
  it.each(['>&-', '>/dev/null'])(
    'apps add adds no app when its key would not be shown: %s',
    needs('posix'),
    async (redirection) => {
      const before = names()
      const shell = spawn(
        'sh',
        ['-c', `exec "$0" "$@" ${redirection}`, process.execPath, studioEntry, 'apps', 'add', 'x', ...where],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: environmentOf(common),
        },
      )
      let stderr = ''
      shell.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
      })
      const [code] = await once(shell, 'close')
      expect([code, stderr]).toEqual([1, expect.stringMatching(/No app was added/)])
      expect(names()).toEqual(before)
    },
  )

  it('other commands may write to the null device', async () => {
    expect(await into({ stdout: '/dev/null' }, ['apps', 'list', ...where])).toMatchObject({ code: 0, stderr: '' })
  })
})

it.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s leaves neither a partial nor a temporary file, and is exit code %i', async (signal, code) => {
  const folder = mkdtempSync(join(home, 'half-'))
  const writing = commandLine(fileURLToPath(new URL('fixtures/halfFile.ts', import.meta.url))).start([
    join(folder, 'file'),
  ])
  await writing.line()
  expect(readdirSync(folder)).toHaveLength(1)
  writing.child.kill(signal)
  expect(await writing.ended).toMatchObject({ code, stderr: 'error: Cancelled.\n' })
  expect(readdirSync(folder)).toEqual([])
})

describe('a pipe whose reader has gone', { timeout: 120_000 }, () => {
  it.each(
    firstCases(
      2,
      everyCommand.filter(([name]) => waysOfWriting.test(name) && !name.startsWith('serve')),
    ),
  )('causes no message, and the exit code of SIGPIPE: %s', async (_, args) => {
    const command = start(args)
    command.child.stdout.destroy()
    expect(await command.ended).toMatchObject({ code: 141, stderr: '' })
  })

  it('apps add deletes the app when the reader has gone', { tags: 'long' }, async () => {
    const before = names()
    const command = start(['apps', 'add', 'unseen', '--json', ...where])
    command.child.stdout.destroy()
    const { code, stderr } = await command.ended
    expect([code, stderr]).toEqual([141, expect.stringMatching(/deleted again\.\n$/)])
    expect(names()).toEqual(before)
  })

  it('serve continues when the reader of its first lines has gone', { tags: 'long' }, async () => {
    const serving = start(['serve', '--web-port', '0', '--no-api', '--data-dir', join(home, 'goes-on')])
    serving.child.stdout.destroy()
    const owner = join(home, 'goes-on', 'studio.owner.json')
    // `serve` writes its address to this file after it has printed its lines.
    await expect.poll(() => existsSync(owner) && readFileSync(owner, 'utf8').includes('http')).toBe(true)
    expect(serving.child.exitCode).toBeNull()
    serving.child.kill('SIGTERM')
    expect(await serving.ended).toMatchObject({ code: 141, stderr: '' })
  })

  it('requests --follow ends with the next request when the reader has gone', { tags: 'long' }, async () => {
    const following = start(['requests', '--follow', '--json', ...where])
    await following.line()
    following.child.stdout.destroy()
    const requestLog = new SqliteRequestLog({
      dataDir,
      apps: () => [],
      bodyDays: () => 1,
      deadlines: rightClock(),
      log: () => undefined,
    })
    try {
      const refusal = { appId: null, from: 'a test', method: 'GET', path: '/v1/models' }
      requestLog.refused({ ...refusal, status: 401, code: 'unknown', message: 'No key.' })
    } finally {
      await requestLog.close()
    }
    expect((await following.ended).code).toBe(141)
  })
})

describe('a disk that fills up', { ...needs('mount'), timeout: 120_000 }, () => {
  let disk: string
  beforeEach(() => {
    disk = mountMemoryDisk(1)
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, 'other'), Buffer.alloc((bavail - 1) * bsize))
  })
  afterEach(() => unmountMemoryDisk(disk))

  it.each([
    'requests --json --limit 1000',
    'backup -',
    ...onlyLong('export --what requests', 'export --what chats', 'export --what chats --format markdown'),
  ])('a disk that fills up under standard output is a failure: %s', async (line) => {
    const args = line.split(' ')
    const { code, stderr } = await into({ stdout: join(disk, 'out') }, [...args, ...where])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/disk is full/)])
  })

  it.each([
    'backup file',
    'export --what chats --output file',
    ...onlyLong(
      'export --what requests --output file',
      'export --what requests --format json --output file',
      'export --what chats --format markdown --output file',
      'export --what media --output file',
      'export --output file',
      'usage --format csv --each day --since 2000-01-01 --by day --output file',
    ),
  ])('a full disk leaves neither a partial nor a temporary file: %s', async (line) => {
    const placed = line.split(' ').map((arg) => (arg === 'file' ? join(disk, arg) : arg))
    const { code, stderr } = await run([...placed, ...where])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/disk is full|too little space/)])
    expect(readdirSync(disk)).toEqual(['other'])
  })

  it('a full disk leaves the file to overwrite unchanged', { tags: 'long' }, async () => {
    const file = join(disk, 'kept')
    writeFileSync(file, 'kept')
    for (const args of [
      ['backup', file, '--force'],
      ['export', '--what', 'requests', '--output', file],
    ]) {
      expect(await run([...args, ...where])).toMatchObject({ code: 1 })
      expect(readFileSync(file, 'utf8')).toBe('kept')
    }
  })
})
