import type { App } from '../../../../src-preload/contract/apps.ts'
import { counted } from '../../../core/shared/counted.ts'

// Texts about an app for a terminal.

/** Formats `2026-11-21T05:21:06.396Z` as `2026-11-21 05:21 UTC`. */
export const toMinute = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`

const hasExpired = ({ expiresAt }: App): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now()

/** Why the app is refused, or when its key was last used. */
export function stateOf(app: App): string {
  if (app.revokedAt) return `revoked ${toMinute(app.revokedAt)}`
  if (app.expiresAt && hasExpired(app)) return `expired ${toMinute(app.expiresAt)}`
  if (app.pausedAt) return `paused ${toMinute(app.pausedAt)}`
  return app.lastUsedAt ? `last used ${toMinute(app.lastUsedAt)}` : 'never used'
}

/** The limits and other settings that differ from the defaults, in one line; empty when none do. */
export function limitsOf(app: App): string {
  const parts = [
    app.budgetDay && `${app.budgetDay} SC per day`,
    app.budgetMonth && `${app.budgetMonth} SC per month`,
    app.budgetTotal && `${app.budgetTotal} SC in total`,
    app.requestsPerMinute && `${counted(app.requestsPerMinute, 'request')} per minute`,
    app.tokensPerMinute && `${counted(app.tokensPerMinute, 'token')} per minute`,
    app.concurrent && `${app.concurrent} at once`,
    app.modelMap.length > 0 && counted(app.modelMap.length, 'model rule'),
    app.models && (app.models.length > 2 ? `${app.models.length} models` : `only ${app.models.join(' and ')}`),
    app.endpoints && `for ${app.endpoints.join(' ')}`,
    app.expiresAt && !hasExpired(app) && `until ${toMinute(app.expiresAt)}`,
    app.logBodies && 'bodies stored',
    !app.retries && 'no retries',
    app.failFast && 'fails fast',
    !app.adaptRequests && 'requests not adapted',
    app.atBudget === 'ask' && 'asks at a budget',
    app.askNewModel && 'asks about new models',
    app.askAbove && `asks above ${app.askAbove} SC a request`,
    app.tools && 'tools allowed',
  ]
  return parts.filter((part) => typeof part === 'string').join(', ')
}

/** Whether the key before the last rotation still works. */
function previousKeyOf({ previousKeyUntil }: App): string {
  if (previousKeyUntil === null) return 'none'
  const works = Date.parse(previousKeyUntil) > Date.now()
  return `${works ? 'works until' : 'stopped'} ${toMinute(previousKeyUntil)}`
}

/** When a notice says that the app is busy. */
const busyOf = ({ busyRequests, busySpend }: App): string =>
  [busyRequests && counted(busyRequests, 'request'), busySpend && `${busySpend} SC`]
    .filter((part) => typeof part === 'string')
    .join(' or ')
    .replace(/$/, ' an hour')
    .replace(/^ an hour$/, 'no notice')

/** Every field as a name and a value. */
export function detailsOf(app: App): [name: string, value: string][] {
  const at = (instant: string | null, never: string): string => (instant === null ? never : toMinute(instant))
  const limit = (value: number | string | null, unit = ''): string => (value === null ? 'no limit' : `${value}${unit}`)
  return [
    ['id', app.id],
    ['name', app.name],
    ['colour', app.colour],
    ['created', toMinute(app.createdAt)],
    ['last used', at(app.lastUsedAt, 'never')],
    ['paused', at(app.pausedAt, 'no')],
    ['revoked', at(app.revokedAt, 'no')],
    ['previous key', previousKeyOf(app)],
    ['expires', at(app.expiresAt, 'never')],
    ['model map', app.modelMap.map(({ pattern, model }) => `${pattern} -> ${model}`).join(', ') || 'none'],
    ['models', app.models?.join(', ') ?? 'all'],
    ['endpoints', app.endpoints?.join(', ') ?? 'all'],
    ['requests per minute', limit(app.requestsPerMinute)],
    ['tokens per minute', limit(app.tokensPerMinute)],
    ['concurrent requests', limit(app.concurrent)],
    ['budget per day', limit(app.budgetDay, ' SC')],
    ['budget per month', limit(app.budgetMonth, ' SC')],
    ['total budget', limit(app.budgetTotal, ' SC')],
    ['bodies', app.logBodies ? 'stored' : 'not stored'],
    ['retries', app.retries ? 'yes' : 'no'],
    ['when at a limit', app.failFast ? 'refused at once' : 'queued'],
    ['requests adapted', app.adaptRequests ? 'yes' : 'no'],
    ['at a budget', app.atBudget === 'ask' ? 'a person is asked' : 'refused'],
    ['new models', app.askNewModel ? 'a person is asked' : 'sent'],
    ['asks above', app.askAbove === null ? 'never' : `${app.askAbove} SC a request`],
    ['busy above', busyOf(app)],
    ['tools (MCP)', app.tools ? 'allowed' : 'not allowed'],
    ['folder for results of tools', app.toolOutput ?? 'none'],
    ['folders that tools may read', app.toolInputs.join(', ') || 'none'],
  ]
}
