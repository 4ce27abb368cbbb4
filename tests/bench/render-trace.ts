import type { Page } from '@playwright/test'

interface TraceEvent {
  name: string
  cat: string
  ph: string
  pid: number
  tid: number
  ts: number
  dur?: number
  tdur?: number
  args?: { data?: { url?: string } }
}

/** CPU of the page's main thread between two marks, in ms. Other programs on the machine don't change it. */
export interface Traced {
  cpuMs: number
  longestTaskCpuMs: number
  /** The longest of the tasks that `leftOut` names. 0 without such a task. */
  longestLeftOutCpuMs: number
  scriptMs: number
  styleMs: number
  layoutMs: number
  paintMs: number
}

const [from, to] = ['bench-begin', 'bench-end']
/** Names of the marks that the page sets before and after the measured code. */
export const marks = { from, to }

/**
 * Traces `work`, in which the page sets both marks.
 * @param leftOut part of the URLs of requests whose tasks do not count as the longest one. Playwright reads the body of each request in the
 * page's thread (`Network.enable`), which takes 40 to 100 ms for 1 MB; without Playwright such a task takes 14 ms
 */
export async function traced<T>(
  page: Page,
  work: () => Promise<T>,
  leftOut?: string,
): Promise<{ result: T; trace: Traced }> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page has no browser of its own.')
  const cdp = await browser.newBrowserCDPSession()
  const events: TraceEvent[] = []
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: [
        'toplevel',
        'devtools.timeline',
        'disabled-by-default-devtools.timeline',
        'blink.user_timing',
      ],
    },
  })
  const result = await work()
  const whole = new Promise<void>((resolve) => {
    cdp.once('Tracing.tracingComplete', () => resolve())
  })
  await cdp.send('Tracing.end')
  await whole
  await cdp.detach()
  return { result, trace: read(events, leftOut) }
}

function read(events: readonly TraceEvent[], leftOut?: string): Traced {
  const begin = events.findLast(({ name }) => name === from)
  const end = events.findLast(({ name }) => name === to)
  if (!begin || !end) throw new Error('The page set no marks.')
  const ours = events.filter(
    ({ ph, pid, tid, ts, dur = 0 }) =>
      ph === 'X' && pid === begin.pid && tid === begin.tid && ts + dur >= begin.ts && ts <= end.ts,
  )
  const times = (names: readonly string[]): number[] =>
    ours.filter(({ name }) => names.includes(name)).map(({ tdur = 0 }) => tdur / 1000)
  const isLeftOut = ({ name, pid, tid, args }: TraceEvent): boolean =>
    leftOut !== undefined &&
    name === 'ResourceSendRequest' &&
    pid === begin.pid &&
    tid === begin.tid &&
    args?.data?.url?.includes(leftOut) === true
  const sent = events.filter(isLeftOut)
  const tasks = ours.filter(({ name }) => name === 'RunTask')
  const sends = ({ ts, dur = 0 }: TraceEvent): boolean => sent.some((one) => one.ts >= ts && one.ts <= ts + dur)
  const longest = (some: readonly TraceEvent[]): number =>
    rounded(Math.max(0, ...some.map(({ tdur = 0 }) => tdur / 1000)))
  const sum = (...names: string[]): number => rounded(times(names).reduce((all, one) => all + one, 0))
  return {
    cpuMs: sum('RunTask'),
    longestTaskCpuMs: longest(tasks.filter((task) => !sends(task))),
    longestLeftOutCpuMs: longest(tasks.filter(sends)),
    scriptMs: sum('FunctionCall', 'EvaluateScript'),
    styleMs: sum('UpdateLayoutTree'),
    layoutMs: sum('Layout'),
    paintMs: sum('PrePaint', 'Paint', 'Layerize', 'Commit'),
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10
