import type { LimitBucket, Limited, LimitStatus } from '../../../../src-preload/contract/account.ts'
import { countText } from '../../../../src-preload/contract/amountText.ts'
import { banAt, resetAt } from '../../../../src-preload/contract/limitText.ts'
import type { Parts } from '../dependencies.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, printJson, say, sayTable } from '../output.ts'
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
      say(...(account ? [`${account.name} (${account.baseUrl})`, ''] : ['No account was ever connected.']))
      if (status) sayStatus(status)
      else if (account) say('The service has not reported its limits yet.')
      if (key) sayTable([['API key', keyLimits(key)]])
      sayHistory(history)
    }
  } finally {
    accounts.close()
  }
  return exitCodes.ok
}

function sayStatus(status: LimitStatus): void {
  const reset = resetAt(status, Date.now())
  const words = { over: ', has reset since', unknown: ', reset time not reported' }
  const after = typeof reset === 'number' ? `, resets in ${countText(reset)} s` : words[reset]
  const until = status.bannedUntil ?? 'an unknown time'
  const ban = { none: 'no', banned: `yes, until ${until}`, over: `no, ended ${until}` }
  sayTable([
    ['Updated', toMinute(status.asOf)],
    ['Requests per minute', `${bucketText(status.minute)}${after}`],
    ['Free models per hour', `${bucketText(status.freeRequestsHour)} requests`],
    ['', `${bucketText(status.freeTokensHour)} tokens`],
    ['Free models per day', `${bucketText(status.freeRequestsDay)} requests`],
    ['', `${bucketText(status.freeTokensDay)} tokens`],
    ['Banned', ban[banAt(status, Date.now())]],
  ])
}

const bucketText = ({ limit, used, remaining }: LimitBucket): string =>
  `${shown(used, '?')} used, ${shown(remaining, '?')} left of ${shown(limit, '?')}`

const shown = (count: number | null, unknown: string): string => (count === null ? unknown : countText(count))

const keyLimits = ({ rpm, tpm, concurrent }: Record<'rpm' | 'tpm' | 'concurrent', number | null>): string =>
  `${shown(rpm, 'unlimited')} requests per minute, ${shown(tpm, 'unlimited')} tokens per minute, ${shown(concurrent, 'unlimited')} concurrent requests`

function sayHistory(history: readonly Limited[]): void {
  if (history.length === 0) return
  const rows = history.map((one) => [
    ...[toMinute(one.at), callerName(one), one.endpoint, one.model ?? '-', String(one.times)],
    ...[one.waitedMs === null ? '-' : `${(one.waitedMs / 1000).toFixed(1)} s`, one.ended],
  ])
  say(
    '',
    '429 responses, newest first:',
    ...columns([['TIME', 'APP', 'ENDPOINT', 'MODEL', 'TIMES', 'WAITED', 'ENDED'], ...rows], { cuts: [3, 1] }),
  )
}

function callerName({ who }: Limited): string {
  if (who.kind === 'app') return who.name
  return who.kind === 'studio' ? `(${who.feature})` : who.from
}
