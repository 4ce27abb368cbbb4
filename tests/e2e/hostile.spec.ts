import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { hostileReplies } from '../helpers/hostile.ts'
import { windowText } from '../helpers/windowText.ts'
import { closeHosts, newDataDir, openWebHost } from './hosts.ts'
import { connectTo, lastReply, replies, send } from './journey.ts'

// A service that sends what a prompt injection would make a model send, shown in the real page. The page may only show text.

// A trace of thousands of frames with 300 kB replies costs more than the test itself.
test.use({ trace: 'off' })

const corpus = hostileReplies()
/** Time within which the page must respond on a busy machine, ms. What this test looks for blocks it for tens of seconds. */
const answersWithin = 5_000

let service: Server
let serviceUrl = ''
/** Numbers of the requested cases, in order. */
let asked: number[] = []

/** Streams the reply whose number is the first word of the last message, split at arbitrary positions. */
function startService(): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ object: 'list', data: [{ id: 'hostile', object: 'model', created: 1, owned_by: 'x' }] }),
      )
      return
    }
    if (!request.url?.endsWith('/chat/completions')) {
      response.writeHead(404).end()
      return
    }
    let body = ''
    request.on('data', (bytes: Buffer) => {
      body += bytes
    })
    request.on('end', () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] }
      const number = Number.parseInt(messages.at(-1)?.content ?? '', 10)
      asked.push(number)
      const text = corpus[number]?.text ?? ''
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = (delta: object, finish: string | null): void => {
        const choices = [{ index: 0, delta, finish_reason: finish }]
        response.write(
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'hostile', choices })}\n\n`,
        )
      }
      const size = Math.max(7, Math.ceil(text.length / 60))
      for (let at = 0; at < text.length; at += size) chunk({ content: text.slice(at, at + size) }, null)
      chunk({}, 'stop')
      response.end('data: [DONE]\n\n')
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

test.beforeEach(async () => {
  asked = []
  service = await startService()
  serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`
})
test.afterEach(async () => {
  await closeHosts()
  service.close()
  service.closeAllConnections()
})

/** Records every action that a reply could cause. */
async function watchFor(page: Page, own: string): Promise<string[]> {
  const seen: string[] = []
  await page.context().route('**/*', (route) => {
    const { origin, protocol } = new URL(route.request().url())
    if (origin === own || protocol === 'blob:') return route.continue()
    seen.push(`request ${route.request().url()}`)
    return route.abort()
  })
  await page.exposeFunction('canary', (what: unknown) => seen.push(`script ${String(what)}`))
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('framenavigated', (frame) => {
    const { origin } = new URL(frame.url())
    if (frame === page.mainFrame() ? origin !== own : !frame.url().endsWith('/diagram/index.html'))
      seen.push(`navigation ${frame.url()}`)
  })
  page.context().on('page', (other) => seen.push(`window ${other.url()}`))
  page.on('download', (download) => seen.push(`download ${download.url()}`))
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host !== new URL(own).host) seen.push(`socket ${socket.url()}`)
  })
  page.on('worker', (worker) => {
    if (!worker.url().startsWith(`${own}/assets/`)) seen.push(`worker ${worker.url()}`)
  })
  page.context().on('serviceworker', (worker) => seen.push(`service worker ${worker.url()}`))
  page.on('pageerror', (error) => seen.push(`error ${error.message}`))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      console.error(`violation ${event.violatedDirective} ${event.blockedURI}`)
    })
  })
  page.on('console', (line) => {
    if (/violation|Refused to|Content Security Policy/.test(line.text())) seen.push(`console ${line.text()}`)
  })
  return seen
}

/** Active elements. None may ever appear in the messages. */
const actors =
  'script, iframe:not(.md-diagram-frame), object, embed, link, meta, base, form, style, img, audio, video, [href]:not(use), [srcdoc], [ping], [background]'

async function open(page: Page): Promise<string[]> {
  const host = await openWebHost(newDataDir())
  const seen = await watchFor(page, new URL(host.url).origin)
  await page.goto(host.url)
  await connectTo(page, serviceUrl, 'sk-hostile-0123456789abcdef')
  expect(seen, 'the page by itself').toEqual([])
  return seen
}

async function answers(page: Page): Promise<number> {
  const begun = Date.now()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))))
  return Date.now() - begun
}

/** Requests a case in its own chat and waits for the complete reply. */
async function drawn(page: Page, at: number): Promise<void> {
  await page.keyboard.press('ControlOrMeta+n')
  await expect(page.locator('article[data-message-id]')).toHaveCount(0)
  await send(page, `${at} says`)
  await expect(lastReply(page)).toHaveAttribute('data-status', 'complete', { timeout: 30_000 })
  await expect(replies(page)).toHaveCount(1)
  expect(asked.at(-1)).toBe(at)
  if (corpus[at]?.text.trim() !== '') await expect(lastReply(page).locator('[data-part="text"]')).toBeAttached()
}

