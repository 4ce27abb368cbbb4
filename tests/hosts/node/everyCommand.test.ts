import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { commandsOf, type DescribedCommand } from '../../../src-main/hosts/node/commandTable.ts'
import { commandLine } from '../../../src-main/hosts/node/program.ts'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { needs } from '../../helpers/programs.mjs'
import { realCommands, runInProcess, unusedParts } from './fixtures/inProcess.ts'
import { jsonDocuments, problemDocument } from './fixtures/jsonDocuments.ts'
import { documents, environmentOf, commandLine as processes, studioEntry } from './fixtures/process.ts'

// What holds for every command: its JSON has a documented form, and its text fits into 40 columns.

const printsJson = ({ options }: DescribedCommand): boolean => options.some(({ long }) => long === '--json')
/** Groups such as "apps" do nothing themselves. */
const all = commandsOf(commandLine(unusedParts, () => undefined)).filter(
  (one) => one.commands.length === 0 || printsJson(one),
)
const withJson = all.filter(printsJson).map(({ name }) => name)
const home = temporaryFolder('studio-every-')
let service: Sandbox
beforeAll(async () => {
  service = await startSandbox()
})
afterAll(() => service.close())

/** Each command that ends by itself, in an order in which every one succeeds. */
function sequence(): { args: string[]; exit: number }[] {
  const folder = mkdtempSync(join(home, 'run-'))
  const dataDir = join(folder, 'data')
  const file = (name: string): string => join(folder, name)
  mkdirSync(file('sync'))
  writeFileSync(file('key'), service.apiKey, { mode: 0o600 })
  writeFileSync(
    file('conversations.json'),
    JSON.stringify([{ title: 'Tides', mapping: { a: { message: null, children: [] } } }, 5]),
  )
  const at = ['--data-dir', dataDir]
  const login = ['login', '--base-url', service.baseUrl, '--api-key-file', file('key'), ...at]
  const ok = (...args: string[]) => ({ args: [...args, ...at], exit: 0 })
  return [
    ok('chat', 'How do tides work?', '--sandbox'),
    ok('speak', 'Good morning', '--sandbox', '--output', file('morning.mp3')),
    ok('transcribe', file('morning.mp3'), '--sandbox'),
    ok('transcribe', file('morning.mp3'), '--sandbox', '--output', file('morning.vtt')),
    ok('image', 'A red kite', '--sandbox', '--count', '2', '--output', file('kite.png')),
    { args: login, exit: 0 },
    ok(
      'apps',
      'add',
      'an editor with a name of many words',
      '--budget-month',
      '5',
      '--rpm',
      '60',
      '--models',
      'mirror',
    ),
    ok('apps', 'add', 'an editor with a name of many words', '--ensure'),
    ok('apps', 'set', 'an editor with a name of many words', '--name', 'editor', '--expires', '+30d'),
    ok('apps', 'pause', 'editor'),
    ok('apps', 'pause', '--all'),
    ok('apps', 'resume', 'editor'),
    ok('apps', 'resume', '--all'),
    ok('apps', 'list'),
    ok('apps', 'show', 'editor'),
    ok('apps', 'rotate', 'editor', '--grace', '24h'),
    ok('apps', 'answer'),
    ok('apps', 'programs'),
    ok('apps', 'connect', 'codex', '--model', 'mirror', '--dry-run'),
    ok('apps', 'connect', 'codex', '--model', 'mirror'),
    ok('apps', 'connect', 'goose', '--model', 'mirror'),
    ok('apps', 'disconnect', 'codex'),
    ok('apps', 'revoke', 'editor'),
    ok('connections', 'list'),
    ok('connections', 'use', new URL(service.baseUrl).host),
    ok('doctor', '--ignore-warnings'),
    ok('requests'),
    ok('usage'),
    ok('usage', '--by', 'day', '--source', 'here'),
    ok('limits'),
    ok('keys'),
    { args: ['backup', file('a.tar.zst'), ...at], exit: 0 },
    ok('backup', '--to', folder, '--keep', 'last=1'),
    { args: ['backup', 'verify', file('a.tar.zst')], exit: 0 },
    { args: ['restore', file('a.tar.zst'), '--yes', '--data-dir', file('restored')], exit: 0 },
    ok('export', '--what', 'chats', '--output', file('chats.zip')),
    ok('export', '--what', 'requests', '--output', file('requests.json')),
    ok('export', '--what', 'usage', '--output', file('usage.json')),
    ok('export', '--output', file('export')),
    // One of the two items is not a conversation.
    { args: ['import', file('conversations.json'), ...at], exit: 1 },
    ok('sync', file('sync')),
    ok('erase', '--what', 'bodies,log', '--older-than', '0', '--yes'),
    ok('logout'),
    { args: login, exit: 0 },
    ok('connections', 'forget', new URL(service.baseUrl).host),
    { args: ['service', 'install', '--print'], exit: 0 },
    { args: ['service', 'uninstall'], exit: 0 },
    { args: ['service', 'status'], exit: 1 },
    { args: ['version'], exit: 0 },
  ]
}

