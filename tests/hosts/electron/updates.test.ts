// @module-tag chromium
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { root } from '../../../resources/scripts/ready.mjs'
import { checkSignature, readFeed } from '../../../src-main/hosts/electron/updates/updateFeed.ts'
import { Updates } from '../../../src-main/hosts/electron/updates/updates.ts'
import type { UpdateState } from '../../../src-preload/contract/app.ts'
import { expectAccessible } from '../../e2e/chatWorld.ts'
import { launchDesktop, real } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await tidy()
  for (const close of closing.splice(0)) await close()
})

const exported = (key: KeyObject): string => key.export({ format: 'der', type: 'spki' }).toString('base64')

function packageFile(updates: unknown): string {
  const file = join(newDataDir(), 'package.json')
  writeFileSync(file, JSON.stringify({ version: '1.0.0', updates }))
  return file
}

describe('the feed of a package', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = exported(publicKey)
  const feed = (url: string) => readFeed(packageFile({ url, publicKey: key }))

  test('is absent in a build from sources', () => {
    expect(readFeed(join(root, 'package.json'))).toBeNull()
  })

  test('has an https address, or one of this computer', () => {
    expect(feed('https://updates.example/studio')?.url.href).toBe('https://updates.example/studio/')
    expect(feed('http://127.0.0.1:8000/')?.url.href).toBe('http://127.0.0.1:8000/')
    for (const url of ['http://updates.example/', 'file:///tmp/', 'http://localhost.example/', 'x', '']) {
      expect(() => feed(url), url).toThrow('no https address')
    }
  })

  test('has an Ed25519 key', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
    for (const publicKey of ['', 'AAAA', exported(rsa)]) {
      expect(() => readFeed(packageFile({ url: 'https://a.example/', publicKey }))).toThrow('no Ed25519 key')
    }
  })

  test('is signed by its publisher, byte for byte', () => {
    const trusted = feed('https://a.example/')
    if (!trusted) throw new Error('no feed')
    const text = 'version: 2.0.0\n'
    const good = sign(null, Buffer.from(text), privateKey).toString('base64')
    expect(() => checkSignature(text, good, trusted)).not.toThrow()
    const other = sign(null, Buffer.from(text), generateKeyPairSync('ed25519').privateKey).toString('base64')
    for (const [body, signature] of [
      [`${text} `, good],
      [text, other],
      [text, good.slice(4)],
      [text, ''],
      [text, null],
    ] as const) {
      expect(() => checkSignature(body, signature, trusted)).toThrow('not signed by the publisher')
    }
  })
})

describe('updates', () => {
  const result = { isUpdateAvailable: false, updateInfo: { version: '1.0.0' } }
  const updater = (check: () => Promise<unknown>) => ({
    autoDownload: false,
    autoInstallOnAppQuit: false,
    checkForUpdates: vi.fn(check) as never,
  })
  function updates(check: () => Promise<unknown>, options: { canInstall?: boolean; everyMs?: number } = {}) {
    const loaded = updater(check)
    const load = vi.fn(async () => loaded)
    const made = new Updates({
      canInstall: true,
      log: () => undefined,
      firstAfterMs: 1,
      everyMs: 1e9,
      ...options,
      load,
    })
    return { made, load, loaded }
  }
  const until = (made: Updates, state: UpdateState['state']) =>
    vi.waitFor(() => expect(made.state().state).toBe(state), { timeout: 5000 })

  test('load nothing and check nothing while the setting is off', async () => {
    const { made, load } = updates(async () => result)
    made.follow(false)
    await expect(made.check()).rejects.toMatchObject({ kind: 'bad_input' })
    expect([made.state().state, load.mock.calls.length]).toEqual(['off', 0])
  })

  test('are checked after the start, and again after a day', async () => {
    let checks = 0
    const { made } = updates(async () => ({ ...result, checks: ++checks }), { everyMs: 1 })
    made.follow(true)
    await vi.waitFor(() => expect(checks).toBeGreaterThan(2))
    made.follow(false)
  })

  test('are only announced where the package manager installs', async () => {
    const newer = { isUpdateAvailable: true, updateInfo: { version: '2.0.0' }, downloadPromise: null }
    const { made, loaded } = updates(async () => newer, { canInstall: false })
    made.follow(false)
    made.follow(true)
    await until(made, 'available')
    expect(loaded).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: false })
  })

  test('switching them off cancels a download, and a finished one is not installed', async () => {
    const cancel = vi.fn()
    const download = Promise.withResolvers<void>()
    const newer = {
      isUpdateAvailable: true,
      updateInfo: { version: '2.0.0' },
      downloadPromise: download.promise,
      cancellationToken: { cancel },
    }
    const { made, loaded } = updates(async () => newer)
    made.follow(true)
    await until(made, 'downloading')
    made.follow(false)
    expect(cancel).toHaveBeenCalledOnce()
    download.resolve()
    await vi.waitFor(() => expect(loaded.autoInstallOnAppQuit).toBe(false))
    expect(made.state().state).toBe('off')
  })
})

