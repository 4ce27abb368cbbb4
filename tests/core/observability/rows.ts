import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { plainRequest } from '../../helpers/contractRows.ts'

/** A successful chat of an app. */
export const row = (rest: Partial<RequestRow> = {}): RequestRow =>
  plainRequest({
    at: '2026-03-01T12:00:00.000Z',
    who: { kind: 'app', id: 'tool-1', name: 'editor', colour: 'blue' },
    model: 'writer-small',
    stream: false,
    connectMs: 1,
    firstByteMs: 40,
    durationMs: 1_200,
    bytesUp: 200,
    bytesDown: 3_000,
    tokensIn: 12,
    tokensOut: 34,
    cost: '0.000000123',
    ...rest,
  })
