import { randomUUID } from 'node:crypto'
import type { FrameEvent } from '../../../../src-preload/contract/frames.ts'
import type { ByteStream } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'

/** Starts the events of a stream. Aborting the signal ends them at once. */
export type OpenEvents = (signal: AbortSignal) => AsyncIterable<FrameEvent>

const maxWaiting = 64
/** How long a page may take to open a stream, ms. */
const waitingMs = 60_000

/** Streams that a page has requested but not opened yet. A stream starts when the page opens it. */
export function createStreams() {
  const all = new Map<string, { open: OpenEvents; timer: NodeJS.Timeout }>()
  return {
    /** @throws StudioError `busy` with too many streams that were not opened */
    offer(open: OpenEvents): ByteStream {
      if (all.size >= maxWaiting) throw new StudioError('busy', 'Too many streams wait to be opened.')
      const streamId = randomUUID()
      const timer = setTimeout(() => all.delete(streamId), waitingMs)
      timer.unref()
      all.set(streamId, { open, timer })
      return { streamId }
    },
    /** Takes a stream, which can be opened once. Null for an unknown id. */
    take(streamId: string): OpenEvents | null {
      const found = all.get(streamId)
      if (!found) return null
      all.delete(streamId)
      clearTimeout(found.timer)
      return found.open
    },
    close(): void {
      for (const { timer } of all.values()) clearTimeout(timer)
      all.clear()
    },
  }
}
