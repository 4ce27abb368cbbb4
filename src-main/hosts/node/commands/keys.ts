import type { AccountKey } from '../../../../src-preload/contract/account.ts'
import { countText, withMinus } from '../../../../src-preload/contract/amountText.ts'
import { locale, t } from '../../../../src-renderer/i18n/cli.ts'
import type { Parts } from '../dependencies.ts'
import { findDataDir } from '../folder.ts'
import { exitCodes, printJson, say, sayLines } from '../output.ts'
import { columns } from '../table.ts'
import { accountOf, toMinute } from './usage.ts'

export interface KeysOptions {
  dataDir?: string
  account?: string
  json: boolean
}

/** `keys`: prints the API keys of the account as the service last reported them. The service never reports secrets. */
export async function keys(options: KeysOptions, parts: Parts): Promise<number> {
  const accounts = await parts.openUsage(findDataDir(options.dataDir))
  try {
    const account = accountOf(accounts, options.account)
    const all = account ? accounts.keys(account.id) : []
    if (options.json) for (const key of all) printJson(key)
    else if (account === null) say(t('figures.neverConnected'))
    else if (all.length === 0) say(`${account.name} (${account.baseUrl})`, '', t('keys.none'))
    else {
      say(
        t('keys.updated', {
          ...{ account: account.name, address: account.baseUrl, at: toMinute(all[0]?.asOf ?? null) },
        }),
        '',
      )
      sayLines([...columns([head(), ...all.map(cells)], { cuts: [2, 1] }), '', t('keys.elsewhere')])
    }
  } finally {
    accounts.close()
  }
  return exitCodes.ok
}

const columnNames = [
  ...(['key', 'name', 'requests', 'cost', 'balance', 'rpm', 'tpm', 'concurrent'] as const),
  ...(['created', 'lastUsed', 'state'] as const),
]
const head = (): string[] => ['', ...columnNames.map((name) => t(`keys.head.${name}`))]

function cells(key: AccountKey): string[] {
  const { totals } = key
  return [
    ...[key.calling ? '*' : '', key.prefix ?? key.id, key.name ?? '-'],
    ...[shown(totals?.requests), totals?.cost ? withMinus(totals.cost) : '-', balanceOf(key)],
    ...[key.rpm, key.tpm, key.concurrent].map(shown),
    ...[key.createdAt ?? '-', key.lastUsedAt ?? '-', stateOf(key)],
  ]
}

const shown = (count: number | null | undefined): string =>
  count === null || count === undefined ? '-' : countText(count, locale())

function balanceOf({ balanceEnabled, balance, balanceLimit }: AccountKey): string {
  if (balanceEnabled !== true || balance === null) return '-'
  return balanceLimit === null
    ? withMinus(balance)
    : t('keys.balance', { balance: withMinus(balance), limit: balanceLimit })
}

function stateOf({ revokedAt, gone, calling }: AccountKey): string {
  if (revokedAt !== null) return t('keys.revoked', { at: revokedAt })
  if (gone) return t('keys.gone')
  return calling ? t('keys.inUse') : ''
}
