import { TextDecoder } from 'node:util'
import { createParser } from 'eventsource-parser'
import { StudioError } from '../errors.ts'
import { parseText } from './meter/jsonScan.ts'

/** One event of a real service is far below it; without a bound a hostile one could fill the memory. UTF-16 units. */
export const maxEventSize = 16 * 1024 * 1024

/**
 * The `data` of each event, whatever the bytes were split at: UTF-8 characters, CR, LF and CRLF, comments, several data lines.
 * @throws StudioError `malformed_reply` for an event beyond `maxEventSize` and for bytes that are no UTF-8
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
      // Unknown fields and odd retry values are no errors to us: the standard says to ignore them.
      if (error.type === 'max-buffer-size-exceeded') tooLarge = true
    },
  })
  // The parser takes the byte order mark off itself, once.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const feed = (text: string): void => {
    if (text !== '' && !tooLarge) parser.feed(text)
  }
  for await (const chunk of bytes) {
    feed(decode(decoder, chunk))
    yield* events.splice(0)
    if (tooLarge) throw new StudioError('malformed_reply', 'The service sent an event larger than any real one.')
  }
  // The last event may lack its blank line. The standard drops it; services that end so mean it. A piece of an event is
  // no event: the missing end of the stream says that it was cut.
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
    throw new StudioError('malformed_reply', 'The service sent bytes that are no text (UTF-8).', {}, { cause })
  }
}
