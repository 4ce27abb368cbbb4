import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromium, expect, type Page, test } from '@playwright/test'
import type { RefusalWithOrigin } from '../../src-main/core/gateway/proxy/recentRefusals.ts'
import { chromiumArgs, findBrowser } from '../helpers/browser.mjs'
import { goodKey, type OpenGate, openGate, relayTo } from '../helpers/gate.ts'
import { type FarEnd, openFarEnd } from '../helpers/gateway.ts'

// Attacks of a hostile web page on 127.0.0.1 in a real browser. None may reach the service behind the guard.

const attackArgs = [
  ...chromiumArgs,
  '--host-resolver-rules=MAP evil.example 127.0.0.1, MAP rebound.example 127.0.0.1',
  // The browser's own protection of local addresses is off, so that only the guard protects.
  '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights,BlockInsecurePrivateNetworkRequests',
]
const launchOptions = {
  args: attackArgs,
  ...(process.env.STUDIO_BROWSER ? { executablePath: process.env.STUDIO_BROWSER } : {}),
}
test.use({ launchOptions })

let far: FarEnd
let gate: OpenGate
let evil: Server
/** An ordinary host name, and one that browsers treat as secure, which workers need. */
let [evilUrl, trustedUrl] = ['', '']

const worker = (url: string) =>
  `fetch('${url}/v1/models', { mode: 'no-cors', method: 'POST', body: '{}' }).catch(() => undefined)`

test.beforeEach(async () => {
  far = await openFarEnd((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
  })
  gate = await openGate(relayTo(far.url))
  evil = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://evil.example')
    if (pathname === '/favicon.ico') response.writeHead(204).end()
    else if (pathname === '/away') response.writeHead(307, { location: `${gate.url}/v1/models` }).end()
    else if (pathname.endsWith('.js')) {
      const script =
        pathname === '/service-worker.js'
          ? `self.addEventListener('install', (event) => event.waitUntil(${worker(gate.url)}))`
          : worker(gate.url)
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    } else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Prizes</title><p>Hello')
  })
  await new Promise<void>((resolve) => {
    evil.listen(0, '127.0.0.1', resolve)
  })
  const { port } = evil.address() as AddressInfo
  evilUrl = `http://evil.example:${port}`
  trustedUrl = `http://localhost:${port}`
})
test.afterEach(async () => {
  evil.close()
  evil.closeAllConnections()
  await gate.close()
  await far.close()
})

/** Expects that the guard refused and counted the request, and that nothing reached the service. */
async function expectRefused(expected: Partial<RefusalWithOrigin>): Promise<void> {
  await expect.poll(() => gate.refused).toContainEqual(expect.objectContaining(expected))
  expect(gate.proxy.counts()).toMatchObject({ relayed: 0, active: 0, refused: gate.refused.length })
  expect(far.requests).toEqual([])
  expect(gate.failures).toEqual([])
}

interface Attack {
  name: string
  /** Runs in the page. Returns what the page could read, if anything. */
  act(page: Page, target: string): Promise<unknown>
  expected?: Partial<RefusalWithOrigin>
  /** Runs on a page that may start workers. */
  trusted?: boolean
  /** The request has no Origin header, so there is nothing to allow. */
  nameless?: boolean
}

/** Everything that the page could read of a response. Must be empty. */
const readable = `(response) => response.text().then((text) => 'read ' + response.status + text)`

/** Loads from `to`, the target, in the page: `code` makes an object with an event for success and one for failure. */
const loading =
  (code: string): Attack['act'] =>
  (page, target) =>
    page.evaluate(`new Promise((resolve) => {
      const to = '${target}'
      const loaded = ${code}
      loaded.onload = loaded.onopen = () => resolve('read')
      loaded.onerror = () => resolve('error')
    })`)

