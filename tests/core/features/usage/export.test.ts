import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { exportRows, exportView } from '../../../../src-main/core/features/usage/export.ts'
import { bucketsOf, exportColumns, rowsOf, totalsOf } from '../../../../src-main/core/features/usage/exportRows.ts'
import { type Column, columnOf, packColumn } from '../../../../src-preload/contract/column.ts'
import { type PageSeries, packView, unpackView } from '../../../../src-preload/contract/columns.ts'
import { packedView, type Series, type TableFormat, type UsageView } from '../../../../src-preload/contract/usage.ts'
import { firstCases } from '../../../helpers/effort.ts'
import { freshFolder } from '../../helpers/core.ts'
import { readDownload } from '../../helpers/transfers.ts'

let duck: Awaited<ReturnType<DuckDBInstance['connect']>>
let close: () => void
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:')
  duck = await instance.connect()
  close = () => {
    duck.closeSync()
    instance.closeSync()
  }
})
afterAll(() => close())

const missing = { requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0 }
const counts = { requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0 }
const figures = { ...counts, cost: '0', estimated: 0, unpriced: 0, missing }
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 6 })
const count = fc.oneof(fc.nat(100_000), fc.nat({ max: Number.MAX_SAFE_INTEGER }), fc.integer({ min: -1000, max: -1 }))
/** Every amount that the contract allows, in its notation. A correction is negative. */
const amount = fc
  .tuple(
    ...[fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.nat(18), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n })],
    fc.constantFrom('', '', '-'),
  )
  .map(([whole, digits, fraction, sign]) => {
    const text = digits === 0 ? `${whole}` : `${whole}.${`${fraction}`.padStart(18, '0').slice(0, digits)}`
    return /[1-9]/.test(text) ? sign + text : text
  })
