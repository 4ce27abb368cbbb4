import type { Harness } from '../renderer/chat/harness/main.tsx'
import { openHarness } from '../renderer/chat/harness/page.ts'

declare const harness: Harness

// Renderer figures in a real Chromium: node tests/bench/render.ts [seconds a stream]. One JSON document on standard output.
const seconds = Number(process.argv[2] ?? 6)
const { url, browser, close } = await openHarness()
const page = await browser.newPage({ viewport: { width: 1200, height: 820 } })
page.on('pageerror', (error) => console.error(error))

async function openThousand(): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    await page.goto(`${url}?scene=long&closed=1`)
    await page.waitForSelector('.chat-row')
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
  return times.map(Math.round)
}

interface Streamed {
  frameP95Ms: number
  longestFrameMs: number
  longestTaskMs: number
  longTasks: number
  chars: number
}

/** 200 tokens a second (five characters each) into the end of 1,000 messages whose last reply already holds `start`. */
async function stream(start: string, token: string): Promise<Streamed> {
  await page.goto(`${url}?scene=long`)
  await page.waitForSelector('[data-message-id$="001999"]')
  return page.evaluate(
    async ({ start, token, seconds }) => {
      const { core, conversationId, message } = harness
      const reply = message(1_001, { status: 'streaming', text: start, finishedAt: null, usage: null })
      core.tell(conversationId, { type: 'message', message: message(1_000, { text: 'Go on.' }) })
      core.tell(conversationId, { type: 'message', message: reply })
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      const tasks: number[] = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) tasks.push(entry.duration)
      }).observe({ type: 'longtask' })
      const frames: number[] = []
      let at = start.length
      let last = performance.now()
      const begun = last
      let sent = 0
      const timer = setInterval(() => {
        for (const due = ((performance.now() - begun) / 1_000) * 200; sent < due; sent++) {
          core.tell(conversationId, { type: 'delta', messageId: reply.id, field: 'text', at, append: token })
          at += token.length
        }
      }, 5)
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
      frames.shift()
      frames.sort((a, b) => a - b)
      const round = (value: number | undefined): number => Math.round((value ?? 0) * 10) / 10
      return {
        frameP95Ms: round(frames[Math.floor(frames.length * 0.95)]),
        longestFrameMs: round(frames.at(-1)),
        longestTaskMs: round(Math.max(0, ...tasks)),
        longTasks: tasks.length,
        chars: at,
      }
    },
    { start, token, seconds },
  )
}

const prose = 'A sentence of **ten** words with `code` and some more. '
const figures = {
  openThousandMs: await openThousand(),
  proseFromNothing: await stream('', 'word '),
  unbrokenWords300kB: await stream('word '.repeat(60_000), 'word '),
  unbrokenLetters300kB: await stream('x'.repeat(300_000), 'xxxxx'),
  code300kB: await stream(`\`\`\`ts\n${'const a = 1 // and a comment\n'.repeat(10_300)}`, 'let b'),
  markdown300kB: await stream(`${prose.repeat(6)}\n\n- one\n- two\n\n`.repeat(850), 'word '),
}
console.log(JSON.stringify(figures, null, 2))
await close()
