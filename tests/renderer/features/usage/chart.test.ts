import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { exact, showSc } from '../../../../src-preload/contract/amountText.ts'
import { packView, unpackView } from '../../../../src-preload/contract/columns.ts'
import type { Coverage, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { chartOfKey } from '../../../../src-renderer/features/keys/Days.tsx'
import { stamp } from '../../../../src-renderer/features/keys/timestamp.ts'
import { changeOf, chartOf, sidesOf } from '../../../../src-renderer/features/usage/figures.ts'
import { en } from '../../../../src-renderer/i18n/en.ts'
import { showShare } from '../../../../src-renderer/i18n/format.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import { type ChartColors, paint, plainRgb } from '../../../../src-renderer/shared/chart/appearance.ts'
import { bars, type Plot, partsOf } from '../../../../src-renderer/shared/chart/bars.ts'
import { walk } from '../../../../src-renderer/shared/chart/cursor.ts'
import { type ChartData, heightAt, marksOf, reachOf, seriesAt } from '../../../../src-renderer/shared/chart/data.ts'
import { bucketLabelText, mergedLabel, spokenBucket } from '../../../../src-renderer/shared/chart/labels.ts'
import { barOf, bucketsPerBar, folded } from '../../../../src-renderer/shared/chart/mergeBuckets.ts'
import { bucketLabel, chartOption, hatching } from '../../../../src-renderer/shared/chart/option.ts'
import { lessSc, shareOf, sumSc } from '../../../../src-renderer/shared/money/sc.ts'
import { Accounts } from '../../harness/accounts.ts'

beforeAll(() => i18n.init({ lng: 'en', resources: { en }, initAsync: false }))

const accounts = new Accounts('gaps', 60)
const query = (more: Partial<ViewQuery> = {}): ViewQuery => ({
  accountId: '00000000-0000-4000-8000-00000000b001',
  from: day(29),
  to: day(0),
  grain: 'day',
  by: 'model',
  source: 'service',
  search: '',
  ...more,
})
function day(back: number): string {
  return new Date(Date.parse(`${accounts.today}T00:00:00Z`) - back * 86_400_000).toISOString().slice(0, 10)
}
const data = (more: Partial<ViewQuery> = {}, measure: Parameters<typeof chartOf>[2] = 'spend'): ChartData =>
  chartOf(unpackView(packView(accounts.view(query(more)))), null, measure, ({ name }) => name)
const look: ChartColors = {
  ink: '#111',
  soft: '#222',
  faint: '#333',
  line: '#444',
  raise: '#fff',
  warn: '#a50',
  font: 'Inter',
  of: (ink) => `ink ${ink}`,
  all: '',
}
/** A plot of `count` buckets of ten px each. `perValue`: px per unit. */
const plotOf = (count: number, perValue = 1, ratio = 1): Plot => ({
  x: 0,
  y: 0,
  width: count * 10,
  height: 100,
  perValue,
  ratio,
})

describe('the chart', () => {
  it('hatches a day that was never fetched, and never draws it as zero [USE-01]', () => {
    const chart = data()
    const gaps = chart.buckets.flatMap(({ state }, at) => (state === 'gap' ? [at] : []))
    expect(gaps.length).toBeGreaterThan(1)
    for (const at of gaps) {
      expect(chart.series.map(({ values }) => values[at])).toEqual(chart.series.map(() => null))
      expect(chart.total(at)).toBeNull()
    }
    const drawn = new Set(
      partsOf(chart, plotOf(chart.buckets.length)).flatMap((own) => own.map(({ x }) => Math.floor(x / 10))),
    )
    expect(gaps.filter((at) => drawn.has(at))).toEqual([])
    expect(drawn.size).toBeGreaterThan(5)
    const marked = marksOf(chart.buckets).filter(({ state }) => state === 'gap')
    expect(marked.reduce((sum, { first, last }) => sum + last - first + 1, 0)).toBe(gaps.length)
  })
  it('merges neighbours with the same state only', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Coverage>('whole', 'running', 'partial', 'gap')), (states) => {
        const marks = marksOf(states.map((state) => ({ from: '', to: '', state })))
        const again: Coverage[] = states.map(() => 'whole')
        for (const { first, last, state } of marks) again.fill(state, first, last + 1)
        expect(again).toEqual(states)
        marks.forEach(({ first, state }, at) => {
          const before = marks[at - 1]
          if (before && before.last === first - 1) expect(before.state).not.toBe(state)
        })
      }),
    )
  })
  it('fills a box with lines that stay inside it', () => {
    const size = fc.integer({ min: 1, max: 2_000 })
    fc.assert(
      fc.property(size, size, fc.integer({ min: 2, max: 40 }), (width, height, step) => {
        const box = { x: 30, y: 12, width, height }
        const inside = (x: number, y: number) => x >= 30 && x <= 30 + width && y >= 12 && y <= 12 + height
        const lines = hatching(box, step)
        expect(lines.every(([x1, y1, x2, y2]) => inside(x1, y1) && inside(x2, y2))).toBe(true)
        expect(lines.every(([x1, y1, x2, y2]) => Math.abs(Math.abs(x2 - x1) - Math.abs(y2 - y1)) < 1e-6)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
  it('stacks bars on whole pixels without seams or gaps, at their exact height, and positive values are visible', () => {
    const stack = fc.array(
      fc.oneof(fc.constant(null), fc.constant(0), fc.double({ min: 1e-9, max: 40, noNaN: true })),
      { minLength: 3, maxLength: 3 },
    )
    const many = fc
      .integer({ min: 1, max: 300 })
      .chain((count) => fc.array(stack, { minLength: count, maxLength: count }))
    fc.assert(
      fc.property(
        many,
        fc.constantFrom(1, 1.25, 1.5, 2),
        fc.double({ min: 0.2, max: 0.8, noNaN: true }),
        (stacks, ratio, perValue) => {
          const buckets = stacks.map(() => ({ from: '', to: '', state: 'whole' as const }))
          const series = [0, 1, 2].map((of) => ({
            id: String(of),
            name: '',
            ink: 0,
            text: String,
            values: stacks.map((one) => one[of] ?? null),
          }))
          const chart: ChartData = { buckets, grain: 'day', series, total: String, before: null, axis: String }
          const parts = partsOf(chart, { ...plotOf(stacks.length, perValue, ratio), x: 3.3, width: 317.7 })
          const whole = (px: number) => Math.abs(px * ratio - Math.round(px * ratio)) < 1e-6
          const bottom = Math.round(100 * ratio) / ratio
          const bars = new Map<number, { x: number; y: number; width: number; height: number }[]>()
          for (const part of parts.flat()) {
            expect([part.x, part.y, part.width, part.height].every(whole)).toBe(true)
            expect(Math.min(part.width, part.height)).toBeGreaterThan(0)
            const at = Math.floor((part.x + part.width / 2 - 3.3) / (317.7 / stacks.length))
            bars.set(at, [...(bars.get(at) ?? []), part])
          }
          stacks.forEach((one, at) => {
            const sum = one.reduce<number>((all, value) => all + (value ?? 0), 0)
            const own = bars.get(at) ?? []
            if (stacks.length > 150) return
            expect(own.length > 0).toBe(sum > 0)
            const height = own.reduce((all, part) => all + part.height, 0)
            expect(Math.abs(height - sum * perValue)).toBeLessThanOrEqual(1 / ratio + 1e-6)
            const top = Math.min(bottom, ...own.map(({ y }) => y))
            expect(bottom - top).toBeCloseTo(height)
          })
        },
      ),
    )
  })
  it('has the same bars as paths in a saved picture: one path per series, in its colour', () => {
    const chart = data()
    const [series] = bars(chart, look, { as: 'paths' })
    const api = { coord: ([, value]: number[]) => [0, 100 - (value ?? 0)] }
    const drawn = series?.renderItem?.(
      { coordSys: { type: 'cartesian2d', ...plotOf(chart.buckets.length) } } as never,
      api as never,
    )
    const paths = drawn && 'children' in drawn ? drawn.children : []
    expect(paths).toHaveLength(chart.series.length)
    chart.series.forEach(({ ink, values }, at) => {
      const path = paths[at]
      expect(path).toMatchObject({ type: 'path', style: { fill: look.of(ink) } })
      const moves = path && 'shape' in path ? String(Reflect.get(path.shape ?? {}, 'pathData')).match(/M/g) : null
      expect(moves?.length ?? 0).toBeLessThanOrEqual(values.filter((value) => (value ?? 0) > 0).length)
    })
  })
  it('draws negative values below zero, and makes room for them', () => {
    const buckets = [0, 1, 2].map(() => ({ from: '2026-11-20', to: '2026-11-20', state: 'whole' as const }))
    const values = [
      [30, -10, null],
      [20, -5, -0.001],
      [-40, 8, 0],
    ]
    const series = values.map((own, of) => ({ id: String(of), name: '', ink: of, text: String, values: own }))
    const chart: ChartData = { buckets, grain: 'day', series, total: String, before: null, axis: String }
    expect(reachOf(chart)).toEqual({ highest: 50, lowest: -40 })
    const parts = partsOf(chart, { ...plotOf(3), belowZero: 40 })
    const spans = parts.map((own) => own.map(({ y, height }) => [y, y + height]))
    expect(spans).toEqual([
      [
        [30, 60],
        [60, 70],
      ],
      [
        [10, 30],
        [70, 75],
        [60, 61],
      ],
      [
        [60, 100],
        [52, 60],
      ],
    ])
    expect([-12, -3, 4, -20].map((height) => seriesAt(chart, 1, height)?.id)).toEqual(['1', '0', '2', undefined])
    expect(chartOption(chart, look, { as: 'paths' }).yAxis).not.toHaveProperty('min')
    expect(chartOption(data(), look, { as: 'paths' }).yAxis).toHaveProperty('min', 0)
  })
  it('finds the series at a height, from the bottom up', () => {
    const chart = data()
    const at = chart.buckets.findIndex(({ state }) => state === 'whole')
    let top = 0
    for (const { id, values } of chart.series) {
      const value = values[at] ?? 0
      if (value > 0) expect(seriesAt(chart, at, top + value / 2)?.id).toBe(id)
      top += value
    }
    expect(heightAt(chart, at)).toBeCloseTo(top)
    expect(seriesAt(chart, at, top * 1.01)).toBeNull()
  })
  it('shows the same values as the view for each metric', () => {
    const view = accounts.view(query())
    for (const measure of ['tokens', 'tokensIn', 'tokensCached', 'tokensOut', 'requests'] as const) {
      const chart = data({}, measure)
      chart.series.forEach(({ values }, place) => {
        const sum = values.reduce<number>((all, value) => all + (value ?? 0), 0)
        const total = view.series[place]?.total
        const ofView = measure === 'tokens' ? total && (total.tokensIn ?? 0) + (total.tokensOut ?? 0) : total?.[measure]
        expect(ofView).toBe(sum)
      })
    }
    expect(data({ by: 'key' }, 'tokensCached').series.every(({ values }) => values.every((one) => one === null))).toBe(
      true,
    )
  })
  it("uses an app's own colour, and the quiet colour for the rest", () => {
    expect(data({ by: 'app', source: 'here' }).series.map(({ ink }) => ink)).toEqual(['teal', 'violet', 'amber', 0])
    expect(data().series.at(-1)).toMatchObject({ id: 'rest', ink: 'rest' })
  })
  it('gives each of a dozen series its own colour, in a form that any program reads', () => {
    const paints = Array.from({ length: 12 }, (_, ink) => paint(ink))
    expect(new Set([...paints, paint('rest')]).size).toBe(13)
    expect(plainRgb('color(srgb 0.5 0 1)')).toBe('rgb(128, 0, 255)')
    expect(plainRgb('rgb(1, 2, 3)')).toBe('rgb(1, 2, 3)')
  })
  it('draws the days of one key, gaps as gaps [KEY-03]', () => {
    const days = accounts.keyDays(accounts.keys()[0]?.id ?? '', day(29), day(0))
    const chart = chartOfKey(days, 'requests', 'desktop')
    expect(chart.buckets).toHaveLength(30)
    expect(chart.series[0]?.values).toEqual(days.map(({ figures }) => figures?.requests ?? null))
  })
})

describe('the chart by keyboard', () => {
  const chart = data()
  const last = chart.buckets.length - 1
  it('starts at the last bucket, and stops at both ends', () => {
    expect(walk('ArrowLeft', null, chart)).toEqual({ at: last, series: null })
    expect(walk('ArrowRight', { at: last, series: null }, chart)).toEqual({ at: last, series: null })
    expect(walk('Home', { at: 9, series: null }, chart)).toEqual({ at: 0, series: null })
    expect(walk('PageUp', { at: 3, series: null }, chart)).toEqual({ at: 0, series: null })
    expect(walk('Escape', { at: 3, series: null }, chart)).toBeNull()
    expect(walk('x', null, chart)).toBeUndefined()
  })
  it('selects every series of a bucket once per round', () => {
    const at = chart.buckets.findIndex(({ state }) => state === 'whole')
    const some = chart.series.filter(({ values }) => (values[at] ?? 0) > 0).map(({ id }) => id)
    const met: (string | null)[] = []
    let cursor = { at, series: null as string | null }
    for (let step = 0; step <= some.length; step++) {
      const next = walk('ArrowUp', cursor, chart)
      if (!next) throw new Error('It walks.')
      cursor = next
      met.push(cursor.series)
    }
    expect(met).toEqual([...some, null])
  })
  it('reads out a day, its sum and its series, and whether the day is unknown or still running', () => {
    const whole = chart.buckets.findIndex(({ state }) => state === 'whole')
    expect(spokenBucket(chart, whole, null)).toMatch(/20\d\d: .* SC\. writer-large .* SC\./)
    const gap = chart.buckets.findIndex(({ state }) => state === 'gap')
    expect(spokenBucket(chart, gap, null)).toContain('no data: never updated')
    expect(spokenBucket(chart, gap, null)).not.toContain('SC')
    expect(spokenBucket(chart, last, null)).toContain('still in progress')
    expect(spokenBucket(chart, whole, 'writer-large')).toMatch(/: writer-large [\d.]+ SC\.$/)
  })
  it('calls a whole month by its name and a partial one by its days', () => {
    const state = 'whole' as const
    expect(bucketLabelText({ from: '2026-02-01', to: '2026-02-28', state }, 'month')).toBe('Feb 2026')
    expect(bucketLabelText({ from: '2026-02-03', to: '2026-02-28', state }, 'month')).toContain('Feb 3')
    expect(bucketLabelText({ from: '2026-11-20', to: '2026-11-20', state }, 'day')).toBe('Fri, Nov 20, 2026')
  })
})

describe('amounts that may be negative', () => {
  const amount = fc
    .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }))
    .map(([parts]) => ({ parts, text: lessSc(decimal(parts > 0n ? parts : 0n), decimal(parts < 0n ? -parts : 0n)) }))
  function decimal(parts: bigint): string {
    const digits = parts.toString().padStart(19, '0')
    return `${digits.slice(0, -18)}.${digits.slice(-18)}`
  }
  it('are added and subtracted to the last digit', () => {
    fc.assert(
      fc.property(fc.array(amount), (amounts) => {
        const sum = sumSc(amounts.map(({ text }) => text))
        expect(exact(sum)).toBe(amounts.reduce((all, { parts }) => all + parts, 0n))
      }),
    )
  })
  it('have a real minus sign, and shares are computed exactly', () => {
    expect(showSc('-1.25')).toBe('\u22121.25')
    expect(showSc('-0.0000000001')).toBe('> \u22120.000000001')
    expect(showSc('0.1')).toBe('0.10')
    expect(shareOf('0.3', '0.9')).toBe(0.333_333)
    // A small share is not nothing.
    expect(showShare(shareOf('0.0012', '4.69') ?? 0)).toBe('<0.1%')
    expect(showShare(0)).toBe('0%')
    expect(shareOf('1', '0')).toBeNull()
    expect(changeOf('2', '1')).toBe(1)
    expect(changeOf('1', '0')).toBeNull()
  })
})

describe('both sources', () => {
  it('share only what both know', () => {
    const sides = sidesOf(accounts.compare(day(29), day(0), false))
    expect(sides.share).toBeGreaterThan(0.5)
    expect(sides.share).toBeLessThan(1)
    expect(exact(sides.elsewhere)).toBeGreaterThan(0n)
    expect(exact(sides.notYet)).toBeGreaterThan(0n)
  })
  it('show zero spend without local requests, and unknown spend without prices', () => {
    const missing = { requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0 }
    const figures = { requests: 2, tokensIn: 1, tokensOut: 1, tokensCached: null, unpriced: 0, estimated: 0, missing }
    const service = { ...figures, cost: '1.5' }
    const there = { model: 'm', day: null, service, here: null, elsewhere: '1.5', drift: 'elsewhere' } as const
    expect(sidesOf([there])).toMatchObject({ service: '1.5', here: '0', share: 0 })
    const unpriced = { ...there, here: { ...figures, cost: null, unpriced: 2 }, elsewhere: null, drift: 'unpriced' }
    expect(sidesOf([{ ...unpriced, drift: 'unpriced' }])).toMatchObject({ here: null })
  })
  it('are unknown when the service reports nothing', () => {
    expect(sidesOf(new Accounts('plain', 40).compare(day(29), day(0), false))).toMatchObject({
      service: null,
      share: null,
    })
    expect(sidesOf([])).toMatchObject({ service: null, here: null, elsewhere: '0', notYet: '0', share: null })
  })
})

describe("a time of a key's record", () => {
  it('stays the written day, and is unchanged without a time zone [KEY-01]', () => {
    expect(stamp('2026-05-01')).toBe('May 1, 2026')
    expect(stamp('2026-05-01 10:00:00')).toBe('2026-05-01 10:00:00')
    expect(stamp('2026-05-01T10:00:00Z')).toContain('2026')
  })
})

describe('a chart with more buckets than pixels', () => {
  const bucket = (at: number, state: Coverage) => ({ from: shift(at), to: shift(at), state })
  const shift = (at: number): string => new Date(Date.UTC(2016, 0, 1 + at)).toISOString().slice(0, 10)
  const many = fc
    .array(
      fc.record({ state: fc.constantFrom<Coverage>('whole', 'whole', 'gap', 'partial'), a: fc.nat(50), b: fc.nat(50) }),
      {
        minLength: 1,
        maxLength: 400,
      },
    )
    .map((days): ChartData => {
      const valuesOf = (of: 'a' | 'b') => days.map(({ state, [of]: value }) => (state === 'gap' ? null : value))
      const one = (of: 'a' | 'b') => ({ id: of, name: of, ink: 0 as const, values: valuesOf(of), text: String })
      return {
        buckets: days.map(({ state }, at) => bucket(at, state)),
        grain: 'day',
        series: [one('a'), one('b')],
        total: String,
        before: { values: valuesOf('b'), text: String },
        axis: String,
      }
    })

  it('merges buckets into bars that fit, each as high as its highest day: no peak and no gap is lost', () => {
    fc.assert(
      fc.property(many, fc.integer({ min: 65, max: 500 }), (chart, width) => {
        const count = chart.buckets.length
        const fold = folded(chart, bucketsPerBar(count, width))
        expect(fold.data.buckets.length).toBe(Math.ceil(count / fold.per))
        expect(fold.data.buckets.length).toBeLessThanOrEqual(Math.max(1, width - 64))
        fold.peaks.forEach((peak, bar) => {
          const { first, last } = barOf(fold, peak, count)
          expect([first, last]).toEqual([bar * fold.per, Math.min(count, (bar + 1) * fold.per) - 1])
          const own = Array.from({ length: last - first + 1 }, (_, at) => first + at)
          expect(heightAt(chart, peak)).toBe(Math.max(...own.map((at) => heightAt(chart, at))))
          expect(heightAt(fold.data, bar)).toBe(heightAt(chart, peak))
          const states = own.map((at) => chart.buckets[at]?.state)
          expect(fold.data.buckets[bar]?.state).toBe(
            (['gap', 'partial', 'running', 'whole'] as const).find((state) => states.includes(state)),
          )
          const before = own.flatMap((at) => chart.before?.values[at] ?? [])
          expect(fold.data.before?.values[bar]).toBe(before.length === 0 ? null : Math.max(...before))
        })
      }),
    )
  })
  it('labels days with their years over several years, in bars that fit', () => {
    const chart = data({ from: day(59) })
    const over = (years: readonly string[]): ChartData => {
      const buckets = years.map((year) => ({ from: `${year}-03-02`, to: `${year}-03-17`, state: 'whole' as const }))
      return { ...chart, buckets }
    }
    expect(bucketLabel(over(['2016', '2016', '2026']), 1)).toContain('2016')
    expect(bucketLabel(over(['2026', '2026']), 1)).not.toContain('2026')
  })

  it('says of a day whether its bar shows it', () => {
    const chart = data({ from: day(59) })
    const fold = folded(chart, 5)
    const other = [0, 1, 2, 3, 4].find((at) => !fold.peaks.includes(at)) ?? 0
    expect(mergedLabel(chart, fold, fold.peaks[0] ?? 0)).toMatch(/^Highest value from .* to /)
    expect(mergedLabel(chart, fold, other)).toMatch(/^Shares the bar from /)
  })
})
