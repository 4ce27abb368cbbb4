import type { RequestDetail } from '../../../../../src-preload/contract/requests.ts'
import { plainRequest } from '../../../../helpers/contractRows.ts'

const sent = JSON.stringify({ model: 'writer-large', messages: [{ role: 'user', content: 'Why?' }], stream: true })
const chunk = (text: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`
const came = `${chunk('Be')}${chunk('cause')}data: [DONE]\n\n`
const body = (text: string) => ({ text, bytes: text.length, capped: false })

/** The stored details of a request. The request with id 99 has none. */
export function detailOf(id: number): RequestDetail {
  const kept = id !== 99
  return {
    row: plainRequest({
      id,
      at: new Date().toISOString(),
      who: { kind: 'studio', feature: 'chat' },
      connectMs: 3,
      firstByteMs: 380,
      durationMs: 5_200,
      bytesUp: sent.length,
      bytesDown: came.length,
      tokensIn: 12,
      tokensOut: 2,
      cost: '0.2104',
      costIs: 'measured',
      requestId: 'req_8fd21c',
      hasBodies: kept,
    }),
    requestHeaders: null,
    replyHeaders: null,
    requestBody: kept ? body(sent) : null,
    replyBody: kept ? body(came) : null,
    againOf: null,
  }
}
