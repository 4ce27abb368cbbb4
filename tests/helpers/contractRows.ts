import type { AppUse } from '../../src-preload/contract/apps.ts'
import type { Message } from '../../src-preload/contract/chat.ts'
import type { RequestRow } from '../../src-preload/contract/requests.ts'

// Complete values of the contract, of which a test writes only what it is about.

/** The members of a complete message without text that are stored in an archive too. */
export const plainStored = () => ({
  parentId: null,
  text: '',
  reasoning: '',
  refusal: '',
  toolCalls: [],
  status: 'complete' as const,
  problem: null,
  model: null,
  finishReason: null,
  usage: null,
  finishedAt: null,
  firstTokenMs: null,
  reasoningMs: null,
  requestId: null,
  name: null,
  attachments: [],
  documents: [],
  passages: [],
  run: null,
  askId: null,
  made: null,
  summarised: null,
  leftOut: false,
  cost: null,
  costIs: 'unknown' as const,
  params: null,
  jsonFaults: null,
})

/** A complete message without text, with the given values. */
export const plainMessage = (
  values: Partial<Message> & Pick<Message, 'id' | 'conversationId' | 'role' | 'createdAt'>,
): Message => ({
  ...plainStored(),
  wait: null,
  sibling: 1,
  siblings: 1,
  requestRow: null,
  ...values,
})

/** A successful chat request of an app, with the given values. */
export const plainRequest = (values: Partial<RequestRow> = {}): RequestRow => ({
  id: 1,
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
  dialect: null,
  askedModel: null,
  answeredModel: null,
  finishReason: null,
  ignored: [],
  adapted: [],
  answer: null,
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
  ...values,
})

/** The use of an app that sent nothing, with the given values. */
export const noUse = (values: Partial<AppUse> & Pick<AppUse, 'id'>): AppUse => ({
  active: 0,
  waiting: 0,
  spentDay: '0',
  spentMonth: '0',
  spentTotal: '0',
  reserved: '0',
  short: null,
  allowed: { day: '0', month: '0', open: [] },
  estimated: false,
  unpricedToday: 0,
  lastUsedAt: null,
  requestsToday: 0,
  tokensToday: 0,
  perMinute: [],
  ...values,
})
