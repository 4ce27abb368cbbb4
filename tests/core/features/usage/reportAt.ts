import { dayOfMs, dayText } from '../../../../src-main/core/shared/days.ts'

/** Interval between two replies, ms of simulated time. */
export const stepMs = 7 * 3_600_000

/** The account whose usage a test stores. */
export const accountB = { id: 'b', kind: 'service', baseUrl: 'http://b', userId: 'u', name: 'B', usedAt: 0 } as const

/** The service's reply at a step: 30 days of three models. Closed days change now and then. */
export function reportAt(step: number) {
  const today = dayOfMs(step * stepMs)
  const models = ['a', 'b', 'c']
  const usage = Array.from({ length: 30 }, (_, back) => today - back).flatMap((day) =>
    models.map((model, index) => ({
      user_id: 'u',
      date: `${dayText(day)}T00:00:00Z`,
      model,
      tokens_in: 1,
      tokens_out: 1,
      tokens_cached: 0,
      requests: day === today ? step : Math.floor((step + day + index) / 50),
      cost_sc: `0.${(day % 1000) + index + 1}`,
    })),
  )
  return { usage, balance: String(1000 - step), total_spent: String(step) }
}
