import type { Browser, Page } from '@playwright/test'

interface TraceEvent {
  name: string
  pid: number
  tid: number
  ts: number
  tdur?: number
}

export interface MeasuredFrames {
  /** Times between frames, ms. */
  frames: number[]
  /** Work of the page's thread for each frame, ms of processor time, which a busy machine changes little. */
  work: number[]
  /** The longest task of the page's thread, ms of processor time. */
  longest: number
}

/** Measures the frames of a page while `act` runs. The first two, in which the measurement starts, are left out. */
export async function measureFrames(page: Page, act: () => Promise<unknown>): Promise<MeasuredFrames> {
  const browser = page.context().browser() as Browser
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'blink.user_timing'] })
  await page.evaluate(() => {
    const seen = { frames: [] as number[], on: true }
    Object.assign(globalThis, { seen })
    let last = performance.now()
    const frame = (now: number): void => {
      seen.frames.push(now - last)
      last = now
      performance.mark('frame_')
      if (seen.on) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  await act()
  const frames = await page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: { frames: number[]; on: boolean } }
    seen.on = false
    return seen.frames.slice(2)
  })
  return { frames, ...workOf(await browser.stopTracing()) }
}

function workOf(trace: Buffer): { work: number[]; longest: number } {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  // Of several threads with that name, the one that has the frames.
  const mark = traceEvents.find(({ name }) => name === 'frame_')
  const own = traceEvents.filter(({ pid, tid }) => pid === mark?.pid && tid === mark.tid).sort((a, b) => a.ts - b.ts)
  const work: number[] = []
  let [sum, longest] = [0, 0]
  for (const { name, tdur = 0 } of own) {
    if (name === 'frame_') {
      work.push(sum / 1_000)
      sum = 0
    } else if (name === 'RunTask' || name === 'ThreadControllerImpl::RunTask') {
      sum += tdur
      longest = Math.max(longest, tdur / 1_000)
    }
  }
  return { work: work.slice(2), longest: Math.round(longest) }
}