const attacks: Attack[] = [
  {
    name: 'a form that posts by itself',
    act: (page, target) =>
      page.evaluate((to) => {
        document.body.innerHTML = `<iframe name="hole"></iframe><form method="post" target="hole" enctype="text/plain" action="${to}"><input name='{"model":"m","x":"' value='"}'></form>`
        document.querySelector('form')?.submit()
      }, target),
    expected: { method: 'POST' },
  },
  {
    name: 'a form that takes the whole window along',
    act: (page, target) =>
      page.evaluate((to) => {
        document.body.innerHTML = `<form method="post" action="${to}"><input name="a" value="b"></form>`
        document.querySelector('form')?.submit()
      }, target),
    expected: { method: 'POST' },
  },
  {
    name: 'fetch with no-cors',
    act: (page, target) =>
      page.evaluate(
        (to) => fetch(to, { method: 'POST', mode: 'no-cors', body: '{"model":"m"}' }).then((response) => response.type),
        target,
      ),
    expected: { method: 'POST' },
  },
  {
    name: 'fetch with cors and a stolen key',
    act: (page, target) =>
      page.evaluate(
        ([to, key]) =>
          fetch(to ?? '', { headers: { authorization: `Bearer ${key}` } }).then(
            () => 'read',
            (error: Error) => error.name,
          ),
        [target, goodKey],
      ),
    expected: { method: 'OPTIONS' },
  },
  {
    name: 'fetch with cors and nothing that needs a preflight',
    act: (page, target) => page.evaluate(`fetch('${target}').then(${readable}, (error) => error.name)`),
    expected: { method: 'GET' },
  },
  {
    name: 'fetch that a server of its own redirects here',
    act: (page) => page.evaluate(`fetch('/away', { mode: 'no-cors' }).then((response) => response.type)`),
    expected: { method: 'GET' },
    // After such a redirect the browser no longer sends the origin.
    nameless: true,
  },
  {
    name: 'XMLHttpRequest',
    act: (page, target) =>
      page.evaluate(
        (to) =>
          new Promise((resolve) => {
            const request = new XMLHttpRequest()
            request.open('POST', to)
            request.onload = () => resolve('read')
            request.onerror = () => resolve('error')
            request.send('{}')
          }),
        target,
      ),
    expected: { method: 'POST' },
  },
  {
    name: 'EventSource',
    act: loading('new EventSource(to)'),
    expected: { method: 'GET' },
  },
  {
    name: 'WebSocket',
    act: loading("new WebSocket(to.replace('http', 'ws'))"),
    expected: { method: 'GET' },
  },
  {
    name: 'a picture',
    act: loading('Object.assign(new Image(), { src: to })'),
    expected: { method: 'GET' },
    nameless: true,
  },
  {
    name: 'a script',
    act: loading("document.head.appendChild(Object.assign(document.createElement('script'), { src: to }))"),
    expected: { method: 'GET' },
    nameless: true,
  },
  {
    name: 'a style sheet',
    act: (page, target) =>
      page.evaluate((to) => {
        const link = document.createElement('link')
        link.rel = 'stylesheet'
        link.href = to
        document.head.append(link)
      }, target),
    expected: { method: 'GET' },
    nameless: true,
  },
  {
    name: 'sendBeacon',
    act: (page, target) => page.evaluate((to) => navigator.sendBeacon(to, '{"model":"m"}'), target),
    expected: { method: 'POST' },
  },
  {
    name: 'a frame',
    act: (page, target) =>
      page.evaluate((to) => {
        document.body.innerHTML = `<iframe src="${to}"></iframe>`
      }, target),
    expected: { method: 'GET' },
    nameless: true,
  },
  {
    name: 'a link that leads here',
    act: (page, target) =>
      page.evaluate((to) => {
        document.body.innerHTML = `<a href="${to}">You have won</a>`
        document.querySelector('a')?.click()
      }, target),
    expected: { method: 'GET' },
    nameless: true,
  },
  {
    name: 'a sandboxed frame without an origin',
    act: (page, target) =>
      page.evaluate((to) => {
        const frame = document.createElement('iframe')
        frame.setAttribute('sandbox', 'allow-scripts')
        frame.srcdoc = `<script>fetch('${to}', { method: 'POST', mode: 'no-cors', body: '{}' })</script>`
        document.body.append(frame)
      }, target),
    expected: { method: 'POST', from: 'a web page without an address (a file or a sandboxed frame)', origin: null },
  },
  {
    name: 'a worker',
    act: (page) =>
      page.evaluate(() => {
        new Worker('/worker.js')
      }),
    expected: { method: 'POST' },
    trusted: true,
  },
  {
    name: 'a service worker',
    act: (page) => page.evaluate(() => navigator.serviceWorker.register('/service-worker.js').then(() => 'registered')),
    expected: { method: 'POST' },
    trusted: true,
  },
]

