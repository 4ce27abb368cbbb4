import type { FrameEvent } from '../../../../src-preload/contract/frames.ts'
import type { ByteStream } from '../../../../src-preload/contract/transfers.ts'
import { createPickups } from './pickups.ts'

/** Starts the events of a stream. Aborting the signal ends them at once. */
export type OpenEvents = (signal: AbortSignal) => AsyncIterable<FrameEvent>

/** Streams that a page has requested but not opened yet. A stream starts when the page opens it. */
export function createStreams() {
  const { offer, take, close } = createPickups<OpenEvents>({ most: 64, busy: 'Too many streams wait to be opened.' })
  return {
    /** @throws StudioError `busy` with too many streams that were not opened */
    offer: (open: OpenEvents): ByteStream => ({ streamId: offer(open) }),
    /** Takes a stream, which can be opened once. Null for an unknown id. */
    take,
    close,
  }
}
