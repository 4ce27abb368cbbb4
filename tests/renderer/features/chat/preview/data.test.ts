import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesOf } from '../../../../../src-renderer/features/chat/preview/changes.ts'
import {
  maxCsvColumns,
  maxCsvRows,
  numberOf,
  readCsv,
  sortRows,
} from '../../../../../src-renderer/features/chat/preview/csv.ts'
import { closedJson, readJson } from '../../../../../src-renderer/features/chat/preview/json.ts'
import { cpuTime } from '../../../../helpers/cpuTime.ts'
import { seed } from '../../../../helpers/random.ts'

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

describe('a table', () => {
  it('of quoted cells is read back unchanged, with each separator and line end', () => {
    const cells = fc.array(fc.array(fc.string({ unit: 'binary', maxLength: 6 }), { minLength: 2, maxLength: 5 }), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(cells, fc.constantFrom(',', ';', '\t'), fc.constantFrom('\n', '\r\n'), (rows, separator, end) => {
        const read = readCsv(rows.map((row) => row.map(quoted).join(separator)).join(end))
        expect([read.header, ...read.rows]).toEqual(rows)
      }),
      { seed, numRuns: 50 },
    )
  })
  it('finds its separator when the first line has a cell of several lines', () => {
    expect(readCsv('"a\nb"\t""\nc\td')).toMatchObject({ header: ['a\nb', ''], rows: [['c', 'd']] })
    expect(readCsv('5" disk;7" disk\nc;d')).toMatchObject({ header: ['5" disk', '7" disk'], rows: [['c', 'd']] })
  })
  it('of any text is read without a failure, and growing text never loses earlier rows', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ';', '\t'), maxLength: 80 }), (text) => {
        const whole = readCsv(text)
        expect(whole.rows.length).toBeLessThanOrEqual(text.split('\n').length)
      }),
      { seed },
    )
  })
  it('is bounded in rows and columns, and says so', () => {
    const long = readCsv('a\n'.repeat(maxCsvRows + 10))
    expect([long.rows.length, long.cut]).toEqual([maxCsvRows, true])
    const wide = readCsv('a,'.repeat(1_000_000))
    expect([wide.header.length, wide.cut]).toEqual([maxCsvColumns, true])
    expect(readCsv('a,b\n1,2').cut).toBe(false)
  })
  it('is sorted by numbers before texts, and keeps equal rows in order', () => {
    const rows = [
      ['b', '10'],
      ['a', '9'],
      ['c', 'x'],
      ['d', '-1.5'],
      ['e', '9'],
    ]
    expect(sortRows(rows, 1, false).map(([name]) => name)).toEqual(['d', 'a', 'e', 'b', 'c'])
    expect(sortRows(rows, 1, true).map(([name]) => name)).toEqual(['c', 'b', 'a', 'e', 'd'])
    expect(['1,234.5', '€ 3', '12 %', '1e3', '0x10', ''].map(numberOf)).toEqual([1234.5, 3, 12, 1000, null, null])
  })
})

describe('a JSON text', () => {
  it('cut anywhere is read up to its last complete value, which is a part of the whole', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.boolean(), (json, cut, spaced) => {
        const text = spaced ? JSON.stringify(JSON.parse(json), null, 2) : json
        const part = text.slice(0, cut % (text.length + 1))
        const closed = closedJson(part)
        if (closed !== null) expect(() => JSON.parse(closed)).not.toThrow()
      }),
      { seed },
    )
    expect(readJson('{"a":[1,2,{"b":"c', true)).toEqual({ value: { a: [1, 2, {}] } })
    expect(readJson('{"a":1,"b', true)).toEqual({ value: { a: 1 } })
  })
  it('that is complete and broken has a fault, and a hostile one is read in time', () => {
    expect(readJson('{"a":1,', false)).toHaveProperty('fault')
    expect(readJson('', true)).toHaveProperty('fault')
    const cpuMs = cpuTime()
    for (const text of [
      '['.repeat(500_000),
      '{"a":'.repeat(200_000),
      '[1,'.repeat(200_000),
      '"'.repeat(1_000_001),
      `${'['.repeat(400)}${'1,'.repeat(500_000)}`,
    ])
      readJson(text, true)
    expect(cpuMs()).toBeLessThan(2_000)
    expect(Object.keys((readJson('{"__proto__":{"x":1}}', false) as { value: object }).value)).toEqual(['__proto__'])
  })
})

describe('changes', () => {
  it('give both texts back: the unchanged and removed lines are the one before, the unchanged and added the one after', () => {
    const texts = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
      .map((lines) => `${lines.join('\n')}x`)
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const changes = changesOf(before, after)
        const side = (other: string): string =>
          (changes?.parts ?? [])
            .flatMap((part) => (part.is === other || part.is === 'skipped' ? [] : [part.text]))
            .join('\n')
        const hidden = changes?.parts.some(({ is }) => is === 'skipped')
        if (!hidden) expect([side('added'), side('removed')]).toEqual([before, after])
      }),
      { seed },
    )
  })
  it('leave out unchanged lines, and give up on texts that are too long or too different', () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`)
    const changes = changesOf(lines.join('\n'), lines.with(30, 'other').join('\n'))
    expect(changes).toMatchObject({ added: 1, removed: 1 })
    expect(changes?.parts.filter(({ is }) => is === 'skipped')).toEqual([
      { is: 'skipped', count: 27 },
      { is: 'skipped', count: 26 },
    ])
    expect(changesOf('x'.repeat(300_000), 'y'.repeat(300_000))).toBeNull()
    const other = (name: string): string => Array.from({ length: 15_000 }, (_, at) => `${name}${at}`).join('\n')
    const cpuMs = cpuTime()
    expect(changesOf(other('a'), other('b'))).toBeNull()
    expect(cpuMs()).toBeLessThan(3_000)
  })
})