const name = fc.oneof(
  fc.constantFrom(
    'writer-small',
    '',
    '=1+1',
    '@cf/model',
    '-',
    '"',
    'a,b',
    'a\r\nb',
    '\n=1+1',
    '＝1+1',
    'a;=1+1',
    'a\t@b',
    "'quoted'",
    'Übersetzer',
    '模型',
    'null',
    'NULL',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0')),
)

/** A view of some days. Every series has one value per bucket. */
const view: fc.Arbitrary<UsageView> = fc.nat(12).chain((days) => {
  const line = <T>(value: fc.Arbitrary<T>) => fc.array(maybe(value), { minLength: days, maxLength: days })
  const series: fc.Arbitrary<Series> = fc.record({
    id: name,
    name,
    colour: fc.constant(null),
    total: fc.constant(figures),
    requests: line(count),
    tokensIn: line(count),
    tokensOut: line(count),
    tokensCached: line(count),
    cost: line(amount),
    incomplete: line(fc.nat(3)),
  })
  return fc.record({
    query: fc.record({
      accountId: fc.constant(randomUUID()),
      from: fc.constant('2026-02-25'),
      to: fc.constant('2026-03-09'),
      grain: fc.constant('day' as const),
      by: fc.constantFrom('model', 'app'),
      search: fc.constant(''),
      source: fc.constantFrom('service', 'here'),
    }),
    buckets: fc.constant(
      Array.from({ length: days }, (_, at) => {
        const day = new Date(Date.UTC(2026, 1, 25 + at)).toISOString().slice(0, 10)
        return { from: day, to: day, state: at % 4 === 3 ? ('gap' as const) : ('whole' as const) }
      }),
    ),
    series: fc.array(series, { maxLength: 5 }),
    total: fc.constant(figures),
    before: fc.constant(null),
    asOf: maybe(fc.constant('2026-11-21T12:34:56.789Z')),
  })
})

const types: Record<(typeof exportColumns)[number], string> = {
  from: 'DATE',
  to: 'DATE',
  state: 'VARCHAR',
  source: 'VARCHAR',
  by: 'VARCHAR',
  id: 'VARCHAR',
  name: 'VARCHAR',
  requests: 'BIGINT',
  tokens_in: 'BIGINT',
  tokens_out: 'BIGINT',
  tokens_cached: 'BIGINT',
  cost_sc: 'DECIMAL(38, 18)',
  as_of: 'TIMESTAMP',
  incomplete: 'BIGINT',
}
const typed = `{${exportColumns.map((column) => `'${column}': '${types[column]}'`).join(', ')}}`

/** Reads a file of each format with an independent reader. */
const readers: Record<TableFormat, (path: string) => string> = {
  parquet: (path) => `read_parquet('${path}')`,
  csv: (path) =>
    `read_csv('${path}', header = true, delim = ',', quote = '"', escape = '"', allow_quoted_nulls = false, auto_detect = false, columns = ${typed})`,
  json: (path) => `read_json('${path}', format = 'array', columns = ${typed})`,
}

const all = async (sql: string): Promise<Record<string, unknown>[]> => {
  const result = await duck.runAndReadAll(sql)
  return result.getRowObjectsJson()
}

function written(rows: Parameters<typeof exportRows>[0], format: TableFormat): string {
  const path = join(freshFolder(), `view.${format}`)
  writeFileSync(path, exportRows(rows, format))
  return readers[format](path)
}

/** An amount as DuckDB writes it, with all 18 fraction digits. */
const full = (text: string): string => {
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(18, '0')}`
}
const atto = (text: string): bigint => BigInt(full(text).replace('.', ''))
const guarded = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)

describe.each<TableFormat>(firstCases(1, ['parquet', 'csv', 'json']))('a view as %s', (format) => {
  it('is read back by DuckDB value by value and with equal sums', async () => {
    await fc.assert(
      fc.asyncProperty(view, async (given) => {
        const rows = rowsOf(given)
        expect(rows).toHaveLength(given.buckets.length * given.series.length)
        const from = written(rows, format)
        const shown = format === 'csv' ? guarded : (text: string) => text
        const read = await all(
          `SELECT * REPLACE (CAST(cost_sc AS VARCHAR) AS cost_sc, epoch_ms(as_of) AS as_of) FROM ${from}`,
        )
        expect(read).toEqual(
          rows.map((row) => ({
            ...row,
            id: shown(row.id),
            name: shown(row.name),
            requests: text(row.requests),
            tokens_in: text(row.tokens_in),
            tokens_out: text(row.tokens_out),
            tokens_cached: text(row.tokens_cached),
            cost_sc: row.cost_sc === null ? null : full(row.cost_sc),
            as_of: row.as_of === null ? null : String(Date.parse(row.as_of)),
            incomplete: text(row.incomplete),
          })),
        )
        const [sums] = await all(`SELECT sum(cost_sc)::VARCHAR AS cost, sum(requests)::VARCHAR AS requests,
          sum(tokens_in)::VARCHAR AS t, count(*) FILTER (state = 'gap') AS gaps FROM ${from}`)
        const costs = rows.flatMap(({ cost_sc: cost }) => cost ?? [])
        const cost = costs.reduce((sum, one) => sum + atto(one), 0n)
        expect(atto(varchar(sums?.cost))).toBe(cost)
        const requests = rows.reduce((sum, row) => sum + BigInt(row.requests ?? 0), 0n)
        expect(BigInt(varchar(sums?.requests))).toBe(requests)
        expect(Number(sums?.gaps)).toBe(rows.filter(({ state }) => state === 'gap').length)
      }),
      { numRuns: 40 },
    )
  }, 60_000)

  it('has the types of a table even without rows', async () => {
    const from = written([], format)
    const described = await all(`DESCRIBE SELECT * FROM ${from}`)
    expect(described.map((column) => [column.column_name, varchar(column.column_type).replace(',', ', ')])).toEqual(
      exportColumns.map((column) => [
        column,
        format === 'parquet' && column === 'as_of' ? expect.stringMatching(/^TIMESTAMP/) : types[column],
      ]),
    )
    expect(await all(`SELECT * FROM ${from}`)).toEqual([])
  })
})

/** The sum of no rows is NULL. */
const varchar = (value: unknown): string => (typeof value === 'string' ? value : '0')
const text = (count: number | null): string | null => (count === null ? null : String(count))

describe('the export file of a view', () => {
  it('is named after its contents, is stored in the transfers folder and is read in parts', async () => {
    const [given] = fc.sample(
      view.filter(({ buckets, series }) => buckets.length > 0 && series.length > 0),
      1,
    )
    if (!given) throw new Error('No view.')
    const transfers = createTransfers({ dataDir: freshFolder() })
    const { query } = given
    for (const format of ['csv', 'json', 'parquet'] as const) {
      const bytes = exportRows(rowsOf(given), format)
      const write = async (path: string): Promise<number> => {
        await writeFile(path, bytes)
        return bytes.length
      }
      const file = await exportView(write, { query, format }, transfers)
      expect(file.name).toBe(`usage-${query.source}-by-${query.by}-2026-02-25-2026-03-09.${format}`)
      const saved = await readDownload(transfers, file.downloadId)
      expect(saved).toEqual(Buffer.from(bytes))
      expect(file.bytes).toBe(saved.length)
    }
    await transfers.close()
  })
})

it('sums per day and per series are null where a source reports nothing, and 0 where nothing was used', () => {
  const [given] = fc.sample(
    view.filter(({ buckets }) => buckets.length > 0),
    1,
  )
  if (!given) throw new Error('No view.')
  const day = { from: '2026-03-01', to: '2026-03-01' }
  const one = (cost: string | null, cached: number | null, requests: number | null = 1): Series => ({
    id: 'm',
    name: 'm',
    colour: null,
    total: { ...figures, cost },
    requests: [requests],
    tokensIn: [requests],
    tokensOut: [requests],
    tokensCached: [cached],
    cost: [cost],
    incomplete: [requests === null ? null : cost === null ? 1 : 0],
  })
  const of = (
    series: Series[],
    state: UsageView['buckets'][number]['state'] = 'whole',
    asOf = '2026-03-09T00:00:00.000Z',
  ) => bucketsOf({ ...given, buckets: [{ ...day, state }], series, asOf })[0]
  expect(of([])).toMatchObject({ requests: 0, tokens_cached: 0, cost_sc: '0' })
  expect(of([one('0.1', 1), one(null, null)])).toMatchObject({
    requests: 2,
    tokens_cached: 1,
    cost_sc: '0.1',
    incomplete: 1,
  })
  expect(of([one('1000000000.000000000000000001', 1), one('1e-18', 1)])?.cost_sc).toBe('1000000000.000000000000000002')
  expect(of([one(null, 1)])).toMatchObject({ requests: 1, cost_sc: null })
  expect(of([one('5', 1), one('-7.5', 1, -2)])).toMatchObject({ requests: -1, cost_sc: '-2.5', incomplete: 0 })
  const nothing = { requests: null, tokens_in: null, tokens_cached: null, cost_sc: null }
  expect(of([], 'gap')).toMatchObject(nothing)
  expect(of([one(null, null, null)], 'running')).toMatchObject(nothing)
  expect(of([], 'running', '2026-02-28T23:59:59.999Z')).toMatchObject(nothing)
  expect(of([], 'running', '2026-03-01T00:00:00.000Z')).toMatchObject({ requests: 0, cost_sc: '0' })
  const whole = (...states: UsageView['buckets'][number]['state'][]) =>
    totalsOf({ ...given, buckets: states.map((state) => ({ ...day, state })), series: [one('1', 1)] })[0]?.state
  expect([whole('gap', 'gap'), whole('gap', 'whole'), whole('partial', 'running')]).toEqual([
    'gap',
    'partial',
    'partial',
  ])
  expect([whole('whole', 'running'), whole('whole')]).toEqual(['running', 'whole'])
})

it('a CSV contains no name that a spreadsheet would run as a formula, even with semicolons or tabs as separators', () => {
  const hostile = ['=cmd()', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1', '＝1', 'a;=1', 'a\t=1', 'a,=1', '"=1', "'=1"]
  const row = {
    from: 'd',
    to: 'd',
    state: 'whole',
    source: 'here',
    by: 'model',
    requests: 1,
    tokens_in: 1,
    tokens_out: 1,
  }
  for (const name of hostile) {
    const text = Buffer.from(
      exportRows([{ ...row, id: '', name, tokens_cached: null, cost_sc: '1', as_of: null, incomplete: 0 }], 'csv'),
    ).toString()
    const cell = text.slice(text.indexOf('"",') + 3, text.indexOf(',1,1,1,,1,'))
    const inside = /^"(.*)"$/s.exec(cell)?.[1]
    expect(inside ?? cell).not.toMatch(/^[=+\-@\t\r\n＝]/)
    if (inside === undefined) expect(cell).not.toMatch(/[;\t\r\n,"]/)
  }
})

describe('a packed view', () => {
  it('changes no digit, keeps gaps and keeps names unchanged', () => {
    // The view crosses as JSON, and a column is decoded when it is first read.
    const looked = (one: unknown): unknown => JSON.parse(JSON.stringify(one))
    const cellsOf = (one: PageSeries, count: number): Series => {
      const cells = <T extends number | string>(column: Column<T>) =>
        Array.from({ length: count }, (_, at) => column.at(at))
      const { requests, tokensIn, tokensOut, tokensCached, cost, incomplete } = one
      return {
        ...one,
        requests: cells(requests),
        tokensIn: cells(tokensIn),
        tokensOut: cells(tokensOut),
        tokensCached: cells(tokensCached),
        cost: cells(cost),
        incomplete: cells(incomplete),
      }
    }
    const some = view.filter(({ buckets }) => buckets.length > 0)
    fc.assert(
      fc.property(some, (given) => {
        const there = packedView.parse(looked(packView(given)))
        const { series, ...page } = unpackView(there)
        expect(looked({ ...page, series: series.map((one) => cellsOf(one, given.buckets.length)) })).toEqual(
          looked(given),
        )
      }),
    )
  })
  it('keeps amounts of any length to the last digit, in the same notation', () => {
    const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{1,${most}}$`))
    const amount = fc.oneof(
      ...[fc.constant(null), fc.tuple(digits(15), digits(18)).map((parts) => parts.join('.'))],
      ...[fc.constantFrom('0', '0.1', '12.5', '999999999999999', '0.000000000000000001', '007', '1.50'), digits(6)],
    )
    const round = fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => String(Number(value.toFixed(6))))
    const plain = round.filter((text) => !text.includes('e'))
    const count = fc.oneof(fc.constant(null), fc.nat(), fc.constantFrom(0, 56, 57, Number.MAX_SAFE_INTEGER, 1e300, -1))
    fc.assert(
      fc.property(fc.array(amount), fc.array(plain), fc.array(count), (amounts, plains, counts) => {
        for (const given of [amounts, plains, ['1', ...plains, null]]) {
          const column = columnOf(packColumn(given), String)
          expect(given.map((_, at) => column.at(at))).toEqual(given)
          expect([column.at(-1), column.at(given.length)]).toEqual([null, null])
          column.numbers().forEach((value, at) => {
            const exact = given[at] ?? null
            if (value === null || exact === null) expect([value, exact]).toEqual([null, null])
            else expect(Math.abs(value - Number(exact))).toBeLessThanOrEqual(Number(exact) * 1e-14)
          })
        }
        const column = columnOf(packColumn(counts), Number)
        expect(counts.map((_, at) => column.at(at))).toEqual(counts)
      }),
      { numRuns: 300 },
    )
  })
  it('is half as long as its unpacked cells', () => {
    const costs = Array.from(
      { length: 3_000 },
      (_, at) => `0.${String((at * 7919) % 1_000_000).padStart(6, '0')}00000001`,
    )
    expect(packColumn(costs).length).toBeLessThan(costs.join().length / 2)
  })
})
