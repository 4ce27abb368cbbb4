import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hasScreen, openerOf, openInBrowser } from '../../../src-main/hosts/node/browser.ts'
import { defaultDataDir } from '../../../src-main/hosts/node/folder.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { cliEntry, commandLine } from './fixtures/process.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder('studio-opener-')
  vi.stubEnv('DISPLAY', ':99')
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** An opener that records its arguments, each followed by a NUL, then runs `then`. */
function putOpener(then = ''): () => string[] {
  const heard = join(folder, 'heard')
  const script = join(folder, 'xdg-open')
  writeFileSync(
    script,
    `#!/bin/sh\nfor each in "$@"; do printf '%s\\0' "$each"; done > ${heard}\nenv > ${heard}.env\n${then}\n`,
  )
  chmodSync(script, 0o755)
  return () => readFileSync(heard, 'utf8').split('\0').slice(0, -1)
}

describe.runIf(process.platform === 'linux')('a browser', () => {
  it.each([
    ['http://127.0.0.1:8786/#token=a-b_c', 'http://127.0.0.1:8786/#token=a-b_c'],
    ['https://example.org/a b?c=d&e=$(touch pwned)', 'https://example.org/a%20b?c=d&e=$(touch%20pwned)'],
    ['https://example.org/`id`;"quoted"\n|x', 'https://example.org/%60id%60;%22quoted%22|x'],
    ['mailto:someone@example.org?subject=a;b', 'mailto:someone@example.org?subject=a;b'],
  ])('a browser gets %j as one argument, without a shell', async (address, argument) => {
    const heard = putOpener()
    await openInBrowser(address)
    expect(heard()).toEqual([argument])
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  })

  it('a browser that stays in the foreground is not waited for', async () => {
    const heard = putOpener(`echo $$ > ${join(folder, 'pid')}; exec sleep 60`)
    await openInBrowser('https://example.org/')
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')))
    expect(heard()).toEqual(['https://example.org/'])
  })

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'data:text/html,x', '-flag', 'no address', ''])(
    'never gets %j',
    async (address) => {
      putOpener()
      await expect(openInBrowser(address)).rejects.toMatchObject({ kind: 'bad_input' })
      expect(existsSync(join(folder, 'heard'))).toBe(false)
    },
  )

  it('a missing browser is reported: no opener, an opener that found none, no display', async () => {
    vi.stubEnv('PATH', folder)
    await expect(openInBrowser('https://example.org')).rejects.toMatchObject({
      kind: 'not_found',
      message: 'The browser could not be opened. The command “xdg-open” was not found on this computer.',
    })
    vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`)
    putOpener('exit 3')
    await expect(openInBrowser('https://example.org')).rejects.toMatchObject({ kind: 'not_found' })
    putOpener()
    vi.stubEnv('DISPLAY', '')
    vi.stubEnv('WAYLAND_DISPLAY', '')
    await expect(openInBrowser('https://example.org')).rejects.toMatchObject({ kind: 'not_found' })
  })

  it('serve --open opens an address with a code that works once, in a browser that inherits no API key', async () => {
    const heard = putOpener()
    const { start } = commandLine(cliEntry, { HOME: folder, DISPLAY: ':99', PATH: `${folder}:/usr/bin:/bin` })
    const base = ['--base-url', 'http://127.0.0.1:1', '--api-key-env', 'MY_KEY', '--data-dir', join(folder, 'data')]
    const host = start(['serve', '--open', '--json', '--web-port', '0', ...base], {
      MY_KEY: 'sk-canary-5f1e',
      INFERENCE_STUDIO_API_KEY: 'sk-canary-6a2b',
      XDG_ACTIVATION_TOKEN: 'front',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=sk-canary-7c3d',
    })
    const { web } = JSON.parse(await host.line())
    await expect.poll(() => existsSync(join(folder, 'heard.env'))).toBe(true)
    const { origin, hash } = new URL(web.url)
    const [opened = ''] = heard()
    expect(opened).toMatch(new RegExp(`^${origin}/#code=[\\w-]{43}$`))
    const exchange = async (body: object): Promise<number> =>
      (
        await fetch(`${origin}/session`, {
          method: 'POST',
          headers: { origin, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).status
    const code = opened.split('#code=')[1]
    expect([await exchange({ code }), await exchange({ code })]).toEqual([204, 403])
    expect(await exchange({ token: hash.slice('#token='.length) })).toBe(204)
    host.child.kill('SIGTERM')
    expect((await host.ended).code).toBe(0)
    const inherited = readFileSync(join(folder, 'heard.env'), 'utf8')
    expect(inherited).toContain('DISPLAY=:99')
    expect(inherited).toContain('XDG_ACTIVATION_TOKEN=front')
    expect(inherited).not.toContain('sk-canary')
  })
})

describe('platforms', () => {
  it('each platform has an opener that is not a shell', () => {
    expect(openerOf('darwin')).toEqual(['open'])
    expect(openerOf('linux')).toEqual(['xdg-open'])
    expect(openerOf('win32')).toEqual(['rundll32.exe', 'url.dll,FileProtocolHandler'])
  })

  it('macOS and Windows always have a display, Linux when a variable names one', () => {
    expect([hasScreen({}, 'darwin'), hasScreen({}, 'win32'), hasScreen({}, 'linux')]).toEqual([true, true, false])
    expect([hasScreen({ DISPLAY: ':0' }, 'linux'), hasScreen({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')]).toEqual([
      true,
      true,
    ])
  })

  it('each platform has a default data folder, and the environment variable overrides it', () => {
    const home = homedir()
    expect(defaultDataDir({}, 'linux')).toBe(join(home, '.local/share/inference-studio'))
    expect(defaultDataDir({ XDG_DATA_HOME: '/x' }, 'linux')).toBe('/x/inference-studio')
    expect(defaultDataDir({ XDG_DATA_HOME: 'relative' }, 'linux')).toBe(join(home, '.local/share/inference-studio'))
    expect(defaultDataDir({}, 'darwin')).toBe(join(home, 'Library/Application Support/Inference Studio'))
    expect(defaultDataDir({ APPDATA: '/roaming' }, 'win32')).toBe('/roaming/Inference Studio')
    expect(defaultDataDir({}, 'win32')).toBe(join(home, 'AppData/Roaming/Inference Studio'))
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(defaultDataDir({ INFERENCE_STUDIO_DATA_DIR: 'here', XDG_DATA_HOME: '/x' }, platform)).toBe(resolve('here'))
    }
  })
})
