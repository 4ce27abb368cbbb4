import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillFolder } from '../../core/data/fill.ts'
import { firstCases } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { needs } from '../../helpers/programs.mjs'
import { realCommands, runInProcess, unusedParts } from './fixtures/inProcess.ts'
import { commandLine, type Ended, studioEntry } from './fixtures/process.ts'

// Tests typing mistakes. Each is reported with the name of the option and changes nothing.

const home = temporaryFolder('studio-arguments-')
const environment = { HOME: home, TMPDIR: home }
const { start } = commandLine(studioEntry, environment)
const dataDir = join(home, 'data')
const where = ['--data-dir', dataDir]

/** Checks a refusal: a clear sentence without a stack trace, and at most one hint. */
function expectWords({ code, stdout, stderr }: Ended, option: string): void {
  expect([code, stdout, stderr]).toEqual([expect.any(Number), '', expect.stringContaining(option)])
  expect([1, 2]).toContain(code)
  expect(stderr).not.toMatch(/went wrong inside|\n\s+at |TypeError|does not have the form/)
  const [first = '', ...hints] = stderr.trimEnd().split('\n')
  expect(first).toMatch(code === 2 ? /^error: .{17,700}$/ : /^error: .{17,700}\.$/)
  expect(hints).toEqual(code === 2 ? ['Run "inference-studio --help" for usage.'] : [])
}

/** Runs a command in this process. A refusal before the command runs opens no file. */
const here = (...args: string[]): Promise<Ended> => runInProcess(args, unusedParts)
/** Runs a command on real files in this process. */
const withFiles = realCommands(environment)

const numbers = ['', ' ', '-1', '1e3', '0x10', 'NaN', 'Infinity', '1.5', '9'.repeat(30), '٣', '+5', '5 ', '__proto__']
const dates = ['', '2026-02-30', '2026-13-01', '2026-2-3', '0026-11-21', '2026-11-21T25:00', '1', '2026']
const otherDates = [
  '+275760-09-13',
  '99999-01-01',
  'NaN',
  '__proto__',
  'constructor',
  '2026-02-30T00:00:00Z',
  'last week',
]
const emptyNames = ['', ' ', '\n']
const manyLetters = 'x'.repeat(5000)

