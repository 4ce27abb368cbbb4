// Calendar days as text, such as `2026-11-21`. Days are never converted between time zones.

const dayMs = 86_400_000

/** Days since 1970. NaN for an invalid day. */
export const numberOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs
export const dayOfNumber = (number: number): string => new Date(number * dayMs).toISOString().slice(0, 10)
export const shiftDay = (day: string, by: number): string => dayOfNumber(numberOfDay(day) + by)
/** Number of days from one date to another, both included. */
export const daysBetween = (from: string, to: string): number => numberOfDay(to) - numberOfDay(from) + 1
/** The UTC day of an instant, as usage data counts days. */
export const dayOfInstant = (ms: number): string => dayOfNumber(Math.floor(ms / dayMs))

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && Number.isFinite(numberOfDay(text)) && dayOfNumber(numberOfDay(text)) === text

/** First and last instant of a range of days, UTC. */
export const instantsOf = (from: string, to: string): { since: string; until: string } => ({
  since: `${from}T00:00:00.000Z`,
  until: `${to}T23:59:59.999Z`,
})
