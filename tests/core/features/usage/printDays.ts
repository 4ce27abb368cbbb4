import { reportedByUsage } from '../../../../src-main/core/features/usage/parseReplies.ts'
import { bucketsOf, dayOfDate, dayText } from '../../../../src-main/core/shared/days.ts'
import { instantOf } from '../../../../src-preload/contract/limitText.ts'

// Prints how a process in the time zone of its environment reads dates.
const dates = [
  '2026-03-08T02:30:00',
  '2026-03-29 02:30:00',
  '2026-10-25',
  '2026-11-01T00:00:00-11:00',
  '2026-12-31T23:59:59+14:00',
]
const dayOf = (text: string): number => dayOfDate(text) ?? 0
const stretches = (from: string, to: string, grain: 'week' | 'month'): string[] =>
  bucketsOf(dayOf(from), dayOf(to), grain).map((one) => `${dayText(one.from)}..${dayText(one.to)}`)
const at = Date.parse('2026-11-21T00:00:00Z')
const { days } = reportedByUsage({ askedAt: at, answeredAt: at }, { usage: [], balance: null, total_spent: null })
if (!days) throw new Error('It speaks of no days.')
const said = {
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  days: dates.map((date) => dayText(dayOf(date))),
  weeks: stretches('2026-10-19', '2026-11-02', 'week'),
  months: stretches('2026-01-31', '2026-03-01', 'month'),
  // Without a zone.
  instants: ['2026-11-21T12:00:00', '2026-11-21 12:00', '2026-11-21'].map((text) =>
    new Date(instantOf(text) ?? 0).toISOString(),
  ),
  covered: [`${dayText(days.from)}..${dayText(days.to)}`, days.to - days.from + 1],
}
process.stdout.write(JSON.stringify(said))
