import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Metrics } from '../../../src-main/core/observability/metrics.ts'
import { type LiveReading, Prometheus } from '../../../src-main/core/observability/prometheus.ts'
import { row } from './rows.ts'

const idle: LiveReading = { running: 0, waiting: 0, heldUntil: null, slots: { used: 0, of: null } }

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** A strict parser of the text exposition format 0.0.4, written from its specification. */
function parse(text: string): Sample[] {
  expect(text.endsWith('\n')).toBe(true)
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line)
    if (type) {
      expect(types.has(type[1] ?? '')).toBe(false)
      types.set(type[1] ?? '', type[2] ?? '')
      continue
    }
    const parts = /^([a-zA-Z_:][\w:]*)(?:\{([\s\S]*)\})? (\S+)$/.exec(line)
    if (!parts) throw new Error(`No sample: ${line}`)
    const [, name = '', inside = '', value = ''] = parts
    const base = name.replace(/_(?:bucket|sum|count)$/, '')
    expect(types.has(name) || types.get(base) === 'histogram', name).toBe(true)
    samples.push({ name, labels: labelsIn(inside), value: numberIn(value) })
  }
  return samples
}

function labelsIn(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  const one = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/y
  while (one.lastIndex < text.length) {
    const found = one.exec(text)
    if (!found) throw new Error(`No labels: ${text}`)
    labels[found[1] ?? ''] = (found[2] ?? '').replace(/\\([\\n"])/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))
  }
  return labels
}

function numberIn(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  expect(text).toMatch(/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/)
  return Number(text)
}

async function read(prometheus: Prometheus) {
  const samples = parse(await prometheus.text())
  return (name: string, labels: Record<string, string> = {}): number | undefined =>
    samples.find(
      (one) =>
        one.name === `inference_studio_${name}` &&
        Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    )?.value
}

const editor = { app: 'editor', app_id: 'tool-1' }

describe('the text for Prometheus', () => {
  it('counts requests by app, endpoint, status class and end state', async () => {
    const prometheus = new Prometheus(() => idle)
    prometheus.ended(row())
    prometheus.ended(row())
    prometheus.ended(row({ status: 503, attempts: 3 }))
    prometheus.ended(row({ status: null, state: 'cancelled', cancelledBy: 'app' }))
    prometheus.ended(row({ who: { kind: 'studio', feature: 'chat' }, endpoint: 'speech' }))
    const value = await read(prometheus)
    const chat = { ...editor, endpoint: 'chat' }
    expect(value('requests_total', { ...chat, status: '2xx', state: 'done' })).toBe(2)
    expect(value('requests_total', { ...chat, status: '5xx', state: 'done' })).toBe(1)
    expect(value('requests_total', { ...chat, status: 'none', state: 'cancelled' })).toBe(1)
    expect(value('requests_total', { app: 'studio', endpoint: 'speech', status: '2xx' })).toBe(1)
    expect(value('retries_total', editor)).toBe(2)
  })

  it('sums tokens, bytes and SC; the SC exactly', async () => {
    const prometheus = new Prometheus(() => idle)
    for (let number = 0; number < 10; number++) prometheus.ended(row({ cost: '0.1', tokensCached: 4 }))
    prometheus.ended(row({ cost: null, costIs: 'unknown', tokensIn: null, tokensOut: null, tokensAre: 'unknown' }))
    const value = await read(prometheus)
    expect(value('spent_sc_total', { ...editor, certainty: 'estimated' })).toBe(1)
    expect(value('unpriced_requests_total', editor)).toBe(1)
    expect(value('tokens_total', { ...editor, kind: 'in', certainty: 'measured' })).toBe(120)
    expect(value('tokens_total', { ...editor, kind: 'out', certainty: 'measured' })).toBe(340)
    expect(value('tokens_total', { ...editor, kind: 'cached', certainty: 'measured' })).toBe(40)
    expect(value('body_bytes_total', { ...editor, direction: 'down' })).toBe(33_000)
  })

  it('counts waits and first bytes in buckets of seconds', async () => {
    const prometheus = new Prometheus(() => idle)
    prometheus.ended(row({ queuedMs: 0, firstByteMs: 40 }))
    prometheus.ended(row({ queuedMs: 700, firstByteMs: 3_000 }))
    const value = await read(prometheus)
    const tool = { requester: 'app', endpoint: 'chat' }
    expect(value('queue_wait_seconds_count', tool)).toBe(1)
    expect(value('queue_wait_seconds_sum', tool)).toBe(0.7)
    expect(value('first_byte_seconds_bucket', { ...tool, le: '0.1' })).toBe(1)
    expect(value('first_byte_seconds_bucket', { ...tool, le: '5' })).toBe(2)
    expect(value('first_byte_seconds_bucket', { ...tool, le: '+Inf' })).toBe(2)
    expect(value('duration_seconds_sum', tool)).toBe(2.4)
  })

  it('shows what runs, waits and is held now', async () => {
    const live = { running: 3, waiting: 7, heldUntil: new Date(Date.now() + 30_000).toISOString() }
    const prometheus = new Prometheus(() => ({ ...live, slots: { used: 2, of: 4 } }))
    const value = await read(prometheus)
    expect(value('running')).toBe(3)
    expect(value('waiting')).toBe(7)
    expect(value('held_seconds')).toBeGreaterThan(25)
    expect(value('slots_used')).toBe(2)
    expect(value('slots')).toBe(4)
    const calm = await read(new Prometheus(() => idle))
    expect(calm('held_seconds')).toBe(0)
    expect(calm('slots')).toBe(Number.POSITIVE_INFINITY)
  })

  it('counts refusals by their reason, at the gate and over a limit', async () => {
    const prometheus = new Prometheus(() => idle)
    prometheus.refused('forbidden_origin')
    prometheus.refused('forbidden_origin')
    prometheus.ended(row({ state: 'refused', status: 402, problem: { kind: 'budget_exceeded', message: 'No.' } }))
    const value = await read(prometheus)
    expect(value('refusals_total', { reason: 'forbidden_origin' })).toBe(2)
    expect(value('refusals_total', { reason: 'budget_exceeded' })).toBe(1)
  })

  it('stays valid for any app name, and contains no models, paths or content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 30 }), async (name) => {
        const prometheus = new Prometheus(() => idle)
        prometheus.ended(
          row({
            who: { kind: 'app', id: 'x', name, colour: 'rose' },
            model: 'SECRET-model',
            path: '/v1/SECRET',
            problem: { kind: 'internal', message: 'SECRET' },
          }),
        )
        const value = await read(prometheus)
        expect(value('requests_total', { app: name })).toBe(1)
        expect(await prometheus.text()).not.toContain('SECRET')
      }),
      { numRuns: 60 },
    )
  })
})

describe('the switch', () => {
  it('while metrics are off, nothing is counted and the text is null', async () => {
    let enabled = false
    const metrics = new Metrics({ enabled: () => enabled, live: () => idle })
    metrics.ended(row())
    metrics.refused('x')
    expect(await metrics.text()).toBeNull()
    enabled = true
    metrics.ended(row())
    metrics.ended(row())
    const text = (await metrics.text()) ?? ''
    expect(text).toMatch(/^inference_studio_requests_total\{.*\} 2$/m)
    expect(text).not.toContain('reason="x"')
  })
})