describe('invalid values', () => {
  it.each([
    ['--web-port', ['serve', '--sandbox'], [...numbers, '65536', '70000', 'constructor']],
    ['--api-port', ['serve', '--sandbox'], [...numbers, '70000']],
    ['--port', ['sandbox'], [...numbers, '70000']],
    ['--limit', ['requests'], [...numbers, '0', '1001']],
    ['--history', ['limits'], [...numbers, '0', '501']],
    ['--older-than', ['erase', '--what', 'log', '--yes'], [...numbers, '36501']],
    ['--rpm', ['apps', 'add', 'x'], numbers.filter((number) => number !== '5 ')],
    ['--tpm', ['apps', 'set', 'x'], numbers.filter((number) => number !== '5 ')],
    ['--concurrent', ['apps', 'add', 'x'], numbers.filter((number) => number !== '5 ')],
    ['--budget-day', ['apps', 'add', 'x'], ['', '-1', '1e3', '0x10', 'NaN', '+5', '1.', '__proto__']],
    ['--map', ['apps', 'add', 'x'], ['', ' ', 'a', 'a=', '=a', '=', `${manyLetters}=a`, 'a\nb=c', '__proto__']],
    ['--since', ['requests'], [...dates, ...otherDates]],
    ['--since', ['usage'], [...dates, ...otherDates]],
    ['--until', ['usage'], [...dates, ...otherDates]],
    ['--since', ['export'], [...dates, ...otherDates]],
    ['--until', ['export'], [...dates, ...otherDates]],
    ['--expires', ['apps', 'add', 'x'], [...dates, ...otherDates, '+1', '+5y', '2099-02-30T00:00:00Z']],
    ['--name', ['apps', 'set', 'x'], [...emptyNames, manyLetters, 'a\nb', '\u001b[31m']],
    ['--name', ['login', '--base-url', 'http://127.0.0.1:1'], [...emptyNames, manyLetters, 'a\nb']],
    ['--base-url', ['login'], emptyNames],
    ['--base-url', ['doctor'], emptyNames],
    ['--api-key-env', ['serve', '--base-url', 'http://127.0.0.1:1'], emptyNames],
    ['--api-key-env', ['login', '--base-url', 'http://127.0.0.1:1'], emptyNames],
    ['--connection', ['chat', 'Hello'], emptyNames],
    ['--model', ['chat', 'Hello', '--sandbox'], emptyNames],
    ['--account', ['usage'], emptyNames],
    ['--app', ['requests'], emptyNames],
    ['--output', ['usage', '--format', 'csv'], [...emptyNames, 'a\0b', 'caf\ufffd']],
    ['--output', ['export'], [...emptyNames, 'a\0b', 'caf\ufffd']],
    ['--by', ['usage'], ['', '__proto__', 'constructor', 'toString', manyLetters]],
    ['--format', ['export'], ['', '__proto__', 'constructor', manyLetters]],
    ['--what', ['export'], ['', '__proto__', 'constructor']],
    ['--outcome', ['requests'], ['', '__proto__', 'constructor']],
  ])('an invalid %s of %j is a usage error that names the option', async (option, command, values) => {
    for (const value of values) {
      const ended = await here(...command, `${option}=${value}`, ...(command[0] === 'sandbox' ? [] : where))
      expectWords(ended, option)
      expect(ended.code).toBe(2)
    }
  })

  it('an empty --data-dir is refused by every command', async () => {
    const commands = [
      ...['serve', 'apps list', 'apps add x', 'connections', 'requests', 'usage', 'limits', 'keys', 'backup'],
      ...['export', 'erase --what log --older-than 9', 'restore x', 'chat x', 'login --base-url x', 'logout', 'doctor'],
    ]
    for (const command of commands) expectWords(await here(...command.split(' '), '--data-dir', ''), '--data-dir')
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'NOT_SET', 'a\nb', manyLetters])(
    'a variable that is not set is named: %.20s',
    async (name) => {
      const ended = await here('login', '--base-url', 'http://127.0.0.1:1', '--api-key-env', name, ...where)
      expectWords(ended, 'environment variable')
      expect(ended.code).toBe(1)
    },
  )

  it.each(['__proto__', 'constructor', 'toString', '', manyLetters])(
    'an unknown command or option: %.20s',
    async (name) => {
      expectWords(await here(name), 'unknown command')
      expectWords(await here('apps', name), 'unknown command')
      if (name !== '') expectWords(await here('usage', `--${name}`), 'unknown option')
      if (name !== '') expect((await here('help', name)).stderr).toContain('error: unknown command')
    },
  )

  it('a mistyped command is reported in one line with a suggestion', async () => {
    expect((await here('serv')).stderr).toMatch(/^error: unknown command 'serv' \(Did you mean serve\?\)\n/)
    expect((await here('apps', 'list', '--jsn')).stderr).toMatch(/^error: .*--jsn' \(Did you mean --json\?\)\n/)
  })
})

describe('impossible paths', { ...needs('posix'), timeout: 240_000 }, () => {
  const at = (name: string): string => join(home, name)
  /** Special files by their names; none of them may change. */
  let special: string[]
  /** Programs that would read such a file wait for ever, and would hang this process. */
  const mayBlock = /\/(?:fifo|zero|full|to-device)(?:\/|$)/
  /** Runs a command, in a process of its own when it could block. */
  const run = async (args: string[]): Promise<Ended> => {
    if (!args.some((arg) => mayBlock.test(arg))) return withFiles(args)
    const command = start(args)
    const late = setTimeout(() => command.child.kill('SIGKILL'), 60_000)
    const ended = await command.ended
    clearTimeout(late)
    return ended
  }

  beforeAll(() => {
    fillFolder(dataDir, { conversations: 2, messages: 2, requests: 5, days: 2 })
    mkdirSync(at('folder'))
    symlinkSync(at('nowhere'), at('dangling'))
    symlinkSync(at('loop'), at('loop'))
    execFileSync('mkfifo', [at('fifo')])
    special = ['folder', 'dangling', 'loop', 'fifo']
    try {
      // Not the devices of /dev: a bug would replace them for the whole system.
      for (const [name, minor] of [
        ['null', '3'],
        ['zero', '5'],
        ['full', '7'],
      ] as const)
        execFileSync('mknod', [at(name), 'c', '1', minor], { stdio: 'ignore' })
      special.push('null', 'zero', 'full')
      symlinkSync(at('full'), at('to-device'))
      special.push('to-device')
    } catch {
      console.log('This user makes no devices: they are not tried here.')
    }
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  const facts = () => special.map((name) => [name, lstatSync(at(name)).ino, lstatSync(at(name)).mode])
  const impossible = (): string[] => [
    ...special.map(at),
    at('no/such/file'),
    at('plain/below'),
    `${at('new')}/`,
    at(manyLetters),
    `/${'long/'.repeat(1000)}`,
    '/proc/nowhere/x',
    '/',
  ]

  it.each(
    firstCases(2, [
      ['FILE', ['backup']],
      ['FILE', ['backup', '--force']],
      ['--output', ['usage', '--format', 'csv', '--output']],
      ['--output', ['export', '--what', 'requests', '--output']],
      ['--output', ['export', '--what', 'chats', '--output']],
      ['--output', ['export', '--what', 'media', '--output']],
      ['--output', ['export', '--output']],
    ]),
  )('%s of %j is refused, and nothing is replaced', async (option, command) => {
    writeFileSync(at('plain'), 'plain')
    const before = [facts(), readdirSync(home)]
    // A folder is created with or without a trailing slash.
    const isFolder = command[0] === 'export' && !/requests|chats/.test(command.join())
    // All cases for one command of each implementation, and some cases for the other commands.
    const some = /force|csv|requests/.test(command.join()) ? /^/ : /dangling|fifo|null|no\/such|xxx/
    for (const path of impossible().filter((one) => some.test(one) && !(isFolder && one.endsWith('new/')))) {
      expectWords(await run([...command, path, ...where]), option === 'FILE' ? '' : option)
    }
    expect([facts(), readdirSync(home)]).toEqual(before)
    expect(readFileSync(at('plain'), 'utf8')).toBe('plain')
  })

  it('restore reads regular files only, and does not wait for a pipe', { tags: 'long' }, async () => {
    for (const path of impossible().filter((one) => !one.endsWith('new/'))) {
      expectWords(await run(['restore', path, '--yes', '--data-dir', at('restored')]), '')
    }
    expect(readdirSync(home)).not.toContain('restored')
  })

  it('--data-dir must be a folder', { tags: 'long' }, async () => {
    for (const path of impossible().filter((one) => !/folder|new|no\/such|^\/$/.test(one))) {
      expectWords(await run(['apps', 'add', 'x', '--data-dir', path]), '--data-dir')
    }
  })

  it.each([
    ['apps', 'add', 'x'],
    ['connections'],
    ['requests'],
    ['usage'],
    ['limits'],
    ['keys'],
    ['backup', '-'],
    ['export', '--what', 'requests'],
    ['erase', '--what', 'log', '--older-than', '5', '--yes'],
    ['chat', 'Hello', '--sandbox'],
    ['logout'],
    ['doctor', '--sandbox'],
    ['serve', '--sandbox'],
  ])('--data-dir that is a file is refused by %s', async (...command) => {
    writeFileSync(at('plain'), 'plain')
    const args = [...command, '--data-dir', at('plain')]
    // A start despite the file would not end.
    const ended = command[0] === 'serve' || command[0] === 'chat' ? await start(args).ended : await run(args)
    expectWords(ended, '--data-dir')
    expect(readFileSync(at('plain'), 'utf8')).toBe('plain')
  })

  it('bytes that are not UTF-8 are refused, since the file would get another name', () => {
    const script = 'exec "$0" "$1" usage --format csv --data-dir "$2" --output "$3/$(printf "caf\\351")" 2>&1'
    const ended = () => execFileSync('sh', ['-c', script, process.execPath, studioEntry, dataDir, home])
    expect(ended).toThrow(expect.objectContaining({ status: 2, stdout: expect.any(Buffer) }))
    expect(readdirSync(home).filter((name) => name.startsWith('caf'))).toEqual([])
  })

  it.each([
    ['backup', '--force'],
    ['usage', '--force', '--format', 'csv', '--output'],
    ['export', '--force', '--what', 'requests', '--output'],
    ['export', '--force', '--what', 'chats', '--output'],
  ])('a symbolic link is followed and stays a link: %s', async (...command) => {
    const [target, link] = [at('target'), at('link')]
    for (const one of [target, link]) rmSync(one, { force: true })
    writeFileSync(target, 'before')
    symlinkSync(target, link)
    expect(await run([...command, link, ...where])).toMatchObject({ code: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(target, 'utf8')).not.toBe('before')
  })

  it('names with a meaning in JavaScript or a shell are valid file names', async () => {
    for (const name of ['__proto__', 'constructor', 'a\nb', 'ä ö', '*', 'x'.repeat(240)]) {
      expect(await run(['export', '--what', 'requests', '--output', at(name), ...where])).toMatchObject({ code: 0 })
      expect(readdirSync(home)).toContain(name)
    }
  })
})
