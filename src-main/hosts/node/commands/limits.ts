import type { LimitBucket, Limited, LimitStatus } from '../../../../src-preload/contract/account.ts'
import type { Parts } from '../dependencies.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, printJson, say, sayTable } from '../output.ts'
import { columns } from '../table.ts'
import { accountOf, toMinute } from './usage.ts'

export interface LimitsOptions {
  dataDir?: string
  account?: string
  /** How many of the requests that were answered with 429. */
  history: number
  json: boolean
}

/** The last that the service said of its limits, and what it answered with 429. Asks nobody: the call would be counted. */
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
      else if (account) say('The service never said its limits.')
      if (key) sayTable([['The key', keyWords(key)]])
      sayHistory(history)
    }
  } finally {
    accounts.close()
  }
  return exitCodes.ok
}

function sayStatus(status: LimitStatus): void {
  const reset = status.resetSeconds === null ? '' : `, full again ${status.resetSeconds} s after that`
  sayTable([
    ['As of', toMinute(status.asOf)],
    ['A minute, all requests', `${bucketWords(status.minute)}${reset}`],
    ['An hour, free models', `${bucketWords(status.freeRequestsHour)} requests`],
    ['', `${bucketWords(status.freeTokensHour)} tokens`],
    ['A day, free models', `${bucketWords(status.freeRequestsDay)} requests`],
    ['', `${bucketWords(status.freeTokensDay)} tokens`],
    ['Banned', status.banned ? `yes, until ${status.bannedUntil ?? 'nobody knows when'}` : 'no'],
  ])
}

const bucketWords = ({ limit, used, remaining }: LimitBucket): string =>
  `${used ?? '?'} used, ${remaining ?? '?'} left of ${limit ?? '?'}`

const keyWords = ({ rpm, tpm, concurrent }: Record<'rpm' | 'tpm' | 'concurrent', number | null>): string =>
  `${rpm ?? 'any number of'} requests a minute, ${tpm ?? 'any number of'} tokens a minute, ${concurrent ?? 'any number'} at once`

function sayHistory(history: readonly Limited[]): void {
  if (history.length === 0) return
  const rows = history.map((one) => [
    ...[toMinute(one.at), whoOf(one), one.endpoint, one.model ?? '-', String(one.times)],
    ...[one.waitedMs === null ? '-' : `${(one.waitedMs / 1000).toFixed(1)} s`, one.ended],
  ])
  say(
    '',
    'Answered with 429, the newest first:',
    ...columns([['AT', 'WHO', 'WHAT', 'MODEL', 'TIMES', 'WAITED', 'ENDED'], ...rows], { cuts: 3 }),
  )
}

function whoOf({ who }: Limited): string {
  if (who.kind === 'app') return who.name
  return who.kind === 'studio' ? `(${who.feature})` : who.from
}
