import type { Alert, AlertFacts, Alerts } from '../../../src-preload/contract/alerts.ts'

const account = { id: '5f0c1a2e-0000-4000-8000-0000000000b1', name: 'main account' }
const keyId = '5f0c1a2e-0000-4000-8000-000000000001'
const key = { kind: 'key', account, keyId, name: 'everyday', left: null, limit: null } as const

/** Every kind of alert, with values that a service may report. */
export const everyKind: readonly { facts: AlertFacts; place: Alert['place'] }[] = [
  {
    facts: { kind: 'balance', account, balance: '8.25', below: '10', asOf: '2026-11-21T13:58:00.000Z' },
    place: { page: 'usage', id: null },
  },
  {
    facts: { kind: 'spend', account, day: '2026-11-21', spent: '5.0123', above: '5', source: 'here' },
    place: { page: 'usage', id: null },
  },
  {
    facts: {
      kind: 'budget',
      tool: { id: keyId, name: 'my-editor' },
      window: 'day',
      spent: '0.82',
      budget: '1',
      usedUp: false,
      short: null,
      usual: null,
      asks: false,
    },
    place: { page: 'proxy', id: null },
  },
  {
    facts: {
      kind: 'budget',
      tool: { id: keyId, name: 'batch <b>job</b>' },
      window: 'total',
      spent: '20',
      budget: '20',
      usedUp: true,
      short: null,
      usual: '0.4',
      asks: false,
    },
    place: { page: 'proxy', id: null },
  },
  ...(['usual', 'refused'] as const).map((short): (typeof everyKind)[number] => ({
    facts: {
      kind: 'budget',
      tool: { id: keyId, name: 'notebook' },
      window: 'month',
      spent: '1.9981',
      budget: '2',
      usedUp: false,
      short,
      usual: '0.0031',
      asks: false,
    },
    place: { page: 'proxy', id: null },
  })),
  {
    facts: { kind: 'tokens', tool: { id: keyId, name: 'my-editor' }, usual: 12_400, limit: 8000 },
    place: { page: 'proxy', id: null },
  },
  {
    facts: {
      kind: 'cache',
      tool: { id: keyId, name: 'my-editor' },
      session: 7,
      turns: 3,
      change: 'system_time',
      tokens: 41_200,
      cost: '0.01854',
    },
    place: { page: 'usage', id: 'session-7' },
  },
  { facts: { kind: 'app', tool: { id: keyId, name: 'my-editor' }, why: 'paused' }, place: { page: 'proxy', id: null } },
  { facts: { ...key, why: 'low', left: '2.1', limit: '25' }, place: { page: 'keys', id: keyId } },
  { facts: { ...key, why: 'empty', left: '0', limit: null }, place: { page: 'keys', id: keyId } },
  { facts: { ...key, why: 'revoked', name: null }, place: { page: 'keys', id: keyId } },
  { facts: { ...key, why: 'refused' }, place: { page: 'settings', id: 'connection' } },
  { facts: { ...key, why: 'credits' }, place: { page: 'usage', id: null } },
  { facts: { ...key, why: 'forbidden', keyId: null, name: null }, place: { page: 'keys', id: null } },
  { facts: { kind: 'ban', account, until: '2026-11-22T00:00:00Z' }, place: { page: 'usage', id: 'limits' } },
  { facts: { kind: 'ban', account, until: null }, place: { page: 'usage', id: 'limits' } },
]

/** `all`: one of each kind, the last two ended. `none`: nothing. */
export function startAlerts(which: string, notifies: boolean): Alerts {
  const now = Date.now()
  const settings = {
    balanceBelow: '10',
    spendAbove: null,
    budgets: true,
    budgetAt: 80,
    key: true,
    ban: true,
    cache: true,
    notify: true,
  }
  const alerts = everyKind.map(({ facts, place }, at) => ({
    id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    at: new Date(now - at * 3_600_000).toISOString(),
    endedAt: at < everyKind.length - 2 ? null : new Date(now - 60_000).toISOString(),
    facts,
    place,
  }))
  return { settings, notifies, alerts: which === 'all' ? alerts : [] }
}
