import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { root } from '../../resources/scripts/ready.mjs'
import { onlyLong } from '../helpers/effort.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { canBeOtherUser } from '../helpers/otherUser.ts'
import { follow, type RunningScript } from '../helpers/runningScript.ts'

// What `npm start` and `npm run studio` do before they start anything, in copies of the project whose packages and build are small. npm, its lockfile
// and the scripts are the real ones; nothing is fetched.

vi.setConfig({ testTimeout: 240_000 })
/** npm alone takes seconds to begin on a busy machine. */
const eventually = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 100_000, interval: 20 })

let template: string
/** The template after a plain `npm ci`. */
let installed: string
const folders: string[] = []
const children = new Set<ChildProcess>()

/** The install script of a package waits in a folder with a file `gate`. Each run writes a line, so that runs can be counted. */
const noteScript = (name: string): string => `
const fs = require('node:fs')
const path = require('node:path')
const project = process.env.FIXTURE_PROJECT
fs.appendFileSync(path.join(project, '${name}.log'), process.pid + '\\n')
while (fs.existsSync(path.join(project, 'gate'))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
`

function write(folder: string, files: Record<string, unknown>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
}

beforeAll(() => {
  template = temporaryFolder('studio-ready-')
  const dependencies: Record<string, string> = {}
  const pack = (name: string, files: Record<string, unknown>, more: object = {}): void => {
    const at = join(template, 'vendor', name)
    write(at, { 'package.json': { name, version: '1.0.0', ...more }, ...files })
    execFileSync('npm', ['pack', '--silent', '--offline', '--pack-destination', '..'], { cwd: at, stdio: 'ignore' })
    rmSync(at, { recursive: true })
    dependencies[name] = `file:vendor/${name}-1.0.0.tgz`
  }
  pack('plain', { 'index.js': '' })
  pack('noting', { 'note.cjs': noteScript('installs') }, { scripts: { install: 'node note.cjs' } })
  pack('electron-vite', {
    'bin/electron-vite.js': `require('../build.cjs')`,
    'build.cjs': `${noteScript('builds')}
fs.mkdirSync('out/main', { recursive: true })
fs.writeFileSync('out/main/node.js', 'console.log("started")')`,
  })
  pack('elsewhere', {}, { os: [process.platform === 'win32' ? 'darwin' : 'win32'] })
  const optionalDependencies = { elsewhere: dependencies.elsewhere }
  delete dependencies.elsewhere
  write(template, {
    'package.json': {
      name: 'fixture',
      version: '1.0.0',
      private: true,
      type: 'module',
      dependencies,
      optionalDependencies,
      allowScripts: { noting: true },
    },
    ...Object.fromEntries(
      ['src-main/a.ts', 'src-preload/a.ts', 'src-renderer/a.ts', 'docs/guide/a.md'].map((name) => [name, '']),
    ),
    'electron.vite.config.ts': '',
  })
  cpSync(join(root, 'resources', 'scripts'), join(template, 'resources', 'scripts'), { recursive: true })
  execFileSync('npm', ['install', '--package-lock-only', '--offline', '--no-audit'], { cwd: template, stdio: 'ignore' })
  installed = clone()
  folders.pop()
  plainCi(installed)
}, 120_000)

