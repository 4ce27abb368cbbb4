import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Locator, type Page } from '@playwright/test'
import { node24, root } from '../../resources/scripts/ready.mjs'
import { emptySetup } from '../../src-preload/contract/chat.ts'
import { chromiumArgs, findBrowser } from '../helpers/browser.mjs'
import { openPage } from '../hosts/node/fixtures/page.ts'

// How long a key takes from its event to the paint of what it wrote, in a draft of 20 kB, also while a reply streams at 200 tokens a
// second; and how fast a file of 100 MB goes up over the web host's socket. After a build: node tests/bench/composer.ts

const keys = 200
const fileBytes = 100_000_000
const dataDir = mkdtempSync(join(tmpdir(), 'studio-composer-'))
const file = join(dataDir, 'large.json')
const serve = ['serve', '--json', '--sandbox', '--web-port', '0', '--proxy-port', '0', '--data-dir', dataDir]
const host = spawn(node24(), [join(root, 'out/main/node.js'), ...serve], { stdio: ['ignore', 'pipe', 'inherit'] })
const executablePath = await findBrowser()
const browser = await chromium.launch({ ...(executablePath !== null && { executablePath }), args: chromiumArgs })

try {
  const [line] = await once(createInterface({ input: host.stdout }), 'line')
  const { url } = (JSON.parse(String(line)) as { web: { url: string } }).web
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  await page.addInitScript(timeLargeMessages)
  await page.goto(url)
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.waitFor()
  console.log(`100 MB up over the socket: ${await uploadRate(page)}`)
  console.log(`key to paint, nothing streams: ${shown(await typing(page, field))}`)
  const core = openPage(() => url)
  const { conversationId } = await core.client.chat.send({
    requestId: crypto.randomUUID(),
    conversationId: null,
    text: 'Write at length.',
    models: ['writer-large'],
    setup: { ...emptySetup, params: { extra: { sandbox: { tokens: 20_000, tokens_per_second: 200 } } } },
  })
  await page.goto(`${new URL(url).origin}/#/chat/${conversationId}`)
  await page.locator('article[data-role="assistant"] [data-part="text"]').first().waitFor()
  const streaming = await typing(page, field)
  const still = await page.getByRole('button', { name: 'Stop', exact: true }).count()
  console.log(`key to paint, a reply streams: ${shown(streaming)}${still === 0 ? ' (it had ended)' : ''}`)
  core.close()
} finally {
  await browser.close()
  host.kill('SIGTERM')
  await once(host, 'exit')
  rmSync(dataDir, { recursive: true, force: true })
}

/** From the event's own time stamp until the task after the frame that it was drawn in, in ms. */
async function typing(page: Page, field: Locator): Promise<number[]> {
  await field.fill('All that is written here stays as it is. '.repeat(500))
  await field.press('End')
  await page.evaluate(() => {
    const delays: number[] = []
    Object.assign(globalThis, { delays })
    document.querySelector('.chat-composer textarea')?.addEventListener('input', ({ timeStamp }) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => delays.push(performance.now() - timeStamp)
        port2.postMessage(null)
      })
    })
  })
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press('a')
    await page.waitForTimeout(15 + (key % 7) * 3)
  }
  return page.evaluate(() => (globalThis as unknown as { delays: number[] }).delays)
}

/** Notes when the page's socket was given each message of more than 100 kB. */
function timeLargeMessages(): void {
  const times: number[] = []
  Object.assign(globalThis, { times })
  const { send } = WebSocket.prototype
  WebSocket.prototype.send = function (data) {
    const size = typeof data === 'string' ? data.length : data instanceof ArrayBuffer ? data.byteLength : 0
    const view = ArrayBuffer.isView(data) ? data.byteLength : 0
    if (Math.max(size, view) > 100_000) times.push(performance.now())
    send.call(this, data)
  }
}

/** By the page's own way: the import of a file, whose content is then refused. */
async function uploadRate(page: Page): Promise<string> {
  writeFileSync(file, Buffer.alloc(fileBytes, 32))
  await page.getByRole('button', { name: /^More/ }).first().click()
  await page.getByRole('menuitem', { name: /Import/ }).click()
  await page.locator('dialog input[type="file"]').setInputFiles(file)
  const times = await page.waitForFunction(
    (parts) => {
      const { times } = globalThis as unknown as { times: number[] }
      return times.length >= parts && times
    },
    Math.floor(fileBytes / 524_288),
    { timeout: 120_000 },
  )
  const all = await times.jsonValue()
  const seconds = ((Array.isArray(all) ? (all.at(-1) ?? 0) - (all[0] ?? 0) : 0) as number) / 1000
  await page.reload()
  return `${seconds.toFixed(1)} s, ${(fileBytes / 1e6 / seconds).toFixed(0)} MB/s`
}

function shown(delays: readonly number[]): string {
  const sorted = delays.toSorted((a, b) => a - b)
  const at = (share: number): string => {
    const delay = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return `${delay.toFixed(1)} ms`
  }
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)} (${sorted.length} keys)`
}
