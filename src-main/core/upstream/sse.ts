import { TextDecoder } from 'node:util'
import { createParser } from 'eventsource-parser'
import { StudioError } from '../errors.ts'
import { parseText } from './meter/jsonScan.ts'

/** Largest event, in UTF-16 units. Real events are far smaller; without a limit a hostile stream could fill the memory. */
export const maxEventSize = 16 * 1024 * 1024

/**
 * Yields the `data` of each event. Bytes may be split anywhere: inside UTF-8 characters, line ends (CR, LF, CRLF), comments and events of
 * several data lines.
 * @throws StudioError `malformed_reply` for an event larger than `limit` and for bytes that are not UTF-8
 * @see WHATWG HTML, "Server-sent events"
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  limit: number = maxEventSize,
): AsyncGenerator<string, void, undefined> {
  const events: string[] = []
  let tooLarge = false
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: (event) => events.push(event.data),
    onError: (error) => {
      // The standard ignores unknown fields and odd retry values.
      if (error.type === 'max-buffer-size-exceeded') tooLarge = true
    },
  })
  // The parser removes the byte order mark itself, once.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const feed = (text: string): void => {
    if (text !== '' && !tooLarge) parser.feed(text)
  }
  for await (const chunk of bytes) {
    feed(decode(decoder, chunk))
    yield* events.splice(0)
    if (tooLarge) throw new StudioError('malformed_reply', 'The service sent an event that is too large.')
  }
  // Some services omit the blank line after the last event. The standard drops such an event. We read it when it is whole; an incomplete
  // one shows that the stream was cut.
  feed('\n\n')
  yield* events.splice(0).filter(isWhole)
}

function isWhole(data: string): boolean {
  if (data.trim() === '[DONE]') return true
  try {
    parseText(data)
    return true
  } catch {
    return false
  }
}

function decode(decoder: TextDecoder, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch (cause) {
    throw new StudioError('malformed_reply', 'The service sent bytes that are not valid UTF-8.', {}, { cause })
  }
}