afterEach(async () => {
  // A child of a killed process still writes to its output. It ends when its gate is removed.
  for (const folder of folders) rmSync(join(folder, 'clone', 'gate'), { force: true })
  for (const child of children) {
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
afterAll(() => {
  for (const folder of [template, join(installed, '..')]) rmSync(folder, { recursive: true, force: true })
})

/** The fixture as a fresh clone, or as one in which `npm ci` was run. */
function clone(from = template): string {
  const folder = join(temporaryFolder('studio-ready-'), 'clone')
  cpSync(from, folder, { recursive: true, verbatimSymlinks: true })
  folders.push(join(folder, '..'))
  return folder
}

const envOf = (folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
  FIXTURE_PROJECT: folder,
  npm_config_offline: 'true',
})

/** `npm run studio` in that clone, as npm runs it. */
function start(folder: string, env: NodeJS.ProcessEnv = {}): RunningScript {
  const child = spawn(process.execPath, [join(folder, 'resources/scripts/studio.mjs')], {
    env: { ...envOf(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child, children)
}

const runsOf = (folder: string, what: 'installs' | 'builds'): number[] =>
  existsSync(join(folder, `${what}.log`))
    ? readFileSync(join(folder, `${what}.log`), 'utf8')
        .trim()
        .split('\n')
        .map(Number)
    : []
const closeGate = (folder: string): void => writeFileSync(join(folder, 'gate'), '')
const openGate = (folder: string): void => rmSync(join(folder, 'gate'))
const plainCi = (folder: string): void => {
  execFileSync('npm', ['ci', '--no-audit'], { cwd: folder, env: envOf(folder), stdio: 'ignore' })
}
/** A start that must not run npm: any npm that is found only leaves a mark. */
async function startWithoutNpm(folder: string): Promise<{ code: number | null; ranNpm: boolean; output: string }> {
  const fake = join(folder, '..', 'fake', 'bin')
  const mark = join(folder, '..', 'npm-ran')
  write(fake, { 'npm-cli.js': `require('node:fs').writeFileSync(${JSON.stringify(mark)}, ''); process.exit(1)` })
  if (!existsSync(join(fake, 'npm'))) symlinkSync(join(fake, 'npm-cli.js'), join(fake, 'npm'))
  const started = start(folder, { npm_execpath: join(fake, 'npm-cli.js'), PATH: `${fake}:${process.env.PATH}` })
  const code = await started.ended
  return { code, ranNpm: existsSync(mark), output: started.all() }
}

describe('a start', () => {
  it('of a fresh clone installs and builds once, a second one neither', { tags: 'long' }, async () => {
    const folder = clone()
    const first = start(folder)
    expect([await first.ended, first.all()]).toEqual([
      0,
      expect.stringMatching(/Installing packages.*Building.*started/s),
    ])
    expect(await startWithoutNpm(folder)).toEqual({ code: 0, ranNpm: false, output: 'started\n' })
    expect([runsOf(folder, 'installs').length, runsOf(folder, 'builds').length]).toEqual([1, 1])
  })

  it('after a plain `npm ci` installs nothing', async () => {
    const folder = clone(installed)
    expect(await startWithoutNpm(folder)).toMatchObject({ code: 0, ranNpm: false })
    expect(runsOf(folder, 'installs').length).toBe(1)
  })

  it.each<[string, (folder: string) => void]>([
    ['another version of a package than the lockfile names', (folder) => edit(folder, 'plain', { version: '0.9.0' })],
    [
      'other content of a package than the lockfile names',
      (folder) => edit(folder, 'plain', { integrity: 'sha512-x' }),
    ],
    ['a package of another system', (folder) => edit(folder, 'plain', { os: ['aix'] })],
    ['a package missing in npm’s list', (folder) => edit(folder, 'plain', null)],
    ['the folder of a package missing', (folder) => rmSync(join(folder, 'node_modules/plain'), { recursive: true })],
    ['npm’s list missing', (folder) => rmSync(join(folder, 'node_modules/.package-lock.json'))],
    ['npm’s list cut', (folder) => writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{"packages":{')],
  ])('after a plain `npm ci` and then %s installs', { tags: 'long' }, async (_, damage) => {
    const folder = clone(installed)
    damage(folder)
    const { code, ranNpm } = await startWithoutNpm(folder)
    expect({ code, ranNpm }).toEqual({ code: 1, ranNpm: true })
  })

  it('after an installation that failed installs', { tags: 'long' }, async () => {
    const folder = clone(installed)
    rmSync(join(folder, 'node_modules/plain'), { recursive: true })
    expect(await startWithoutNpm(folder)).toMatchObject({ code: 1, ranNpm: true })
    const repaired = start(folder)
    expect([await repaired.ended, repaired.all()]).toEqual([0, expect.stringMatching(/started\n$/)])
    expect(readdirSync(join(folder, 'node_modules'))).toEqual(expect.arrayContaining(['plain', '.package-lock.json']))
  })

  it('beside others of a fresh clone waits for them and says so: one install, one build', {
    tags: 'long',
  }, async () => {
    const folder = clone()
    closeGate(folder)
    const first = start(folder)
    await eventually(() => expect(runsOf(folder, 'installs').length).toBe(1))
    const others = [start(folder), start(folder)]
    await eventually(() => {
      for (const other of others) expect(other.all()).toMatch(/^Waiting: process \d+ installs packages in .+clone/)
    })
    openGate(folder)
    for (const one of [first, ...others])
      expect([await one.ended, one.all()]).toEqual([0, expect.stringMatching(/started\n$/)])
    expect([runsOf(folder, 'installs').length, runsOf(folder, 'builds').length]).toEqual([1, 1])
  })

  it('after the one that installs was killed: npm goes on alone, and the next start waits for it', {
    tags: 'long',
  }, async () => {
    const folder = clone()
    closeGate(folder)
    const first = start(folder)
    await eventually(() => expect(runsOf(folder, 'installs').length).toBe(1))
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const second = start(folder)
    await eventually(() => expect(second.all()).toContain('Waiting: process'))
    openGate(folder)
    expect(await second.ended).toBe(0)
    await first.ended
    expect([runsOf(folder, 'installs').length, runsOf(folder, 'builds').length]).toEqual([1, 1])
  })

  it.each([...onlyLong('installs'), 'builds'] as const)(
    'after a SIGKILL of the process that %s does that anew, whole',
    { tags: 'long' },
    async (what) => {
      const folder = clone(what === 'builds' ? installed : template)
      closeGate(folder)
      const first = start(folder)
      await eventually(() => expect(runsOf(folder, what).length).toBe(1))
      // The waiting process reports npm's run. The fixture's build blocks its own process, which can report nothing.
      const waiting = start(folder)
      await eventually(() => expect(waiting.all()).toContain('Waiting: '))
      const [builder] = runsOf(folder, 'builds')
      const holder = builder ?? Number(/process (\d+)/.exec(waiting.all())?.[1])
      process.kill(holder, 'SIGKILL')
      await vi.waitFor(() => expect(first.child.exitCode).toBe(1), { timeout: 100_000 })
      await eventually(() => expect(runsOf(folder, what).length).toBe(2))
      openGate(folder)
      await first.ended
      expect([await waiting.ended, waiting.all()]).toEqual([0, expect.stringMatching(/started\n$/)])
      expect(readdirSync(join(folder, 'node_modules'))).toEqual(expect.arrayContaining(['plain', '.package-lock.json']))
      expect(await startWithoutNpm(folder)).toEqual({ code: 0, ranNpm: false, output: 'started\n' })
    },
  )
})

/** Changes what npm's own list says of a package; null takes it out. */
function edit(folder: string, name: string, facts: object | null): void {
  const path = join(folder, 'node_modules/.package-lock.json')
  const list = JSON.parse(readFileSync(path, 'utf8'))
  if (facts === null) delete list.packages[`node_modules/${name}`]
  else Object.assign(list.packages[`node_modules/${name}`], facts)
  writeFileSync(path, JSON.stringify(list))
}

describe('the lock', () => {
  it.runIf(process.platform !== 'win32')('is not taken in a folder that other users can write, which is named', () => {
    const tmp = temporaryFolder('studio-tmp-')
    const folder = join(tmp, `inference-studio-${process.getuid?.()}`)
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    const script = `await (await import(${JSON.stringify(join(root, 'resources/scripts/lock.mjs'))})).holdLock('/', 'x', () => {})`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TMPDIR: tmp },
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/Other users of this computer can write .*Set TMPDIR/)])
  })

  it.runIf(canBeOtherUser)('is taken by a user without an entry in /etc/passwd, as containers have', () => {
    const lock = readFileSync(join(root, 'resources/scripts/lock.mjs'), 'utf8')
    const tmp = temporaryFolder('studio-tmp-')
    chmodSync(tmp, 0o777)
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', `${lock.replace('export ', '')}\nawait holdLock('/', 'x', () => {})`],
      { env: { TMPDIR: tmp }, cwd: '/', uid: 54_321, gid: 54_321, encoding: 'utf8' },
    )
    expect([status, stderr]).toEqual([0, ''])
  })

  /** Holds the lock for a moment and writes a line at its start and at its end, which the test counts. */
  const holder = `
import { appendFileSync } from 'node:fs'
const [, , lock, root, log, stay] = process.argv
const { holdLock } = await import(lock)
await holdLock(root, 'tests', () => undefined)
appendFileSync(log, 'in\\n')
await new Promise((resolve) => setTimeout(resolve, Number(stay)))
if (Math.random() < 0.5) process.kill(process.pid, 'SIGKILL')
appendFileSync(log, 'out\\n')
`
  it('is held by one process at a time, of many that come together and are killed in the middle', {
    tags: 'long',
  }, async () => {
    const folder = clone()
    const log = join(folder, 'held.log')
    write(folder, { 'holder.mjs': holder, 'held.log': '' })
    const lock = join(root, 'resources/scripts/lock.mjs')
    const many = Array.from({ length: 8 }, () => {
      const child = spawn(process.execPath, [join(folder, 'holder.mjs'), lock, folder, log, '15'])
      children.add(child)
      return once(child, 'close').then(([code, signal]) => {
        children.delete(child)
        return signal ?? code
      })
    })
    expect((await Promise.all(many)).filter((end) => end !== 0 && end !== 'SIGKILL')).toEqual([])
    // A killed process writes no `out`. Between an `in` and its `out` there is no other `in`.
    const lines = readFileSync(log, 'utf8').trim().split('\n')
    expect(lines.filter((line) => line === 'in').length).toBe(8)
    for (const [at, line] of lines.entries()) if (line === 'out') expect(lines[at - 1]).toBe('in')
  })

  it.skipIf(process.platform === 'win32')(
    'of a dead process is taken over, whatever number its socket had',
    async () => {
      const folder = clone()
      const log = join(folder, 'held.log')
      write(folder, { 'holder.mjs': holder, 'held.log': '' })
      const lock = join(root, 'resources/scripts/lock.mjs')
      for (let turn = 0; turn < 3; turn += 1) {
        const child = spawn(process.execPath, [join(folder, 'holder.mjs'), lock, folder, log, '60000'])
        children.add(child)
        await eventually(() => expect(readFileSync(log, 'utf8').split('in').length - 1).toBe(turn + 1))
        child.kill('SIGKILL')
        await once(child, 'close')
        children.delete(child)
      }
    },
  )
})
