import type { App } from '../../../../src-preload/contract/apps.ts'
import { and, t } from '../../../../src-renderer/i18n/cli.ts'

// Texts about an app for a terminal.

/** Formats `2026-11-21T05:21:06.396Z` as `2026-11-21 05:21 UTC`. */
export const toMinute = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`

const hasExpired = ({ expiresAt }: App): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now()

/** Why the app is refused, or when its key was last used. */
export function stateOf(app: App): string {
  if (app.revokedAt) return t('app.state.revoked', { at: toMinute(app.revokedAt) })
  if (app.expiresAt && hasExpired(app)) return t('app.state.expired', { at: toMinute(app.expiresAt) })
  if (app.pausedAt) return t('app.state.paused', { at: toMinute(app.pausedAt) })
  return app.lastUsedAt ? t('app.state.used', { at: toMinute(app.lastUsedAt) }) : t('app.state.unused')
}

/** The limits and other settings that differ from the defaults, in one line; empty when none do. */
export function limitsOf(app: App): string {
  const parts = [
    app.budgetDay && t('app.limit.budgetDay', { amount: app.budgetDay }),
    app.budgetMonth && t('app.limit.budgetMonth', { amount: app.budgetMonth }),
    app.budgetTotal && t('app.limit.budgetTotal', { amount: app.budgetTotal }),
    app.requestsPerMinute && t('app.limit.rpm', { count: app.requestsPerMinute }),
    app.tokensPerMinute && t('app.limit.tpm', { count: app.tokensPerMinute }),
    app.concurrent && t('app.limit.concurrent', { number: app.concurrent }),
    app.modelMap.length > 0 && t('app.limit.rules', { count: app.modelMap.length }),
    app.models &&
      (app.models.length > 2
        ? t('app.limit.models', { count: app.models.length })
        : t('app.limit.onlyModels', { models: and(app.models) })),
    app.endpoints && t('app.limit.endpoints', { endpoints: app.endpoints.join(' ') }),
    app.expiresAt && !hasExpired(app) && t('app.limit.until', { at: toMinute(app.expiresAt) }),
    app.logBodies && t('app.limit.bodies'),
    !app.retries && t('app.limit.noRetries'),
    app.failFast && t('app.limit.failFast'),
    !app.adaptRequests && t('app.limit.notAdapted'),
    app.atBudget === 'ask' && t('app.limit.asks'),
    app.askNewModel && t('app.limit.asksNewModel'),
    app.askAbove && t('app.limit.asksAbove', { amount: app.askAbove }),
    app.tools && t('app.limit.tools'),
  ]
  return parts.filter((part) => typeof part === 'string').join(', ')
}

/** Whether the key before the last rotation still works. */
function previousKeyOf({ previousKeyUntil }: App): string {
  if (previousKeyUntil === null) return t('none')
  const works = Date.parse(previousKeyUntil) > Date.now()
  return t(works ? 'app.value.worksUntil' : 'app.value.stopped', { at: toMinute(previousKeyUntil) })
}

/** When a notice says that the app is busy. */
function busyOf({ busyRequests, busySpend }: App): string {
  if (busyRequests && busySpend) return t('app.value.busyBoth', { count: busyRequests, amount: busySpend })
  if (busyRequests) return t('app.value.busyRequests', { count: busyRequests })
  return busySpend ? t('app.value.busySpend', { amount: busySpend }) : t('app.value.noNotice')
}

/** Every field as a name and a value. */
export function detailsOf(app: App): [name: string, value: string][] {
  const at = (instant: string | null, never: string): string => (instant === null ? never : toMinute(instant))
  const limit = (value: number | null): string => (value === null ? t('app.value.noLimit') : String(value))
  const budget = (amount: string | null): string =>
    amount === null ? t('app.value.noLimit') : t('app.value.sc', { amount })
  const yesOrNo = (value: boolean): string => t(value ? 'yes' : 'no')
  return [
    [t('app.name.id'), app.id],
    [t('app.name.name'), app.name],
    [t('app.name.colour'), app.colour],
    [t('app.name.created'), toMinute(app.createdAt)],
    [t('app.name.lastUsed'), at(app.lastUsedAt, t('never'))],
    [t('app.name.paused'), at(app.pausedAt, t('no'))],
    [t('app.name.revoked'), at(app.revokedAt, t('no'))],
    [t('app.name.previousKey'), previousKeyOf(app)],
    [t('app.name.expires'), at(app.expiresAt, t('never'))],
    [
      t('app.name.modelMap'),
      app.modelMap.map(({ pattern, model }) => `${pattern} -> ${model}`).join(', ') || t('none'),
    ],
    [t('app.name.models'), app.models?.join(', ') ?? t('app.value.all')],
    [t('app.name.endpoints'), app.endpoints?.join(', ') ?? t('app.value.all')],
    [t('app.name.rpm'), limit(app.requestsPerMinute)],
    [t('app.name.tpm'), limit(app.tokensPerMinute)],
    [t('app.name.concurrent'), limit(app.concurrent)],
    [t('app.name.budgetDay'), budget(app.budgetDay)],
    [t('app.name.budgetMonth'), budget(app.budgetMonth)],
    [t('app.name.budgetTotal'), budget(app.budgetTotal)],
    [t('app.name.bodies'), t(app.logBodies ? 'app.value.stored' : 'app.value.notStored')],
    [t('app.name.retries'), yesOrNo(app.retries)],
    [t('app.name.atLimit'), t(app.failFast ? 'app.value.refusedAtOnce' : 'app.value.queued')],
    [t('app.name.adapted'), yesOrNo(app.adaptRequests)],
    [t('app.name.atBudget'), t(app.atBudget === 'ask' ? 'app.value.asked' : 'app.value.refused')],
    [t('app.name.newModels'), t(app.askNewModel ? 'app.value.asked' : 'app.value.sent')],
    [t('app.name.asksAbove'), app.askAbove === null ? t('never') : t('app.value.aRequest', { amount: app.askAbove })],
    [t('app.name.busyAbove'), busyOf(app)],
    [t('app.name.tools'), t(app.tools ? 'app.value.allowed' : 'app.value.notAllowed')],
    [t('app.name.toolOutput'), app.toolOutput ?? t('none')],
    [t('app.name.toolInputs'), app.toolInputs.join(', ') || t('none')],
  ]
}
