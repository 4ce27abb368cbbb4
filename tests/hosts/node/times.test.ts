import { describe, expect, it } from 'vitest'
import { localTime, periodOf, readDays, zoneName } from '../../../src-main/hosts/node/times.ts'

const now = Date.parse('2026-11-29T03:04:05Z')
const asText = (text: string, zone = 'UTC') => {
  const period = periodOf(text, { now, zone })
  return period && [new Date(period.from).toISOString(), new Date(period.to).toISOString()]
}

describe('a time as people type it', () => {
  it.each([
    ['30m', '2026-11-29T02:34:05.000Z'],
    ['1h', '2026-11-29T02:04:05.000Z'],
    ['7d', '2026-11-22T03:04:05.000Z'],
    ['2w', '2026-11-15T03:04:05.000Z'],
    ['2026-11-21T14:05Z', '2026-11-21T14:05:00.000Z'],
    ['2026-11-21T14:05', '2026-11-21T14:05:00.000Z'],
    ['2026-11-21T14:05+02:00', '2026-11-21T12:05:00.000Z'],
  ])('%s is the instant %s', (text, at) => {
    expect(asText(text)).toEqual([at, at])
  })

  it.each([
    ['today', '2026-11-29', '2026-11-30'],
    ['yesterday', '2026-11-28', '2026-11-29'],
    ['2026-11', '2026-11-01', '2026-12-01'],
    ['2026-12', '2026-12-01', '2027-01-01'],
    ['2024-02', '2024-02-01', '2024-03-01'],
    ['2026-11-21', '2026-11-21', '2026-11-22'],
  ])('%s is the time from %s to before %s', (text, from, to) => {
    expect(asText(text)).toEqual([`${from}T00:00:00.000Z`, `${to}T00:00:00.000Z`])
  })

  it.each([
    '',
    '1',
    '5y',
    '1.5h',
    '-1d',
    '2026',
    '2026-13',
    '2026-02-30',
    '2026-2-3',
    '0026-11',
    '99999d',
    'now',
    'TODAY',
  ])('%j is none', (text) => {
    expect(asText(text)).toBeNull()
  })

  it('is in its zone, also on the days when the clocks change', () => {
    // In Berlin it is 04:04 of the same day; in Honolulu it is still the day before.
    expect(asText('today', 'Europe/Berlin')).toEqual(['2026-11-28T23:00:00.000Z', '2026-11-29T23:00:00.000Z'])
    expect(asText('today', 'Pacific/Honolulu')).toEqual(['2026-11-28T10:00:00.000Z', '2026-11-29T10:00:00.000Z'])
    // 25 hours, and 23.
    expect(asText('2026-10-25', 'Europe/Berlin')).toEqual(['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'])
    expect(asText('2026-03-29', 'Europe/Berlin')).toEqual(['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'])
    expect(asText('2026-11-21T14:05', 'Asia/Kolkata')).toEqual(['2026-11-21T08:35:00.000Z', '2026-11-21T08:35:00.000Z'])
    expect(localTime(now, 'Asia/Kolkata')).toBe('2026-11-29 08:34:05')
    expect([zoneName('UTC'), zoneName('Asia/Kolkata', now)]).toEqual(['UTC', 'GMT+5:30'])
  })
})

describe('days of --since and --until', () => {
  it('are those in which a time falls; the end of a month is its last day', () => {
    expect(readDays({ since: '7d', until: 'today' }, now)).toEqual({ since: '2026-11-22', until: '2026-11-29' })
    expect(readDays({ since: '2026-11', until: '2026-11' }, now)).toEqual({ since: '2026-11-01', until: '2026-11-30' })
    expect(readDays({}, now)).toEqual({})
  })

  it('are a usage error in the wrong order', () => {
    expect(() => readDays({ since: 'today', until: 'yesterday' }, now)).toThrow(
      expect.objectContaining({ exitCode: 2, message: '--since 2026-11-29 is later than --until 2026-11-28.' }),
    )
  })
})
