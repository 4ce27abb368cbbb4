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

// Time from a key's event to its paint, in a draft of 20 kB, also while a reply streams at 200 tokens a second; and the upload rate of a
// file of 100 MB over the web host's socket. After a build: node tests/bench/composer.ts [keys] [MB]

const keys = Number(process.argv[2] ?? 200)
const fileBytes = Number(process.argv[3] ?? 100) * 1_000_000
const dataDir = mkdtempSync(join(tmpdir(), 'studio-composer-'))
const file = join(dataDir, 'large.json')
const serve = ['serve', '--json', '--sandbox', '--web-port', '0', '--api-port', '0', '--data-dir', dataDir]
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
  if (fileBytes > 0) console.log(`${fileBytes / 1e6} MB up over the socket: ${await uploadRate(page)}`)
  const cpu = await cpuOf(page)
  console.log(`key to paint, nothing streams: ${shown(await typing(page, field))}`)
  const quiet = await cpu(() => strokes(page))
  console.log(`the page's thread for a key: ${((quiet.task * 1000) / keys).toFixed(1)} ms of CPU ${parts(quiet)}`)
  const bare = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  await bare.setContent('<div class="chat-composer"><textarea style="width: 740px; height: 260px"></textarea></div>')
  const cpuOfBare = await cpuOf(bare)
  await typing(bare, bare.getByRole('textbox'))
  const least = await cpuOfBare(() => strokes(bare))
  console.log(`a bare textarea, the same text: ${((least.task * 1000) / keys).toFixed(1)} ms of CPU ${parts(least)}`)
  await bare.close()
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
  const alone = await cpu(() => page.waitForTimeout(4000))
  const typed = await cpu(() => strokes(page))
  const share = (alone.task / alone.wall) * typed.wall
  console.log(
    `the same beside a stream: ${(((typed.task - share) * 1000) / keys).toFixed(1)} ms more than the stream's own`,
  )
  core.close()
} finally {
  await browser.close()
  host.kill('SIGTERM')
  await once(host, 'exit')
  rmSync(dataDir, { recursive: true, force: true })
}

/** From the event's own time stamp until the task after the frame that shows it, in ms. */
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
  await strokes(page)
  return page.evaluate(() => (globalThis as unknown as { delays: number[] }).delays)
}

async function strokes(page: Page): Promise<void> {
  for (let key = 0; key < keys; key++) {
    await page.keyboard.press('a')
    await page.waitForTimeout(15 + (key % 7) * 3)
  }
}

interface Spent {
  /** Seconds of this thread's own CPU time, which other programs on the machine don't change. `wall` is clock time. */
  task: number
  script: number
  layout: number
  style: number
  wall: number
}

async function cpuOf(page: Page): Promise<(work: () => Promise<unknown>) => Promise<Spent>> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async (): Promise<Spent> => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0
    const [task, script] = [of('TaskDuration'), of('ScriptDuration')]
    return { task, script, layout: of('LayoutDuration'), style: of('RecalcStyleDuration'), wall: Date.now() / 1000 }
  }
  return async (work) => {
    const before = await read()
    await work()
    const after = await read()
    return {
      task: after.task - before.task,
      script: after.script - before.script,
      layout: after.layout - before.layout,
      style: after.style - before.style,
      wall: after.wall - before.wall,
    }
  }
}

function parts({ script, layout, style }: Spent): string {
  const each = (seconds: number): string => ((seconds * 1000) / keys).toFixed(1)
  return `(script ${each(script)}, layout ${each(layout)}, style ${each(style)})`
}

/** Records the time at which the page gives its socket a message of more than 100 kB. */
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

/** Uploads a file through the page's import. The file is no archive, so nothing is imported after the upload. */
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
