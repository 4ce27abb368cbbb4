import { dayMs } from '../../core/shared/days.ts'
import { usageError } from './failure.ts'

// Which backups of a folder a schedule keeps.

/** The period of a time, as text that sorts by time; UTC. A week begins on Monday. */
const periods: Readonly<Record<string, (at: Date) => string>> = {
  last: (at) => at.toISOString(),
  hourly: (at) => at.toISOString().slice(0, 13),
  daily: (at) => at.toISOString().slice(0, 10),
  weekly: (at) => new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10),
  monthly: (at) => at.toISOString().slice(0, 7),
  yearly: (at) => at.toISOString().slice(0, 4),
}

/** How many periods of each kind keep their newest backup. */
export type KeepRule = readonly { period: string; count: number }[]

/** Reads `daily=7,weekly=4`. @throws CommanderError */
export function readKeepRule(text: string): KeepRule {
  return text.split(',').map((part) => {
    const [, period = '', count = ''] = /^\s*([a-z]+)=(\d{1,4})\s*$/.exec(part) ?? []
    if (Object.hasOwn(periods, period) && Number(count) > 0) return { period, count: Number(count) }
    throw usageError(
      `--keep: “${part.slice(0, 60)}” is not understood. Write such as daily=7,weekly=4; the names are ${Object.keys(periods).join(', ')}.`,
    )
  })
}

/** The backups that the rule does not keep. The newest is always kept. */
export function backupsToDelete<T extends { at: Date }>(backups: readonly T[], rule: KeepRule): T[] {
  const newestFirst = backups.toSorted((a, b) => b.at.getTime() - a.at.getTime())
  const kept = new Set<T>(newestFirst.slice(0, 1))
  for (const { period, count } of rule) {
    const seen = new Set<string>()
    for (const one of newestFirst) {
      const name = periods[period]?.(one.at) ?? ''
      if (seen.has(name)) continue
      if (seen.size === count) break
      seen.add(name)
      kept.add(one)
    }
  }
  return newestFirst.filter((one) => !kept.has(one))
}
