// @module-tag chromium
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { securityHeaders } from '../../../src-main/hosts/csp.ts'
import { type Desktop, launchDesktop } from '../../helpers/electron/launch.ts'
import { needs } from '../../helpers/programs.mjs'
import { newDataDir, openedOutside, tidy, watchOutside } from './fixtures.ts'

let desktop: Desktop
let outside: Server
let outsideUrl: string
const reached: string[] = []

beforeAll(async () => {
  outside = createServer((request, response) => {
    reached.push(request.url ?? '')
    response.setHeader('Access-Control-Allow-Origin', '*').end('outside')
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
  desktop = await launchDesktop(newDataDir(), { fullBrowser: true })
  await watchOutside(desktop)
})
afterAll(async () => {
  await tidy()
  outside.closeAllConnections()
  outside.close()
})

test("the window has its title, its minimum size and the page's background in both themes", async () => {
  const shown = () => desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
  await expect.poll(shown).toBe(true)
  const seen = await desktop.evaluate(({ BrowserWindow, nativeTheme }) => {
    const [window] = BrowserWindow.getAllWindows()
    const grounds = (['light', 'dark'] as const).map((theme) => {
      nativeTheme.themeSource = theme
      return window?.getBackgroundColor().toLowerCase()
    })
    nativeTheme.themeSource = 'system'
    return { title: window?.getTitle(), least: window?.getMinimumSize(), grounds }
  })
  const styles = readFileSync(new URL('../../../src-renderer/app/styles.css', import.meta.url), 'utf8')
  const [, light, dark] = /--bg: light-dark\((#\w+), (#\w+)\)/.exec(styles) ?? []
  expect(seen).toEqual({ title: 'Inference Studio', least: [720, 480], grounds: [light, dark] })
})

test('the page sees nothing of Node or Electron, and one frozen object of the preload', async () => {
  const seen = await desktop.page.evaluate(() => {
    const page = globalThis as unknown as Record<string, unknown>
    const names = ['require', 'process', 'module', 'exports', 'Buffer', 'global', 'electron', 'ipcRenderer']
    const own = Object.getOwnPropertyNames(page).filter((name) => /electron/i.test(name))
    const { inferenceStudio } = page
    return {
      found: [...names.filter((name) => name in page), ...own],
      inferenceStudio,
      frozen: Object.isFrozen(inferenceStudio),
    }
  })
  expect(seen).toEqual({ found: [], inferenceStudio: { host: 'desktop' }, frozen: true })
  const rewritten = await desktop.page.evaluate(() => {
    Reflect.set(globalThis, 'inferenceStudio', { host: 'web' })
    return Reflect.get(globalThis, 'inferenceStudio')
  })
  expect(rewritten).toEqual({ host: 'desktop' })
})

test('every response of the app scheme has the security headers, errors included', async () => {
  const expected = Object.entries(securityHeaders()).map(([name, value]) => [name.toLowerCase(), value])
  for (const path of ['/index.html', '/not-there']) {
    const headers = await desktop.page.evaluate(async (at) => Array.from((await fetch(at)).headers), path)
    expect(headers).toEqual(expect.arrayContaining(expected))
  }
})

test('the policy is enforced: no inline script, no eval, no other origins', async () => {
  const violations = await desktop.page.evaluate(async (address) => {
    const seen: string[] = []
    document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective))
    const script = document.createElement('script')
    script.textContent = 'globalThis.inlineRan = true'
    document.head.append(script)
    // Runs in a separate task: code that DevTools runs may use eval, code of the page may not.
    const evaluated = await new Promise((resolve) => {
      setTimeout(() => {
        try {
          // biome-ignore lint/security/noGlobalEval: this is what must fail
          resolve(`eval ran: ${globalThis.eval('1')}`) // oxlint-disable-line no-eval -- this is what must fail
        } catch (thrown) {
          resolve(thrown instanceof Error ? thrown.name : thrown)
        }
      })
    })
    const fetched = await fetch(address).then(
      () => 'reached',
      () => 'blocked',
    )
    const image = new Image()
    await new Promise((resolve) => {
      image.onload = image.onerror = resolve
      image.src = `${address}/picture`
    })
    return { evaluated, fetched, inlineRan: 'inlineRan' in globalThis, seen: [...new Set(seen)].sort() }
  }, outsideUrl)
  expect(violations).toEqual({
    evaluated: 'EvalError',
    fetched: 'blocked',
    inlineRan: false,
    seen: ['connect-src', 'img-src', 'script-src', 'script-src-elem'],
  })
  expect(reached).toEqual([])
})

test('no address leads out of the page folder, and nothing is changed through it', async () => {
  const status = (path: string, method = 'GET') =>
    desktop.page.evaluate(async (ask) => (await fetch(ask.path, { method: ask.method })).status, { path, method })
  expect(await status('/index.html')).toBe(200)
  for (const path of [
    '/..%2f..%2fpackage.json',
    '/%2e%2e%2fmain/electron.js',
    '/assets/..%5c..%5cmain',
    '/C:/x',
    '/%00',
    '/%',
    '/assets',
  ]) {
    expect(await status(path), path).toBe(404)
  }
  expect(await status('/index.html', 'POST')).toBe(405)
})

test(
  'the microphone and Copy are allowed; camera, location, notifications and reading the clipboard are denied',
  needs('full-browser'),
  async () => {
    const answers = await desktop.page.evaluate(async () => {
      const listen = (asked: MediaStreamConstraints) =>
        navigator.mediaDevices.getUserMedia(asked).then(
          (stream) =>
            stream
              .getTracks()
              .map((track) => track.kind)
              .join(),
          (thrown: Error) => thrown.name,
        )
      const place = new Promise((resolve) => {
        navigator.geolocation.getCurrentPosition(
          () => resolve('here'),
          (error) => resolve(error.code === error.PERMISSION_DENIED ? 'denied' : error.message),
        )
      })
      const outcome = (asked: Promise<unknown>) =>
        asked.then(
          () => 'done',
          (thrown: Error) => thrown.name,
        )
      return {
        microphone: await listen({ audio: true }),
        camera: await listen({ video: true }),
        both: await listen({ audio: true, video: true }),
        place: await place,
        notifications: await Notification.requestPermission(),
        copy: await outcome(navigator.clipboard.writeText('copied')),
        paste: await outcome(navigator.clipboard.readText()),
      }
    })
    expect(answers).toEqual({
      microphone: 'audio',
      camera: 'NotAllowedError',
      both: 'NotAllowedError',
      place: 'denied',
      notifications: 'denied',
      copy: 'done',
      paste: 'NotAllowedError',
    })
  },
)

/** Runs an action in the page and waits until the main process has reported the result. */
async function clickLink(address: string, target: string): Promise<void> {
  await desktop.page.evaluate(
    (link) => {
      const anchor = Object.assign(document.createElement('a'), {
        href: link.address,
        target: link.target,
        rel: 'noopener',
      })
      document.body.append(anchor)
      anchor.click()
      anchor.remove()
    },
    { address, target },
  )
}

test('an external link opens in the default browser, and the page stays', async () => {
  const before = desktop.page.url()
  await desktop.page.evaluate(() => Object.assign(globalThis, { stays: true }))
  await clickLink('https://a.example/here', '_self')
  await expect.poll(() => openedOutside(desktop)).toEqual(['https://a.example/here'])
  await desktop.page.evaluate(() => location.assign('http://b.example/'))
  await expect.poll(() => openedOutside(desktop)).toEqual(['http://b.example/'])
  expect(desktop.page.url()).toBe(before)
  expect(await desktop.page.evaluate(() => 'stays' in globalThis)).toBe(true)
})

test('new windows open in the default browser instead', async () => {
  await clickLink('https://c.example/', '_blank')
  await expect.poll(() => openedOutside(desktop)).toEqual(['https://c.example/'])
  await desktop.page.evaluate(() => void window.open('https://d.example/', 'name', 'width=300'))
  await expect.poll(() => openedOutside(desktop)).toEqual(['https://d.example/'])
  await expect.poll(() => desktop.page.context().pages().length).toBe(1)
  expect(await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
})

test('javascript:, file: and addresses with credentials are never opened', async () => {
  const bad = ['javascript:globalThis.ran=1', 'file:///etc/passwd', 'https://user:pass@a.example/', 'smb://a.example/x']
  for (const address of bad) {
    await clickLink(address, '_self')
    await clickLink(address, '_blank')
    await desktop.page.evaluate((url) => void window.open(url), address)
  }
  // Requests are answered in order. When the valid one has its answer, the invalid ones were answered too.
  await clickLink('https://last.example/', '_blank')
  const opened: string[] = []
  await expect
    .poll(async () => opened.push(...(await openedOutside(desktop))) && opened.at(-1))
    .toBe('https://last.example/')
  expect(opened).toEqual(['https://last.example/'])
  expect(await desktop.page.evaluate(() => 'ran' in globalThis)).toBe(false)
})

test('only the main frame of our own page gets a port', async () => {
  const answered = await desktop.evaluate(({ ipcMain }) => {
    const ask = (url: string, inFrame: boolean): boolean => {
      const given: string[] = []
      const frame = {
        url,
        parent: inFrame ? {} : null,
        postMessage: (channel: string) => void given.push(channel),
      }
      ipcMain.emit('inference-studio:want-port', { senderFrame: frame, sender: { mainFrame: frame } })
      return given.length > 0
    }
    ipcMain.emit('inference-studio:want-port', { senderFrame: null, sender: { mainFrame: null } })
    return {
      own: ask('app://studio/index.html', false),
      foreign: ask('https://evil.example/', false),
      lookalike: ask('app://studio.evil.example/', false),
      framed: ask('app://studio/index.html', true),
    }
  })
  expect(answered).toEqual({ own: true, foreign: false, lookalike: false, framed: false })
})

test('the page may reload itself', async () => {
  await desktop.page.evaluate(() => Object.assign(globalThis, { before: true }))
  await desktop.page.evaluate(() => location.reload())
  await desktop.page.waitForFunction(() => !('before' in globalThis))
  await desktop.page.getByRole('button', { name: /Try the sandbox/ }).waitFor()
  expect(await openedOutside(desktop)).toEqual([])
})

test('a main window can’t be navigated to the page of the quick prompt', async () => {
  const before = desktop.page.url()
  await desktop.page.evaluate(() => location.assign('/app/quick/index.html'))
  await clickLink('https://marker.example/', '_self')
  await expect.poll(() => openedOutside(desktop)).toContain('https://marker.example/')
  expect(desktop.page.url()).toBe(before)
})

test('not even a debugger can navigate the window elsewhere, because its network is blocked', async () => {
  await expect(desktop.page.goto(outsideUrl)).rejects.toThrow(/BLOCKED_BY_CLIENT/)
  expect(reached).toEqual([])
})

test('transfers and opened files refuse requests of other origins', async () => {
  const answers = await desktop.evaluate(async ({ net }) => {
    const id = '00000000-0000-4000-8000-000000000000'
    const status = async (path: string, method: string, origin: string | null): Promise<number> => {
      const headers = { 'content-type': 'application/octet-stream', ...(origin !== null && { origin }) }
      const body = method === 'PUT' ? 'x' : null
      return (await net.fetch(`app://studio${path}`, { method, headers, body })).status
    }
    // Electron removes the origin "null" of sandboxed frames. Their policy allows no connection, and they know no id.
    const origins = ['https://evil.example', 'app://studio.evil.example', 'http://studio']
    const foreign = [
      ...origins.map((origin) => status(`/transfers/${id}?at=0`, 'PUT', origin)),
      ...origins.map((origin) => status(`/transfers/${id}`, 'GET', origin)),
      ...origins.map((origin) => status(`/given/${id}`, 'GET', origin)),
    ]
    const own = ['app://studio', null, 'null'].map((origin) => status(`/given/${id}`, 'GET', origin))
    return { foreign: await Promise.all(foreign), own: await Promise.all(own) }
  })
  expect(new Set(answers.foreign)).toEqual(new Set([403]))
  expect(answers.own).toEqual([404, 404, 404])
})
