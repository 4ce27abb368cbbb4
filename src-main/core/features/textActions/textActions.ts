import { setTimeout as sleep } from 'node:timers/promises'
import type { TextActionEvent } from '../../../../src-preload/contract/textActions.ts'
import { StudioError } from '../../errors.ts'
import type { Feed } from '../../shared/events.ts'
import type { CallOptions, ChatRequest, ChatStreamEvent } from '../../upstream/types.ts'

export interface TextActionsFeature {
  /** @throws StudioError `not_connected` */
  upstream(): Promise<{
    streamChatCompletion(request: ChatRequest, options: CallOptions): AsyncIterable<ChatStreamEvent>
  }>
  /** Whether the request log stores copies of the bodies. */
  logBodies(): boolean
  /** Cost of a request, by the id of its row in the request log. */
  costOf(row: number): Pick<Extract<TextActionEvent, { type: 'end' }>, 'cost' | 'costIs'>
}

/** How long the end waits for the cost of a reply that is complete, ms. */
const costPatienceMs = 250

/**
 * Runs a text action: sends `text` to a model as one logged request, and yields the reply as it arrives. Stores nothing but the row in the
 * request log. Aborting ends the request at once.
 * @throws StudioError `malformed_reply` if the reply has no text, and errors of the service
 */
export async function* runTextAction(
  { upstream, logBodies, costOf }: TextActionsFeature,
  { model, text }: { model: string; text: string },
  signal?: AbortSignal,
): Feed<TextActionEvent> {
  const client = await upstream()
  let row: number | null = null
  let isCut = false
  let isEmpty = true
  const ended = new AbortController()
  const closed = Promise.withResolvers<void>()
  const options: CallOptions = {
    feature: 'actions',
    // The request also ends when the reader stops reading, whatever the transport of the page does.
    signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
    logBodies: logBodies(),
    onRow: (id) => {
      row = id
    },
    onClosed: () => closed.resolve(),
  }
  try {
    for await (const event of client.streamChatCompletion(
      { model, messages: [{ role: 'user', content: text }] },
      options,
    )) {
      if (event.type === 'finish' && event.choice === 0) isCut = event.reason === 'length'
      // A refusal is the answer of the model, too.
      if ((event.type !== 'content' && event.type !== 'refusal') || event.choice !== 0 || event.text === '') continue
      isEmpty = false
      yield { type: 'text', text: event.text }
    }
    if (isEmpty) throw new StudioError('malformed_reply', 'The reply has no text.')
    await Promise.race([closed.promise, sleep(costPatienceMs, undefined, { ref: false })])
    yield { type: 'end', isCut, ...(row === null ? { cost: null, costIs: 'unknown' as const } : costOf(row)) }
  } finally {
    ended.abort()
  }
}
