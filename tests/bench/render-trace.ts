import { writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { DevToolsPage } from '../helpers/devToolsPage.ts'

interface TraceEvent {
  name: string
  cat: string
  ph: string
  pid: number
  tid: number
  ts: number
  dur?: number
  tdur?: number
  args?: { elementCount?: number; beginData?: { dirtyObjects?: number } }
}

/** CPU of the page's main thread between two marks, in ms. Other programs on the machine don't change it. */
export interface Traced {
  cpuMs: number
  longestTaskCpuMs: number
  /** The most elements of one style update, and the most objects of one layout: the same on every computer. */
  mostStyled: number
  mostLaidOut: number
  scriptMs: number
  styleMs: number
  layoutMs: number
  paintMs: number
}

const [from, to] = ['bench-begin', 'bench-end']
/** Names of the marks that the page sets before and after the measured code. */
export const marks = { from, to }

/** Traces `work`, in which the page sets both marks. */
export async function traced<T>(page: Page, work: () => Promise<T>): Promise<{ result: T; trace: Traced }> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page has no browser of its own.')
  const cdp = await browser.newBrowserCDPSession()
  const { result, events } = await recorded(
    (method, params) => cdp.send(method, params),
    (listen) => {
      cdp.on('Tracing.dataCollected', (params) => listen('Tracing.dataCollected', params))
      cdp.on('Tracing.tracingComplete', (params) => listen('Tracing.tracingComplete', params))
    },
    work,
  )
  await cdp.detach()
  return { result, trace: read(events) }
}

/** Does the same in a page without Playwright. `work` sets the marks. */
export async function tracedWithDevTools<T>(
  { cdp }: Pick<DevToolsPage, 'cdp'>,
  work: () => Promise<T>,
): Promise<{ result: T; trace: Traced }> {
  const { result, events } = await recorded(
    (method, params) => cdp.send(method, params),
    (listen) => void cdp.on('event', listen),
    work,
  )
  return { result, trace: read(events) }
}

/** With `TRACE_FILE`, also writes the trace for the Performance panel of a browser. */
async function recorded<T>(
  send: (method: 'Tracing.start' | 'Tracing.end', params?: Record<string, unknown>) => Promise<unknown>,
  subscribe: (listen: (method: string, params: object) => void) => void,
  work: () => Promise<T>,
): Promise<{ result: T; events: TraceEvent[] }> {
  const events: TraceEvent[] = []
  const whole = new Promise<void>((resolve) => {
    subscribe((method, params) => {
      if (method === 'Tracing.dataCollected') events.push(...(params as { value: TraceEvent[] }).value)
      if (method === 'Tracing.tracingComplete') resolve()
    })
  })
  await send('Tracing.start', {
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
  await send('Tracing.end')
  await whole
  if (process.env.TRACE_FILE) writeFileSync(process.env.TRACE_FILE, JSON.stringify({ traceEvents: events }))
  return { result, events }
}

function read(events: readonly TraceEvent[]): Traced {
  const begin = events.findLast(({ name }) => name === from)
  const end = events.findLast(({ name }) => name === to)
  if (!begin || !end) throw new Error('The page set no marks.')
  const ours = events.filter(
    ({ ph, pid, tid, ts, dur = 0 }) =>
      ph === 'X' && pid === begin.pid && tid === begin.tid && ts + dur >= begin.ts && ts <= end.ts,
  )
  const times = (names: readonly string[]): number[] =>
    ours.filter(({ name }) => names.includes(name)).map(({ tdur = 0 }) => tdur / 1000)
  const tasks = ours.filter(({ name }) => name === 'RunTask')
  const sum = (...names: string[]): number => rounded(times(names).reduce((all, one) => all + one, 0))
  return {
    cpuMs: sum('RunTask'),
    longestTaskCpuMs: rounded(Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000))),
    mostStyled: Math.max(0, ...ours.map(({ args }) => args?.elementCount ?? 0)),
    mostLaidOut: Math.max(0, ...ours.map(({ args }) => args?.beginData?.dirtyObjects ?? 0)),
    scriptMs: sum('FunctionCall', 'EvaluateScript'),
    styleMs: sum('UpdateLayoutTree'),
    layoutMs: sum('Layout'),
    paintMs: sum('PrePaint', 'Paint', 'Layerize', 'Commit'),
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10
