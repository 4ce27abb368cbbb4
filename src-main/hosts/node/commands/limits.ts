import type { LimitBucket, Limited, LimitStatus } from '../../../../src-preload/contract/account.ts'
import { countText, grouped } from '../../../../src-preload/contract/amountText.ts'
import { banAt, resetAt } from '../../../../src-preload/contract/limitText.ts'
import { locale, t } from '../../../../src-renderer/i18n/cli.ts'
import type { Parts } from '../dependencies.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, printJson, say, sayLines, sayTable } from '../output.ts'
import { columns } from '../table.ts'
import { accountOf, toMinute } from './usage.ts'

export interface LimitsOptions {
  dataDir?: string
  account?: string
  /** Number of 429 responses to print. */
  history: number
  json: boolean
}

/** `limits`: prints the stored limits and recent 429 responses. Sends no request, because a query would count against the limits. */
export async function limits(options: LimitsOptions, parts: Parts): Promise<number> {
  const accounts = await parts.openUsage(findDataDir(options.dataDir))
  try {
    const account = accountOf(accounts, options.account)
    const status = account && accounts.limits(account.id)
    const calling = account ? (accounts.keys(account.id).find((key) => key.calling) ?? null) : null
    const key = calling && { rpm: calling.rpm, tpm: calling.tpm, concurrent: calling.concurrent, asOf: calling.asOf }
    const history = accounts.limited(options.history, account?.id ?? null)
    if (options.json) printJson({ account: account && { id: account.id, name: account.name }, status, key, history })
    else {
      say(...(account ? [`${account.name} (${account.baseUrl})`, ''] : [t('figures.neverConnected')]))
      if (status) sayStatus(status)
      else if (account) say(t('limits.none'))
      if (key) sayTable([[t('limits.apiKey'), keyLimits(key)]])
      sayHistory(history)
    }
  } finally {
    accounts.close()
  }
  return exitCodes.ok
}

function sayStatus(status: LimitStatus): void {
  const reset = resetAt(status, Date.now())
  const bucket = bucketText('limits.bucket', status.minute)
  const minute =
    typeof reset === 'number'
      ? t('limits.resetsIn', { bucket, seconds: reset })
      : t(reset === 'over' ? 'limits.hasReset' : 'limits.resetUnknown', { bucket })
  sayTable([
    [t('limits.updated'), toMinute(status.asOf)],
    [t('limits.minute'), minute],
    [t('limits.freeHour'), bucketText('limits.bucketRequests', status.freeRequestsHour)],
    ['', bucketText('limits.bucketTokens', status.freeTokensHour)],
    [t('limits.freeDay'), bucketText('limits.bucketRequests', status.freeRequestsDay)],
    ['', bucketText('limits.bucketTokens', status.freeTokensDay)],
    [t('limits.banned'), banText(status)],
  ])
}

function banText(status: LimitStatus): string {
  const until = status.bannedUntil
  const state = banAt(status, Date.now())
  if (state === 'none') return t('no')
  if (until === null) return t(state === 'over' ? 'limits.banOverUnknown' : 'limits.banUntilUnknown')
  return t(state === 'over' ? 'limits.banOver' : 'limits.banUntil', { until })
}

const bucketText = (
  key: 'limits.bucket' | 'limits.bucketRequests' | 'limits.bucketTokens',
  { limit, used, remaining }: LimitBucket,
): string => t(key, { used: shown(used, '?'), left: shown(remaining, '?'), limit: shown(limit, '?') })

const shown = (count: number | null, unknown: string): string => (count === null ? unknown : countText(count, locale()))

function keyLimits({ rpm, tpm, concurrent }: Record<'rpm' | 'tpm' | 'concurrent', number | null>): string {
  const [a, b, c] = [rpm, tpm, concurrent].map((count) => shown(count, t('limits.unlimited')))
  return t('limits.key', { rpm: a ?? '', tpm: b ?? '', concurrent: c ?? '' })
}

const columnNames = ['time', 'app', 'endpoint', 'model', 'times', 'waited', 'ended'] as const

function sayHistory(history: readonly Limited[]): void {
  if (history.length === 0) return
  const rows = history.map((one) => [
    ...[toMinute(one.at), callerName(one), one.endpoint, one.model ?? '-', countText(one.times, locale())],
    ...[one.waitedMs === null ? '-' : `${grouped((one.waitedMs / 1000).toFixed(1), locale())} s`, one.ended],
  ])
  say('', t('limits.history'))
  sayLines(columns([columnNames.map((name) => t(`limits.head.${name}`)), ...rows], { cuts: [3, 1] }))
}

function callerName({ who }: Limited): string {
  if (who.kind === 'app') return who.name
  return who.kind === 'studio' ? `(${who.feature})` : who.from
}
