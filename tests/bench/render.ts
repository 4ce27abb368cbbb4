import { fileURLToPath } from 'node:url'
import type { Harness } from '../renderer/features/chat/harness/main.tsx'
import { openHarness } from '../renderer/features/chat/harness/page.ts'
import { buildMarkdownPeer } from './peers/markdown.ts'
import { openInProgram } from './render-program.ts'
import { marks, type Traced, traced } from './render-trace.ts'

declare const harness: Harness
/** A function of the peer's page (peers/markdown.ts). */
declare const append: (more: string) => void

// Renderer figures in a real Chromium: node tests/bench/render.ts [seconds a stream]. Prints one JSON document.
const seconds = Number(process.argv[2] ?? 6)
const { url, browser, close } = await openHarness()
// In the folder of the chat page, so that one server serves both.
const peer = await buildMarkdownPeer(
  fileURLToPath(new URL('../../node_modules/.cache/chat-harness/peer', import.meta.url)),
).then(
  () => true,
  (thrown: unknown) => {
    console.error(`react-markdown is skipped: ${String(thrown).split('\n')[0]}`)
    return false
  },
)
const page = await browser.newPage({ viewport: { width: 1200, height: 820 } })
page.on('pageerror', (error) => console.error(error))

async function openThousand(): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    await page.goto(`${url}?scene=long&closed=1`)
    await page.waitForSelector('.chat-composer')
    await page.waitForTimeout(300)
    times.push(
      await page.evaluate(async () => {
        const begun = performance.now()
        harness.openChat(harness.conversationId)
        const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
        while (!document.querySelector('[data-message-id$="001999"]')) await frame()
        await frame()
        return performance.now() - begun
      }),
    )
  }
  return Math.round(times.sort((a, b) => a - b)[2] ?? 0)
}

interface Streamed {
  frameP95Ms: number
  longestTaskMs: number
  /** From long-animation-frame entries: the longest one, and the blocked ms of all of them. */
  longestFrameMs: number
  blockingMs: number
  trace: Traced
}
interface Stream {
  start: string
  token: string
  /** Also presses a key in the composer every 100 ms. */
  type?: boolean
  /**
   * `ours`: the studio's page. `plain`: a bare page that appends the same text to one element, which is the browser's own cost. `peer`:
   * react-markdown over the whole text.
   */
  page?: 'ours' | 'plain' | 'peer'
}

/** Streams 200 tokens a second into the last of 1,000 messages, which already has the text `start`. Other pages have only that message. */
async function stream({
  start,
  token,
  type = false,
  page: kind = 'ours',
}: Stream): Promise<Streamed & { keyP95Ms: number }> {
  await page.goto(kind === 'peer' ? `${url}peer/index.html` : `${url}?scene=long`)
  if (kind === 'peer') await page.waitForFunction(() => 'append' in globalThis)
  else await page.waitForSelector('[data-message-id$="001999"]')
  if (kind === 'plain') {
    await page.evaluate(() => {
      document.body.innerHTML =
        '<div id="plain" style="height:800px;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere"></div>'
    })
  }
  if (kind === 'plain' && type) {
    await page.evaluate(() => {
      const composer = Object.assign(document.createElement('div'), { className: 'chat-composer' })
      composer.append(document.createElement('textarea'))
      document.body.append(composer)
    })
  }
  const measure = (): ReturnType<typeof measureIn> => measureIn({ start, token, type, page: kind })
  const { result, trace } = await traced(page, measure)
  return { ...result, trace }
}

