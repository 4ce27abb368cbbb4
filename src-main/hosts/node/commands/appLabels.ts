import type { App } from '../../../../src-preload/contract/apps.ts'

// A tool's key in words for a terminal.

/** `2026-11-21T05:21:06.396Z` as `2026-11-21 05:21 UTC`. */
export const toMinute = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`

const hasExpired = ({ expiresAt }: App): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now()

/** Why it is refused, or when it was used last. */
export function stateOf(tool: App): string {
  if (tool.revokedAt) return `revoked ${toMinute(tool.revokedAt)}`
  if (tool.expiresAt && hasExpired(tool)) return `expired ${toMinute(tool.expiresAt)}`
  if (tool.pausedAt) return `paused ${toMinute(tool.pausedAt)}`
  return tool.lastUsedAt ? `last used ${toMinute(tool.lastUsedAt)}` : 'never used'
}

/** What differs from a key without limits, in one line; empty where nothing does. */
export function limitsOf(tool: App): string {
  const parts = [
    tool.budgetDay && `${tool.budgetDay} SC a day`,
    tool.budgetMonth && `${tool.budgetMonth} SC a month`,
    tool.budgetTotal && `${tool.budgetTotal} SC in all`,
    tool.requestsPerMinute && `${counted(tool.requestsPerMinute, 'request')} a minute`,
    tool.tokensPerMinute && `${counted(tool.tokensPerMinute, 'token')} a minute`,
    tool.concurrent && `${tool.concurrent} at once`,
    tool.models && (tool.models.length > 2 ? `${tool.models.length} models` : `only ${tool.models.join(' and ')}`),
    tool.endpoints && `for ${tool.endpoints.join(' ')}`,
    tool.expiresAt && !hasExpired(tool) && `until ${toMinute(tool.expiresAt)}`,
    tool.logBodies && 'bodies logged',
    !tool.retries && 'no retries',
    tool.failFast && 'fails fast',
  ]
  return parts.filter((part) => typeof part === 'string').join(', ')
}

const counted = (count: number, what: string): string => `${count} ${count === 1 ? what : `${what}s`}`

/** Every field, one a line. */
export function detailsOf(tool: App): [name: string, value: string][] {
  const at = (instant: string | null, never: string): string => (instant === null ? never : toMinute(instant))
  const limit = (value: number | string | null, unit = ''): string => (value === null ? 'no limit' : `${value}${unit}`)
  return [
    ['id', tool.id],
    ['name', tool.name],
    ['colour', tool.colour],
    ['made', toMinute(tool.createdAt)],
    ['last used', at(tool.lastUsedAt, 'never')],
    ['paused', at(tool.pausedAt, 'no')],
    ['revoked', at(tool.revokedAt, 'no')],
    ['expires', at(tool.expiresAt, 'never')],
    ['models', tool.models?.join(', ') ?? 'all'],
    ['endpoints', tool.endpoints?.join(', ') ?? 'all'],
    ['requests a minute', limit(tool.requestsPerMinute)],
    ['tokens a minute', limit(tool.tokensPerMinute)],
    ['requests at once', limit(tool.concurrent)],
    ['budget a day', limit(tool.budgetDay, ' SC')],
    ['budget a month', limit(tool.budgetMonth, ' SC')],
    ['budget in all', limit(tool.budgetTotal, ' SC')],
    ['bodies', tool.logBodies ? 'logged' : 'not logged'],
    ['retries', tool.retries ? 'yes' : 'no'],
    ['when it must wait', tool.failFast ? 'refused at once' : 'waits its turn'],
  ]
}
