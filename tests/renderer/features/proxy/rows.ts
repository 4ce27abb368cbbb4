import { plainApp } from '../../../../src-main/core/gateway/apps/appSettings.ts'
import type { App, AppUse } from '../../../../src-preload/contract/apps.ts'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'

/** A successful request, with the given changes. */
export const row = (id: number, change: Partial<RequestRow> = {}): RequestRow => ({
  id,
  at: '2026-11-21T14:06:31.000Z',
  who: { kind: 'app', id: 't1', name: 'editor', colour: 'blue' },
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chat',
  model: 'writer-large',
  state: 'done',
  stream: true,
  status: 200,
  problem: null,
  cancelledBy: null,
  ...{ dialect: null, askedModel: null, answeredModel: null, finishReason: null, ignored: [] },
  attempts: 1,
  retriedAfter: [],
  queuedMs: 0,
  backoffMs: 0,
  connectMs: 10,
  firstByteMs: 300,
  durationMs: 2_000,
  bytesUp: 100,
  bytesDown: 1_000,
  tokensIn: 10,
  tokensOut: 20,
  tokensCached: null,
  tokensAre: 'measured',
  cost: '0.1',
  costIs: 'estimated',
  requestId: 'req_1',
  times: 1,
  hasBodies: false,
  ...change,
})

export const tool = (change: Partial<App> = {}): App =>
  plainApp({ id: 't1', name: 'editor', createdAt: '2026-11-01T00:00:00.000Z', ...change })

export const use = (change: Partial<AppUse> = {}): AppUse => ({
  id: 't1',
  active: 0,
  waiting: 0,
  spentDay: '0',
  spentMonth: '0',
  spentTotal: '0',
  reserved: '0',
  estimated: false,
  unpricedToday: 0,
  requestsToday: 0,
  tokensToday: 0,
  perMinute: [],
  ...change,
})
