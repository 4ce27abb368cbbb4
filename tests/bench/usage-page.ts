import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { chromiumArgs, findBrowser } from '../helpers/browser.mjs'
import { cli, probed, startJson } from './processes.mjs'
import { marks, type Traced, traced } from './render-trace.ts'
import { days, fillAccount, fillRequestLog } from './usage-data.ts'

// Ten years of days of twelve models on the usage page of the built program, in a real Chromium, beside plain bars on a bare canvas: node
// tests/bench/usage-page.ts [requests in the log] [rounds]. Prints one JSON document.
const rows = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 9)
const dataDir = mkdtempSync(join(tmpdir(), 'studio-usage-page-'))

/** Runs in the page before its own code: records the last large answer, the last painted drawing, and long tasks. */
function watchDrawing(): void {
  const seen = { data: 0, bytes: 0, drawn: 0, painted: 0, tasks: [] as number[] }
  Object.assign(globalThis, { seen })
  const Bare = WebSocket
  globalThis.WebSocket = new Proxy(Bare, {
    construct(target, given) {
      const socket = Reflect.construct(target, given) as WebSocket
      socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        const bytes = typeof data === 'string' ? data.length : data instanceof ArrayBuffer ? data.byteLength : 0
        seen.bytes += bytes
        if (bytes > 20_000 && seen.data === 0) seen.data = performance.now()
      })
      return socket
    },
  })
  const { fill, fillRect, clearRect } = CanvasRenderingContext2D.prototype
  const drew = (): void => {
    seen.drawn = performance.now()
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        seen.painted = performance.now()
      }
      port2.postMessage(0)
    })
  }
  let drawnAt = 0
  const drewAt = (): void => {
    // A drawing has thousands of calls, so the frame is checked only once.
    const now = performance.now()
    if (now - drawnAt > 2) drew()
    drawnAt = now
  }
  CanvasRenderingContext2D.prototype.fill = function (this: CanvasRenderingContext2D, ...given: [never]) {
    drewAt()
    fill.apply(this, given)
  }
  CanvasRenderingContext2D.prototype.fillRect = function (this: CanvasRenderingContext2D, ...given) {
    drewAt()
    fillRect.apply(this, given)
  }
  CanvasRenderingContext2D.prototype.clearRect = function (this: CanvasRenderingContext2D, ...given) {
    drewAt()
    clearRect.apply(this, given)
  }
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.tasks.push(duration)
  }).observe({ type: 'longtask' })
}

declare const seen: { data: number; bytes: number; drawn: number; painted: number; tasks: number[] }

interface Drawn {
  /** From the person's action, and from the answer's first bytes if one was needed, to the painted frame. */
  allMs: number
  dataMs: number | null
  longestTaskMs: number
  bytes: number
}

/** Acts in the page and waits until nothing was drawn for a while. */
async function drawing(page: Page, act: Act): Promise<Drawn> {
  return page.evaluate(
    async ({ act, from, to }) => {
      const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
      const start = () => {
        Object.assign(seen, { data: 0, bytes: 0, drawn: 0, painted: 0 })
        seen.tasks.length = 0
      }
      start()
      performance.mark(from)
      const begun = performance.now()
      if ('choose' in act) {
        const field = document.querySelector<HTMLSelectElement>(`select[aria-label="${act.choose}"]`)
        const way = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set
        if (!field || !way) throw new Error(`No field is called ${act.choose}.`)
        way.call(field, act.value)
        field.dispatchEvent(new Event('change', { bubbles: true }))
      } else if ('radio' in act) {
        const all = [...document.querySelectorAll<HTMLElement>('[role=radio]')]
        const one = all.find(({ textContent }) => textContent === act.radio)
        if (!one) throw new Error(`No choice is called ${act.radio}.`)
        one.click()
      } else location.hash = act.hash
      const given = begun + 10_000
      while (performance.now() < given) {
        await pause(50)
        if (seen.painted > begun && performance.now() - seen.drawn > 400) break
      }
      performance.mark(to)
      if (seen.painted < begun) throw new Error(`Nothing was drawn after ${JSON.stringify(act)}.`)
      const data = seen.data > begun ? seen.painted - seen.data : null
      return { allMs: seen.painted - begun, dataMs: data, bytes: seen.bytes, longestTaskMs: Math.max(0, ...seen.tasks) }
    },
    { act, ...marks },
  )
}

type Act = { choose: string; value: string } | { radio: string } | { hash: string }

/** The same figures as bars on a bare canvas of the same size: a browser's minimum. */
async function bare(page: Page, count: number): Promise<number> {
  return page.evaluate(
    async ({ count, many, from, to }) => {
      const canvas = document.createElement('canvas')
      canvas.width = 900
      canvas.height = 272
      canvas.style.cssText = 'position:fixed;inset:0 auto auto 0;z-index:99'
      document.body.append(canvas)
      const values = Array.from({ length: many }, (_, of) =>
        Float64Array.from({ length: count }, (_, at) => ((at * 7919 + of * 31) % 1000) / 1000),
      )
      await new Promise((resolve) => setTimeout(resolve, 200))
      performance.mark(from)
      const begun = performance.now()
      const context = canvas.getContext('2d')
      const tops = new Float64Array(count)
      values.forEach((column, of) => {
        if (!context) return
        context.fillStyle = `hsl(${of * 30} 60% 50%)`
        context.beginPath()
        for (let at = 0; at < count; at += 1) {
          const height = (column[at] ?? 0) * 20
          context.rect((at * 900) / count, 272 - (tops[at] ?? 0) - height, 900 / count, height)
          tops[at] = (tops[at] ?? 0) + height
        }
        context.fill()
      })
      await new Promise<void>((resolve) => {
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => resolve()
          port2.postMessage(0)
        })
      })
      const took = performance.now() - begun
      performance.mark(to)
      canvas.remove()
      return took
    },
    { count, many: 12, ...marks },
  )
}