function measureIn(asked: Required<Stream>): Promise<Omit<Streamed, 'trace'> & { keyP95Ms: number }> {
  return page.evaluate(
    async ({ start, token, seconds, type, page: kind, from, to }) => {
      const box = document.querySelector('#plain')
      const text = document.createTextNode(start)
      let addText = (more: string, _at: number): void => text.appendData(more)
      if (kind === 'plain') box?.append(text)
      else if (kind === 'peer') {
        append(start)
        addText = append
      } else {
        const { core, conversationId, message } = harness
        const reply = message(1_001, { status: 'streaming', text: start, finishedAt: null, usage: null })
        core.notify(conversationId, { type: 'message', message: message(1_000, { text: 'Go on.' }) })
        core.notify(conversationId, { type: 'message', message: reply })
        addText = (more, at) =>
          core.notify(conversationId, { type: 'delta', messageId: reply.id, field: 'text', at, append: more })
      }
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      const tasks: number[] = []
      const long: { duration: number; blockingDuration: number }[] = []
      performance.mark(from)
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) long.push(entry as PerformanceEntry & { blockingDuration: number })
      }).observe({ type: 'long-animation-frame' })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) tasks.push(entry.duration)
      }).observe({ type: 'longtask' })
      const [frames, keys]: [number[], number[]] = [[], []]
      let at = start.length
      let last = performance.now()
      const begun = last
      let sent = 0
      const timer = setInterval(() => {
        for (const due = ((performance.now() - begun) / 1_000) * 200; sent < due; sent++) {
          addText(token, at)
          at += token.length
        }
        if (box) box.scrollTop = box.scrollHeight
      }, 5)
      const field = document.querySelector<HTMLTextAreaElement>('.chat-composer textarea')
      const typing = setInterval(() => {
        if (!type || !field) return
        const pressed = performance.now()
        field.focus()
        document.execCommand('insertText', false, 'a')
        // The task after the frame's callbacks starts when the frame was given to the compositor.
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => keys.push(performance.now() - pressed)
          port2.postMessage(0)
        })
      }, 97)
      await new Promise<void>((resolve) => {
        const frame = (now: number): void => {
          frames.push(now - last)
          last = now
          if (now - begun > seconds * 1_000) resolve()
          else requestAnimationFrame(frame)
        }
        requestAnimationFrame(frame)
      })
      clearInterval(timer)
      clearInterval(typing)
      performance.mark(to)
      frames.shift()
      const p95 = (list: number[]): number =>
        Math.round((list.sort((a, b) => a - b)[Math.floor(list.length * 0.95)] ?? 0) * 10) / 10
      return {
        frameP95Ms: p95(frames),
        longestTaskMs: Math.round(Math.max(0, ...tasks)),
        longestFrameMs: Math.round(Math.max(0, ...long.map(({ duration }) => duration))),
        blockingMs: Math.round(long.reduce((sum, { blockingDuration }) => sum + blockingDuration, 0)),
        keyP95Ms: p95(keys),
      }
    },
    { ...asked, seconds, ...marks },
  )
}

/** MB of heap after a forced collection, once all of 10,000 messages have been scrolled past. */
async function heapAfterScroll(): Promise<number> {
  await page.goto(`${url}?scene=tenThousand`)
  await page.waitForSelector('article')
  await page.evaluate(async () => {
    const box = document.querySelector('.chat-talk')
    if (!box) throw new Error('There is no conversation.')
    box.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }))
    const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
    while (box.scrollTop > 0) {
      box.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }))
      box.scrollTop -= 2_400
      await frame()
    }
  })
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return Math.round(usedSize / 1e6)
}

const line = 'const a = lines.map((line) => line + 1) // and a comment\n'
const starts = {
  prose: { start: '', token: 'word ' },
  words: { start: 'word '.repeat(60_000), token: 'word ' },
  letters: { start: 'x'.repeat(300_000), token: 'xxxxx' },
  code: { start: `\`\`\`ts\n${line.repeat(5_000)}`, token: 'let b\n' },
  table: {
    start: `| a | b | c |\n|---|---|---|\n${'| one | **two** | `three` |\n'.repeat(500)}`,
    token: '| x | y | z |\n',
  },
}
const streams: Record<string, { ours: Streamed; plain: Streamed; peer: Streamed | null }> = {}
const openMs = await openThousand()
const program = await openInProgram(browser, 5)
const openInProgramMs = Math.round(program.ms.sort((a, b) => a - b)[2] ?? 0)
// Runs take turns, so that the machine affects all of them equally.
for (const [name, each] of Object.entries(starts))
  streams[name] = {
    plain: await stream({ ...each, page: 'plain' }),
    ours: await stream(each),
    peer: peer ? await stream({ ...each, page: 'peer' }) : null,
  }
const bare = await stream({ ...starts.prose, type: true, page: 'plain' })
const typed = await stream({ ...starts.prose, type: true })
const keys = { ours: typed.keyP95Ms, bare: bare.keyP95Ms, trace: typed.trace, bareTrace: bare.trace }
const open = { harnessMs: openMs, ms: openInProgramMs, trace: program.trace }
console.log(JSON.stringify({ open, streams, keys, seconds, heapMb: await heapAfterScroll() }, null, 2))
await close()