test('the page monitor reports requests, scripts, frames, styles and windows', { tag: '@long' }, async ({ page }) => {
  const seen = await open(page)
  const trials: [string, () => unknown][] = [
    ['request', () => fetch('https://evil.example/a').catch(() => null)],
    ['img-src', () => document.body.append(Object.assign(new Image(), { src: 'https://evil.example/b.png' }))],
    [
      'script-src',
      () => document.body.append(Object.assign(document.createElement('script'), { textContent: 'canary(1)' })),
    ],
    ['style-src', () => document.body.append(Object.assign(document.createElement('style'), { textContent: 'a{}' }))],
    [
      'frame-src',
      () => document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://evil.example/c' })),
    ],
    ['script 7', () => Reflect.get(globalThis, 'canary')(7)],
    ['dialog', () => alert('mine')],
    ['window', () => window.open('about:blank')],
    [
      'error',
      () =>
        setTimeout(() => {
          throw new Error('mine')
        }),
    ],
    [
      'navigation',
      () => {
        location.href = 'about:blank'
      },
    ],
  ]
  for (const [what, act] of trials) {
    seen.length = 0
    await page.evaluate(act).catch(() => null)
    await expect.poll(() => seen.join(' '), what).toContain(what === 'request' ? 'connect-src' : what)
  }
})

test('every hostile reply is shown as text: no request, no script, no navigation, and the page responds', {
  tag: '@long',
}, async ({ page }) => {
  test.setTimeout(900_000)
  expect(corpus.length).toBeGreaterThan(200)
  const seen = await open(page)
  // tests/renderer/markdown renders each case too. A browser needs about a second for one.
  const played = [...corpus.entries()].filter(([at]) => process.env.HOSTILE === 'all' || at % 6 === 0)
  for (const [at, { name }] of played) {
    await test.step(`${at} ${name}`, async () => {
      await drawn(page, at)
      expect.soft(await answers(page), `${name}: the page answers`).toBeLessThan(answersWithin)
      expect(seen, name).toEqual([])
      expect(await page.locator('.chat-talk').locator(actors).count(), name).toBe(0)
    })
  }
  expect(asked).toEqual(played.map(([at]) => at))
  // By now also late actions have been reported, from timers or from frames that became visible.
  await answers(page)
  expect(seen).toEqual([])
})

test('a link’s full decoded URL is shown before it opens; an image is a placeholder with its URL', async ({ page }) => {
  const seen = await open(page)
  const at = (name: string): number => corpus.findIndex((one) => one.name === `addresses: ${name}`)
  const dialog = page.getByRole('alertdialog')

  await drawn(page, at('homograph in punycode'))
  await lastReply(page).getByRole('link', { name: 'apple' }).click()
  await expect(dialog).toContainText('xn--80ak6aa92e.com')
  await expect(dialog).toContainText('аррӏе.com')
  await page.keyboard.press('Escape')

  await drawn(page, at('user before the host'))
  await lastReply(page).getByRole('link', { name: 'bank', exact: true }).click()
  await expect(dialog).toContainText('evil.example')
  await expect(dialog).toContainText('bank.example')
  await page.keyboard.press('Escape')

  await drawn(page, at('remote image'))
  await expect(lastReply(page)).toContainText('https://evil.example/pixel.png')
  await lastReply(page).getByRole('button', { name: /pixel/ }).first().click()
  await expect(dialog).toContainText('https://evil.example/pixel.png')
  await page.keyboard.press('Escape')

  await drawn(page, at('javascript link'))
  await expect(lastReply(page).getByRole('link')).toHaveCount(0)
  expect(seen).toEqual([])
})

test('a diagram is drawn on click in an isolated frame; a hostile one stays an inert image', { tag: '@long' }, async ({
  page,
}) => {
  test.setTimeout(240_000)
  const fetched: string[] = []
  page.on('request', (request) => fetched.push(request.url()))
  const seen = await open(page)
  const cases = corpus.flatMap(({ name }, at) => (name.startsWith('extras: mermaid') ? [{ name, at }] : []))
  expect(cases.length).toBeGreaterThan(5)
  for (const { name, at } of cases) {
    await drawn(page, at)
    if (at === cases[0]?.at) expect(fetched.filter((url) => url.includes('/diagram/'))).toEqual([])
    await lastReply(page)
      .getByRole('button', { name: windowText('markdown:draw') })
      .click()
    const figure = lastReply(page).getByRole('figure', { name: windowText('markdown:diagram') })
    await expect(figure.locator('.md-diagram[aria-busy="false"], .md-diagram-failed'), name).toBeVisible({
      timeout: 30_000,
    })
    const frame = figure.locator('iframe')
    if ((await frame.count()) > 0) {
      await expect(frame).toHaveAttribute('sandbox', 'allow-scripts')
      const inside = figure.frameLocator('iframe')
      expect(
        await inside.locator('a[href], a[*|href], image, script:not([src]), foreignObject, iframe').count(),
        name,
      ).toBe(0)
      const reach = await page
        .frames()
        .at(-1)
        ?.evaluate(async () => {
          const tried = (act: () => unknown): string => {
            try {
              act()
              return 'reached'
            } catch {
              return 'walled'
            }
          }
          const network = await fetch('https://tried-by-the-test.example').then(
            () => 'reached',
            () => 'walled',
          )
          return [
            origin,
            tried(() => parent.document),
            tried(() => localStorage.length),
            tried(() => document.cookie),
            network,
          ]
        })
      expect(reach, name).toEqual(['null', 'walled', 'walled', 'walled', 'walled'])
    }
    await figure.getByRole('button', { name: windowText('markdown:showCode'), exact: true }).click()
    await expect(lastReply(page).getByRole('button', { name: windowText('markdown:draw') })).toBeVisible()
    // The browser reports this test's own attempts in the frame at any later time. They are not the reply's.
    expect(
      seen.filter((line) => !line.includes('https://tried-by-the-test.example')),
      name,
    ).toEqual([])
  }
})