const middle = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0
const rounded = (ms: number): number => Math.round(ms * 10) / 10

/** Chooses `value` in a list, and `former` again. */
const choice = (choose: string, value: string, former: string): [act: Act, back: Act] => [
  { choose, value },
  { choose, value: former },
]

/** After each measured action, another action reverts it without being measured. */
const acts: Record<string, [act: Act, back: Act]> = {
  'ten years of days by model': choice('Interval', 'day', 'month'),
  'the same, tokens for spend': choice('Metric', 'tokens', 'spend'),
  'ten years by key': [{ radio: 'Key' }, { radio: 'Model' }],
  'ten years by app': [{ radio: 'App' }, { radio: 'Model' }],
  'a year for all time': choice('Range', 'year', 'all'),
  'all time for a year': choice('Range', 'all', 'year'),
  'from another section': [{ hash: '#/usage' }, { hash: '#/usage/limits' }],
}

fillRequestLog(dataDir, rows)
fillAccount(dataDir).store.close()
const program = await startJson(
  cli,
  ['serve', '--json', '--web-port', '0', '--api-port', '0', '--data-dir', dataDir],
  probed,
)
const { url } = program.ready.web
const browser = await chromium.launch({ executablePath: (await findBrowser()) ?? '', args: chromiumArgs })
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 820 } })
  page.on('pageerror', (error) => console.error(error))
  await page.addInitScript(watchDrawing)
  await page.addInitScript(
    (choice) => localStorage.setItem('usage.choice', choice),
    JSON.stringify({
      range: 'all',
      from: '',
      to: '',
      grain: 'month',
      by: 'model',
      source: 'service',
      measure: 'spend',
      before: false,
      table: false,
    }),
  )
  await page.goto(url)
  await page.goto(`${url.split('#')[0]}#/usage`)
  await page.locator('.chart[data-state=drawn]').waitFor({ timeout: 30_000 })
  await page.waitForTimeout(1_000)
  await program.held()
  const figures: Record<string, Drawn & { held: number; heldCpu: number; trace: Traced }> = {}
  let first: Drawn | null = null
  for (const [name, [act, back]] of Object.entries(acts)) {
    if (name === 'the same, tokens for spend') await drawing(page, { choose: 'Interval', value: 'day' })
    if (name === 'all time for a year') await drawing(page, { choose: 'Range', value: 'year' })
    if (name === 'from another section') {
      await drawing(page, { choose: 'Range', value: 'all' })
      await page.evaluate(() => {
        location.hash = '#/usage/limits'
      })
      await page.waitForTimeout(500)
    }
    const undo = async (): Promise<void> => {
      if ('hash' in back) {
        await page.evaluate((to) => {
          location.hash = to
        }, back.hash)
        await page.waitForTimeout(400)
      } else await drawing(page, back)
    }
    const all: Drawn[] = []
    const [held, cpu]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      await program.held()
      const one = await drawing(page, act)
      first ??= one
      const { worstMs, cpuMs } = await program.held()
      held.push(worstMs)
      cpu.push(cpuMs)
      all.push(one)
      await undo()
    }
    const { trace } = await traced(page, () => drawing(page, act))
    await undo()
    const data = all.flatMap(({ dataMs }) => dataMs ?? [])
    figures[name] = {
      allMs: rounded(middle(all.map(({ allMs }) => allMs))),
      dataMs: data.length === 0 ? null : rounded(middle(data)),
      longestTaskMs: Math.round(middle(all.map(({ longestTaskMs }) => longestTaskMs))),
      bytes: middle(all.map(({ bytes }) => bytes)),
      held: rounded(Math.max(...held)),
      heldCpu: rounded(middle(cpu)),
      trace,
    }
  }
  // The table of ten years of days, from the menu to the file, while the core does other work.
  await drawing(page, { hash: '#/usage' })
  const exports: Record<string, { ms: number; held: number; cpu: number }> = {}
  for (const format of ['CSV', 'JSON', 'Parquet']) {
    await program.held()
    const begun = performance.now()
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('menuitem', { name: `Table as ${format}` }).click()
    await (await file).path()
    const { worstMs, cpuMs } = await program.held()
    exports[format] = { ms: rounded(performance.now() - begun), held: rounded(worstMs), cpu: rounded(cpuMs) }
  }
  // The same measurement of an idle program, to show the effect of the machine.
  await program.held()
  await page.waitForTimeout(2_000)
  const idle = rounded((await program.held()).worstMs)
  const floor: number[] = []
  const bareTrace = await traced(page, () => bare(page, days))
  for (let round = 0; round < rounds; round += 1) floor.push(await bare(page, days))
  console.log(
    JSON.stringify({
      days,
      figures,
      exports,
      idle,
      floor: { ms: rounded(middle(floor)), trace: bareTrace.trace },
      first,
    }),
  )
} finally {
  await browser.close()
  await program.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