const noted: { url: string; headers: IncomingHttpHeaders }[] = []

/** Serves `files` by name, and notes each request. */
async function serveFeed(files: Map<string, string>): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://127.0.0.1').pathname
    noted.push({ url: path, headers: request.headers })
    const body = files.get(path.slice(1))
    response.writeHead(body === undefined ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** An AppImage of version 1.0.0 with this feed, as the stand-in runs it. */
function installApp(url: string, publicKey: string) {
  const folder = newDataDir()
  const app = join(folder, 'app')
  mkdirSync(app)
  cpSync(join(root, 'out'), join(app, 'out'), { recursive: true, filter: (path) => !path.endsWith('.map') })
  symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'))
  for (const icons of ['icons', 'package/icons']) {
    cpSync(join(root, 'resources', icons), join(app, 'resources', icons), { recursive: true })
  }
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeFileSync(join(app, 'package.json'), JSON.stringify({ ...about, version: '1.0.0', updates: { url, publicKey } }))
  writeFileSync(join(folder, 'app-update.yml'), `provider: generic\nurl: ${url}\nupdaterCacheDirName: studio-updater\n`)
  const program = join(folder, 'Inference-Studio.AppImage')
  writeFileSync(program, 'version 1')
  const env = { APPIMAGE: program, XDG_CACHE_HOME: join(folder, 'cache'), XDG_CONFIG_HOME: join(folder, 'config') }
  return { folder, program, modes: { packaged: true, folder: app, resourcesPath: folder, env } as const }
}

test.skipIf(real || process.platform !== 'linux')(
  'nothing is asked before the person agrees; only a newer version of the publisher is installed, at the end',
  { tags: 'long' },
  async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const files = new Map<string, string>()
    const url = await serveFeed(files)
    const name = process.arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${process.arch}.yml`
    const publish = (version: string, body: string, key = privateKey, sent = body): void => {
      const sha512 = createHash('sha512').update(body).digest('base64')
      const file = `Inference-Studio-${version}.AppImage`
      const text = `version: ${version}\nfiles:\n  - url: ${file}\n    sha512: ${sha512}\n    size: ${body.length}\n`
      files.set(name, text)
      files.set(`${name}.sig`, sign(null, Buffer.from(text), key).toString('base64'))
      files.set(file, sent)
    }
    const { folder, program, modes } = installApp(url, exported(publicKey))
    noted.length = 0
    const desktop = await launchDesktop(newDataDir(), modes)
    const { page, quit } = desktop
    await page.evaluate(() => location.assign('#/settings/about'))
    const toggle = page.getByRole('switch', { name: windowText('settings:about.checkForUpdates') })
    await expect.poll(() => toggle.getAttribute('aria-checked')).toBe('false')
    const status = page.getByRole('region', { name: windowText('settings:about.updates') }).getByRole('status')
    expect(await status.count()).toBe(0)
    expect(noted).toEqual([])

    const check = async (): Promise<void> => {
      noted.length = 0
      await page.getByRole('button', { name: windowText('settings:about.checkNow') }).click()
    }
    // A feed of another publisher.
    publish('2.0.0', 'version 2', generateKeyPairSync('ed25519').privateKey)
    await toggle.click()
    await expect.poll(() => status.textContent()).toContain('not signed by the publisher')
    expect(noted.map((one) => one.url)).toEqual([`/${name}`, `/${name}.sig`])
    for (const { headers } of noted) expect(Object.keys(headers).toSorted()).not.toContain('x-user-staging-id')

    files.delete(`${name}.sig`)
    await check()
    await expect.poll(() => status.textContent()).toContain('signature is missing')

    // An older version of the right publisher, as an attacker could send it again.
    publish('0.9.0', 'version 0.9')
    await check()
    await expect.poll(() => status.textContent()).toBe(windowText('settings:about.states.current'))
    expect(noted.map((one) => one.url)).toEqual([`/${name}`, `/${name}.sig`])

    // An installer that differs from the signed hash.
    publish('2.0.0', 'version 2', privateKey, 'version X')
    await check()
    await expect.poll(() => status.textContent()).toContain('damaged')

    publish('2.0.0', 'version 2')
    await check()
    await expect.poll(() => status.textContent()).toContain('2.0.0 will be installed when you quit')
    await expectAccessible(page)
    expect(readFileSync(program, 'utf8')).toBe('version 1')
    expect(await quit()).toBe(0)
    const installed = readdirSync(folder).filter((one) => one.endsWith('.AppImage'))
    expect(installed.map((one) => readFileSync(join(folder, one), 'utf8'))).toEqual(['version 2'])
    expect(existsSync(join(folder, 'cache', 'studio-updater'))).toBe(true)
  },
  // Seven checks in one program, on a busy computer.
)
