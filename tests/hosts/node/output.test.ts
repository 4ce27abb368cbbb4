import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
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
import { commandsOf } from '../../../src-main/hosts/node/commandTable.ts'
import { commandLine as describedProgram } from '../../../src-main/hosts/node/program.ts'
import { fillFolder } from '../../core/data/fill.ts'
import { rightClock } from '../../core/helpers/deadlines.ts'
import { mountMemoryDisk, unmountMemoryDisk } from '../../core/helpers/memoryDisk.ts'
import { firstCases, onlyLong, tries } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { needs } from '../../helpers/programs.mjs'
import { unusedParts } from './fixtures/inProcess.ts'
import { commandLine, type Ended, environmentOf, studioEntry } from './fixtures/process.ts'

// Tests commands whose output can't be written, with real files, devices and pipes on the descriptors of a real process.

const home = temporaryFolder('studio-output-')
const common = { HOME: home, TMPDIR: home }
const { start, run } = commandLine(studioEntry, common)
const dataDir = join(home, 'data')
const where = ['--data-dir', dataDir]
const backupFile = join(home, 'kept.tar')
const chatsFile = join(home, 'conversations.json')
const soundFile = join(home, 'sound.wav')
const syncFolder = join(home, 'sync')

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
  writeFileSync(chatsFile, JSON.stringify([{ title: 'Tides', mapping: {} }]))
  writeFileSync(soundFile, silence())
  mkdirSync(syncFolder)
  expect(await run(['apps', 'add', 'editor', ...where])).toMatchObject({ code: 0 })
  expect(await run(['backup', backupFile, ...where])).toMatchObject({ code: 0 })
}, 120_000)
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** A second of silence: mono, 16 bits, 8 kHz. */
function silence(): Buffer {
  const head = Buffer.from('RIFF    WAVEfmt \x10\0\0\0\x01\0\x01\0    \0\0\0\0\x02\0\x10\0data    ', 'latin1')
  for (const [value, at] of [
    [36 + 16_000, 4],
    [8000, 24],
    [16_000, 28],
    [16_000, 40],
  ] as const)
    head.writeUInt32LE(value, at)
  return Buffer.concat([head, Buffer.alloc(16_000)])
}

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
  ['version'],
  ['version', '--json'],
  ['man'],
  ['completion', 'bash'],
  ['service', 'install', '--print'],
  ['service', 'uninstall'],
  ['service', 'status', '--json'],
  ['self-check', '--wait', '100'],
  ['apps', 'programs', ...where],
  ['apps', 'answer', ...where],
  ['apps', 'connect', 'codex', '--model', 'mirror', '--dry-run', ...where],
  ['connections', 'list', ...where],
  ['backup', 'verify', backupFile],
  ['import', chatsFile, '--data-dir', join(home, 'import')],
  ['sync', syncFolder, '--data-dir', join(home, 'import')],
  ['logout', '--data-dir', join(home, 'import')],
  ['speak', 'Hello', '--sandbox', '--data-dir', join(home, 'chat')],
  ['transcribe', '--json', soundFile, '--sandbox', '--data-dir', join(home, 'chat')],
  ['image', 'Hello', '--sandbox', '--data-dir', join(home, 'chat')],
]
/**
 * Commands without a row above: they print only when they succeed, which needs a running studio or a state that the rows don't leave, or
 * speak another protocol.
 */
const elsewhere = [
  ...['open', 'mcp', 'login', 'apps add', 'apps rotate', 'apps revoke', 'apps disconnect', 'connections use'],
  'connections forget',
]
/** `npm test` tries one command for each way of writing output, `npm run test:long` every command. */
const waysOfWriting =
  /^(--help|apps list|requests --data-dir|usage --format parquet|backup -|export --what chats --data-dir|chat)/
const everyCommand = printing.map((args) => [args.filter((arg) => !arg.includes('/')).join(' '), args] as const)
const named = everyCommand.filter(([name]) => tries(0, 1) === 1 || waysOfWriting.test(name))

it('every command has a row here, or a reason not to', () => {
  const all = commandsOf(describedProgram(unusedParts, () => undefined)).filter(({ commands }) => commands.length === 0)
  const named = all.map(({ name }) => name)
  const rows = printing.map((args) =>
    named
      .filter((name) => args.join(' ').startsWith(name))
      .toSorted()
      .at(-1),
  )
  expect(new Set([...rows, ...elsewhere].filter((name) => name !== undefined))).toEqual(new Set(named))
})

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

  it('a data folder on a full disk is named as the reason, and what is in it stays whole', {
    tags: 'long',
  }, async () => {
    rmSync(join(disk, 'other'))
    unmountMemoryDisk(disk)
    disk = mountMemoryDisk(8)
    const at = ['--data-dir', join(disk, 'data')]
    expect(await run(['apps', 'add', 'kept', ...at])).toMatchObject({ code: 0 })
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, 'other'), Buffer.alloc(bavail * bsize))
    for (const args of [
      ['chat', 'Hello', '--sandbox'],
      ['sync', syncFolder],
      ['import', chatsFile],
      ['speak', 'Hello', '--sandbox', '--output', join(home, 'unmade.mp3')],
    ]) {
      const { code, stderr } = await run([...args, ...at])
      expect([args, code, stderr]).toEqual([args, 1, expect.stringMatching(/disk is full|too little space|no space/i)])
    }
    expect((await run(['apps', 'list', '--json', ...at])).stdout).toContain('"name":"kept"')
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