for (const { name, act, expected, trusted = false, nameless = false } of attacks) {
  test(`a web page gets nowhere with ${name}`, async ({ page }) => {
    const from = trusted ? trustedUrl : evilUrl
    await page.goto(from)
    const got = await act(page, `${gate.url}/v1/models`)
    expect(String(got)).not.toContain('read')
    await expectRefused({
      code: 'web_page',
      status: 403,
      path: '/v1/models',
      from: `a web page at ${from}`,
      origin: nameless ? null : from,
      ...expected,
    })
  })
}

for (const method of ['GET', 'POST']) {
  test(`a page under a rebound name gets nowhere with ${method}, although the browser takes it for our own`, async ({
    page,
  }) => {
    const reboundUrl = `http://rebound.example:${gate.port}`
    // The attacker's own response, before the host name points to this computer.
    await page.route(`${reboundUrl}/page`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Prizes</title>' }),
    )
    await page.goto(`${reboundUrl}/page`)
    const got = await page.evaluate(
      ([wanted, key]) =>
        fetch('/v1/models', {
          method: wanted ?? '',
          headers: { authorization: `Bearer ${key}` },
          ...(wanted === 'POST' ? { body: '{}' } : {}),
        }).then((response) => response.status),
      [method, goodKey],
    )
    expect(got).toBe(421)
    await expectRefused({
      code: 'wrong_host',
      status: 421,
      method,
      from: `a page under another name (rebound.example:${gate.port})`,
      origin: null,
    })
  })
}

test('an API URL typed into the address bar shows the message of a refusal and nothing else', async ({ page }) => {
  const response = await page.goto(`${gate.url}/v1/models`)
  expect(response?.status()).toBe(401)
  await expect(page.locator('body')).toContainText('An app key of Inference Studio is required')
  await expectRefused({ code: 'tool_key_missing', from: 'a program without a key' })
})

test('an allowed web origin reads replies with a key, and no longer once it is removed from the list', async ({
  page,
}) => {
  gate.origins.push(evilUrl)
  await page.goto(evilUrl)
  const asks = () =>
    page.evaluate(
      ([to, key]) =>
        fetch(to ?? '', { headers: { authorization: `Bearer ${key}` } }).then(
          (response) => response.text(),
          (error: Error) => error.name,
        ),
      [`${gate.url}/v1/models`, goodKey],
    )
  expect(await asks()).toBe('{"object":"list","data":[]}')
  expect(far.requests.map(({ method, url }) => [method, url])).toEqual([['GET', '/v1/models']])
  expect(gate.refused).toEqual([])
  gate.origins.length = 0
  expect(await asks()).toBe('TypeError')
  expect(far.requests).toHaveLength(1)
  expect(gate.refused).toContainEqual(expect.objectContaining({ code: 'web_page', origin: evilUrl }))
})

test(
  'a browser extension is refused, even with permission for 127.0.0.1 and a stolen key',
  { tag: '@long' },
  async ({ browserName: _ }, info) => {
    const folder = info.outputPath('extension')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'manifest.json'),
      JSON.stringify({
        manifest_version: 3,
        name: 'Prizes',
        version: '1.0',
        host_permissions: ['http://127.0.0.1/*'],
        background: { service_worker: 'background.js' },
      }),
    )
    writeFileSync(
      join(folder, 'background.js'),
      `fetch('${gate.url}/v1/models').catch(() => undefined)
     fetch('${gate.url}/v1/chat/completions', {
       method: 'POST',
       headers: { authorization: 'Bearer ${goodKey}', 'content-type': 'application/json' },
       body: '{}',
     }).catch(() => undefined)`,
    )
    // The headless shell does not support extensions.
    const executablePath = (await findBrowser()) ?? ''
    const context = await chromium.launchPersistentContext(info.outputPath('profile'), {
      ...launchOptions,
      executablePath,
      args: [...attackArgs, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
      // Playwright disables extensions by default.
      ignoreDefaultArgs: ['--disable-extensions'],
    })
    try {
      await expect.poll(() => gate.refused.length).toBe(2)
      const background = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
      const origin = new URL(background.url()).href.replace(/\/background\.js$/, '')
      expect(origin).toMatch(/^chrome-extension:\/\/[a-p]{32}$/)
      await expectRefused({ code: 'web_page', method: 'POST', from: `a browser extension at ${origin}`, origin })
      // Browsers send an extension's GET to a permitted host without an Origin. There only the key decides.
      await expectRefused({ code: 'tool_key_missing', method: 'GET', from: 'a program without a key' })
    } finally {
      await context.close()
    }
  },
)