const environment = {
  HOME: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  TMPDIR: home,
  INFERENCE_STUDIO_KEY_FILE: join(home, 'keys.json'),
}
/** Commands in this process, for those that read no standard input. */
const commands = realCommands(environment)
const { start, run } = processes(studioEntry, environment)

/** Runs a command on a terminal that is 40 columns wide, and returns what it shows. */
async function onNarrowTerminal(args: readonly string[]): Promise<{ code: number | null; shown: string }> {
  const words = [process.execPath, studioEntry, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  const terminal = spawn('script', ['-qec', `stty cols 40; exec ${words.join(' ')}`, '/dev/null'], {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', (part: string) => {
    shown += part
  })
  const [code] = await once(terminal, 'close')
  return { code, shown: stripVTControlCharacters(shown).replaceAll('\r', '\n') }
}

/** The command of these arguments. */
const nameOf = (args: readonly string[]): string =>
  all
    .map(({ name }) => name)
    .filter((name) => name.split(' ').every((word, at) => args[at] === word))
    .toSorted((a, b) => b.length - a.length)[0] ?? ''

describe('the JSON of every command', () => {
  /** Commands that run until they are stopped, need one that does, or take long: processes of their own. */
  const processesOnly = ['serve', 'open', 'sandbox', 'self-check']

  it('has a documented form', async () => {
    expect(Object.keys(jsonDocuments).toSorted()).toEqual(withJson.toSorted())
    const $defs = Object.fromEntries(
      Object.entries({ ...jsonDocuments, 'any command that fails': problemDocument }).map(([name, schema]) => {
        const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any' })
        return [name, rest]
      }),
    )
    const title = 'Documents that the commands of Inference Studio print with --json, one on a line, by command'
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', title, $defs }
    await expect(`${JSON.stringify(schema, null, 1)}\n`).toMatchFileSnapshot('../../../docs/command-line.schema.json')
  })

  const check = (name: string, stdout: string): void => {
    for (const document of documents(stdout)) expect(jsonDocuments[name]?.parse(document), name).toEqual(document)
  }

  it('is as documented, one document on a line', { tags: 'long' }, async () => {
    const steps = sequence()
    expect(new Set([...steps.map(({ args }) => nameOf(args)), ...processesOnly])).toEqual(new Set(withJson))
    for (const { args, exit } of steps) {
      const { code, stdout, stderr } = await run([...args, '--json'])
      expect([args, code, stderr]).toEqual([args, exit, expect.any(String)])
      check(nameOf(args), stdout)
    }
  })

  it('of commands that run until they are stopped is as documented', { tags: 'long' }, async () => {
    const dataDir = mkdtempSync(join(home, 'serve-'))
    const serving = start(['serve', '--json', '--sandbox', '--web-port', '0', '--api-port', '0', '--data-dir', dataDir])
    onTestFinished(() => void serving.child.kill('SIGKILL'))
    check('serve', await serving.line())
    check('open', (await run(['open', '--json', '--data-dir', dataDir])).stdout)
    const sandbox = start(['sandbox', '--json'])
    onTestFinished(() => void sandbox.child.kill('SIGKILL'))
    check('sandbox', await sandbox.line())
    check('self-check', (await run(['self-check', '--json', '--wait', '100'])).stdout)
  })

  it('of a wrong option is a problem, and the exit code is 2', async () => {
    for (const name of withJson) {
      const { code, stdout } = await runInProcess([...name.split(' '), '--json', '--no-such-option'], unusedParts)
      expect([name, code, documents(stdout)]).toEqual([
        name,
        2,
        [{ problem: { kind: 'bad_input', message: expect.any(String) } }],
      ])
      expect(problemDocument.parse(JSON.parse(stdout))).toEqual(JSON.parse(stdout))
    }
  })

  it('in a file is an array when the file is named .json, and lines when it is named .jsonl', {
    tags: 'long',
  }, async () => {
    const folder = mkdtempSync(join(home, 'files-'))
    const at = ['--data-dir', join(folder, 'data')]
    await run(['chat', 'Hello', '--sandbox', ...at])
    for (const from of [['usage'], ['export', '--what', 'usage'], ['export', '--what', 'requests']]) {
      const [array, lines] = [join(folder, 'x.json'), join(folder, 'x.jsonl')]
      for (const output of [array, lines]) await commands([...from, '--output', output, '--force', ...at])
      // The time of the export is in some rows.
      const undated = (rows: unknown) =>
        z
          .array(z.record(z.string(), z.unknown()))
          .parse(rows)
          .map(({ as_of: _, ...row }) => row)
      const rows = undated(JSON.parse(readFileSync(array, 'utf8')))
      expect(rows).toEqual(undated(documents(readFileSync(lines, 'utf8'))))
      expect(rows.length).toBeGreaterThan(0)
    }
  })
})

describe('40 columns', () => {
  /** Runs `work` as on a terminal that is this wide. */
  async function onTerminal<T>(columns: number, work: () => Promise<T>): Promise<T> {
    const streams = [process.stdout, process.stderr]
    const before = streams.map((stream) => ({ isTTY: stream.isTTY, columns: stream.columns }))
    for (const stream of streams) Object.assign(stream, { isTTY: true, columns })
    try {
      return await work()
    } finally {
      for (const [at, stream] of streams.entries()) Object.assign(stream, before[at])
    }
  }
  /** Lines that are too long, but for words that can't be broken, such as an address, and examples, which are there to be copied. */
  const tooLong = (text: string): string[] =>
    text.split('\n').filter((line) => line.length > 40 && / /.test(line.trim()) && !line.startsWith('  $ '))

  it('hold the help of every command', async () => {
    for (const { name } of [{ name: '' }, ...all]) {
      const { stdout } = await onTerminal(40, () =>
        runInProcess([...name.split(' ').filter(Boolean), '--help'], unusedParts),
      )
      expect(stdout).toContain('Usage:')
      expect([name, tooLong(stdout)]).toEqual([name, []])
    }
  })

  it('hold what every command prints', needs('terminal', 'long'), async () => {
    for (const { args, exit } of sequence()) {
      const { code, shown } = await onNarrowTerminal(args)
      expect([args, code, shown]).toEqual([args, exit, shown])
      // Replies of models, texts of recordings, files of the system and differences of files are printed as they are.
      const isContent = /^(chat|transcribe|service install)$/.test(nameOf(args)) || args.includes('--dry-run')
      expect([args, isContent ? [] : tooLong(shown)]).toEqual([args, []])
    }
  })

  it('are 80 where the terminal does not know how wide it is', async () => {
    for (const args of [['chat', '--help'], ['such-a-command'], ['requests', '--since', 'yesterday']]) {
      const said = (columns: number) => onTerminal(columns, () => runInProcess(args, unusedParts))
      expect(await said(0)).toEqual(await said(80))
    }
  })

  it('hold every message about wrong usage', async () => {
    for (const args of [
      ['such-a-command'],
      ['chat', '--such-an-option'],
      ['apps', 'pause'],
      ['requests', '--since', 'yesterdays'],
      ['serve', '--no-web', '--no-api'],
      ['backup', '--keep', 'daily=7'],
      ['completion', 'tcsh'],
    ]) {
      const { code, stderr } = await onTerminal(40, () => runInProcess(args, unusedParts))
      expect([args, code, tooLong(stderr)]).toEqual([args, 2, []])
    }
  })

  it('show a row of a table as a list of its names and values', async () => {
    const dataDir = join(mkdtempSync(join(home, 'narrow-')), 'data')
    await commands(['apps', 'add', 'editor', '--data-dir', dataDir])
    const { stdout } = await onTerminal(40, () => commands(['apps', 'list', '--data-dir', dataDir]))
    expect(stdout).toMatch(
      /^NAME +editor\nSTATE +never used\nCREATED +\d{4}-\d\d-\d\d \d\d:\d\d UTC\nID +[\da-f]{10}\n$/,
    )
  })
})

describe('messages on standard error', () => {
  const at = ['--data-dir', join(home, 'messages')]

  it('--quiet leaves errors only', { timeout: 60_000 }, async () => {
    await commands(['apps', 'add', 'editor', ...at])
    const backup = (name: string) => ['export', '--what', 'all', '--output', join(home, name), ...at]
    expect((await commands(backup('loud'))).stderr).toContain(`Wrote ${join(home, 'loud')}.`)
    expect((await commands([...backup('quiet'), '--quiet'])).stderr).toBe('')
    expect((await commands(['apps', 'show', 'nobody', '--quiet', ...at])).stderr).toMatch(/^error: No app/)
  })

  it('--verbose adds the cause of an error', async () => {
    const args = ['import', join(home, 'missing.zip'), ...at]
    expect((await commands(args)).stderr).toMatch(/^error: .*missing\.zip can’t be read: no such file or folder.*\n$/)
    expect((await commands([...args, '--verbose'])).stderr).toMatch(/^error: .*\nError: ENOENT.*\n/)
  })

  it('a question is not asked with --json, where there is no place for it', { timeout: 60_000 }, async () => {
    const file = join(home, 'asked.tar')
    await commands(['apps', 'add', 'asked', ...at])
    expect((await commands(['backup', file, ...at])).code).toBe(0)
    const { code, stdout } = await commands(['restore', file, '--json', '--data-dir', join(home, 'asked')])
    expect([code, documents(stdout)]).toEqual([
      2,
      [{ problem: { kind: 'bad_input', message: expect.stringContaining('Add --yes') } }],
    ])
  })
})

describe('chat', { tags: 'long' }, () => {
  const at = ['--sandbox', '--json', '--data-dir', join(home, 'chats')]
  const chatOf = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(['chat', ...args, ...at])
    return z.object({ chat: z.string() }).parse(documents(stdout)[0]).chat
  }

  it('--chat goes on with the chat of this id or beginning of an id, --continue with the last one', async () => {
    const first = await chatOf('One')
    const second = await chatOf('Two')
    expect(second).not.toBe(first)
    expect(await chatOf('Three', '--chat', first.slice(0, 8))).toBe(first)
    expect(await chatOf('Four', '--continue')).toBe(first)
    expect(await chatOf('Five', '--chat', second)).toBe(second)
    const missing = await run(['chat', 'Six', '--chat', 'zzz', ...at])
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('No chat has the id zzz.')])
  })

  it('--schema refuses a file without a schema', async () => {
    const schema = join(home, 'schema.json')
    writeFileSync(schema, 'no JSON')
    const none = await run(['chat', 'Hello', '--schema', schema, ...at])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is not JSON')])
  })

  it('--schema ends with 1 for a reply that does not match, after it was compared', async () => {
    const schema = join(home, 'answer.schema.json')
    writeFileSync(schema, JSON.stringify({ type: 'object', properties: { answer: { type: 'string' } } }))
    const { code, stdout, stderr } = await run(['chat', 'Hello', '--model', 'mirror', '--schema', schema, ...at])
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not match the schema')])
    expect(documents(stdout).at(-1)).toMatchObject({ status: 'complete', jsonFaults: [expect.any(String)] })
  })
})
