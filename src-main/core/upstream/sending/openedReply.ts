import { asStudioError } from '../../errors.ts'
import type { RequestTrace } from '../../ports/requests.ts'
import { headerList } from '../headers.ts'
import type { ReplyPiece } from '../reply/events.ts'
import { openReply, type ReplyOptions, type ReplyStream } from '../reply/replyStream.ts'
import type { ChatStreamEvent } from '../types.ts'
import type { Closed, ReplyBody } from '../wire/body.ts'
import { decoded, kindOfEncoding } from '../wire/decode.ts'
import type { RawReply } from '../wire/httpExchange.ts'

/** A reply that is read while it arrives: its key masked, its compression undone, its events beside its bytes. */
export interface OpenedReply {
  stream: ReplyStream
  /** The bytes of the connection with their events. Those of a compressed reply are compressed and have no events. */
  body: ReplyBody<ChatStreamEvent>
  pieces: AsyncIterable<ReplyPiece>
  isCompressed: boolean
  /** Calls `listener` once, when everything was read, or the reply was left or failed. */
  onClosed(listener: (how: Closed) => void): void
}

/**
 * Reads the raw bytes of a reply by a `ReplyStream`, and counts them.
 * @param copy receives the bytes of the connection, for the request log
 * @param hasBody false for a reply that has none, whatever its headers say
 */
export function openReplyBody(
  reply: RawReply,
  options: ReplyOptions,
  trace: RequestTrace,
  copy: { push(bytes: Uint8Array): void } | null,
  hasBody = true,
): OpenedReply {
  const stream = openReply(options)
  const count = (bytes: Uint8Array): void => {
    trace.receivedBytes(bytes.length)
    copy?.push(bytes)
  }
  const encoding = headerList(reply.headers, 'content-encoding')
  const isCompressed = hasBody && kindOfEncoding(encoding) !== 'none'
  const body = reply.body.tapped<ChatStreamEvent>({
    push(bytes) {
      count(bytes)
      return isCompressed ? { bytes, events: [] } : stream.push(bytes)
    },
    end: (isWhole) => (isCompressed ? null : stream.end(isWhole)),
  })
  trace.reads(() => stream.reading())
  const listeners: ((how: Closed) => void)[] = []
  const closed = (how: Closed): void => {
    for (const listener of listeners) listener(how)
  }
  const opened: OpenedReply = {
    stream,
    body,
    isCompressed,
    pieces: isCompressed ? readThrough(decoded(body, encoding), stream, closed) : body,
    onClosed: (listener) => {
      if (isCompressed) listeners.push(listener)
      else body.onClosed(listener)
    },
  }
  opened.onClosed(() => {
    if (stream.skipped > 0) trace.ignores(`${stream.skipped} events of the reply without a JSON object`)
  })
  return opened
}

async function* readThrough(
  bytes: AsyncIterable<Uint8Array>,
  stream: ReplyStream,
  closed: (how: Closed) => void,
): AsyncGenerator<ReplyPiece, void, undefined> {
  let how: Closed = 'left'
  try {
    for await (const chunk of bytes) {
      const piece = stream.push(chunk)
      if (piece) yield piece
    }
    const last = stream.end()
    how = 'ended'
    if (last) yield last
  } catch (thrown) {
    how = asStudioError(thrown)
    const rest = stream.end(false)
    if (rest) yield rest
    throw thrown
  } finally {
    closed(how)
  }
}
