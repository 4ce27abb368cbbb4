import type { Harness } from '../renderer/chat/harness/main.tsx'
import { openHarness } from '../renderer/chat/harness/page.ts'

declare const harness: Harness

// Renderer figures in a real Chromium: node tests/bench/render.ts [seconds a stream]. One JSON document on standard output.
const seconds = Number(process.argv[2] ?? 6)
const { url, browser, close } = await openHarness()
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
}
interface Stream {
  start: string
  token: string
  /** Also presses a key in the composer every 100 ms. */
  type?: boolean
  /** A bare page that appends the same to one text: what the browser itself needs. */
  plain?: boolean
}

/** 200 tokens a second into the end of 1,000 messages whose last reply already holds `start`. */
async function stream({ start, token, type = false, plain = false }: Stream): Promise<Streamed & { keyP95Ms: number }> {
  await page.goto(`${url}?scene=long`)
  await page.waitForSelector('[data-message-id$="001999"]')
  if (plain) {
    await page.evaluate(() => {
      document.body.innerHTML =
        '<div id="plain" style="height:800px;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere"></div>'
    })
  }
  return page.evaluate(
    async ({ start, token, seconds, type, plain }) => {
      const { core, conversationId, message } = harness
      const box = document.querySelector('#plain')
      const text = document.createTextNode(start)
      const reply = message(1_001, { status: 'streaming', text: start, finishedAt: null, usage: null })
      if (plain) box?.append(text)
      else {
        core.tell(conversationId, { type: 'message', message: message(1_000, { text: 'Go on.' }) })
        core.tell(conversationId, { type: 'message', message: reply })
      }
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      const tasks: number[] = []
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
          if (plain) text.appendData(token)
          else core.tell(conversationId, { type: 'delta', messageId: reply.id, field: 'text', at, append: token })
          at += token.length
        }
        if (plain && box) box.scrollTop = box.scrollHeight
      }, 5)
      const field = document.querySelector<HTMLTextAreaElement>('.chat-composer textarea')
      const typing = setInterval(() => {
        if (!type || !field) return
        const pressed = performance.now()
        field.focus()
        document.execCommand('insertText', false, 'a')
        // The task after the frame's callbacks begins once the frame was handed to the compositor.
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
      frames.shift()
      const p95 = (list: number[]): number =>
        Math.round((list.sort((a, b) => a - b)[Math.floor(list.length * 0.95)] ?? 0) * 10) / 10
      return { frameP95Ms: p95(frames), longestTaskMs: Math.round(Math.max(0, ...tasks)), keyP95Ms: p95(keys) }
    },
    { start, token, seconds, type, plain },
  )
}

/** MB of heap, after a forced collection, when every one of 10,000 messages was scrolled past. */
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
const streams: Record<string, { ours: Streamed; plain: Streamed }> = {}
const openMs = await openThousand()
// Turn by turn, so that both meet the same machine.
for (const [name, each] of Object.entries(starts))
  streams[name] = { plain: await stream({ ...each, plain: true }), ours: await stream(each) }
const { keyP95Ms } = await stream({ ...starts.prose, type: true })
console.log(JSON.stringify({ openMs, streams, keyP95Ms, heapMb: await heapAfterScroll() }, null, 2))
await close()
