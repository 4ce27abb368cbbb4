// A response that mixes events and bytes. A frame is the length of its event and of its bytes (two unsigned 32-bit integers,
// big-endian), the event as JSON, and the bytes.

import * as z from 'zod'
import { problem } from './problem.ts'

/** Content type of a stream of frames. */
export const framesType = 'application/vnd.inference-studio.frames'

const headerBytes = 8

/** The bytes of an event, in its member `data`. */
export const frameBytes = z.instanceof(Uint8Array<ArrayBuffer>)

/** Sent last by a stream that failed. */
export const failedFrame = z.object({ type: z.literal('failed'), problem })

export interface FrameEvent {
  type: string
  data?: Uint8Array
}

/** Encodes an event. Its bytes are not copied. */
export function encodeFrame<Event extends FrameEvent>({ data, ...event }: Event): Uint8Array[] {
  const json = new TextEncoder().encode(JSON.stringify(event))
  const head = new Uint8Array(headerBytes + json.length)
  const view = new DataView(head.buffer)
  view.setUint32(0, json.length)
  view.setUint32(4, data?.length ?? 0)
  head.set(json, headerBytes)
  return data && data.length > 0 ? [head, data] : [head]
}

/**
 * Decodes events as they arrive. Chunk boundaries may be anywhere. Each event has the member `data`, empty for an event without bytes.
 * @throws Error when the last frame is incomplete
 */
export async function* decodeFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<object, undefined, void> {
  const waiting = new ByteQueue()
  for await (const chunk of chunks) {
    waiting.push(chunk)
    for (;;) {
      const sizes = waiting.peek(headerBytes)
      if (!sizes) break
      const header = new DataView(sizes.buffer)
      const [eventBytes, byteCount] = [header.getUint32(0), header.getUint32(4)]
      const frame = waiting.peek(headerBytes + eventBytes + byteCount)
      if (!frame) break
      waiting.drop(frame.length)
      const bytesAt = headerBytes + eventBytes
      const event: unknown = JSON.parse(new TextDecoder().decode(frame.subarray(headerBytes, bytesAt)))
      yield { ...(event as object), data: frame.subarray(bytesAt) }
    }
  }
  if (waiting.size > 0) throw new Error('The stream ended within a frame.')
}

/** Received chunks, read from the front. */
class ByteQueue {
  #chunks: Uint8Array[] = []
  size = 0

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.size += chunk.length
  }

  /** Returns a copy of the first `count` bytes, or null while fewer have arrived. */
  peek(count: number): Uint8Array<ArrayBuffer> | null {
    if (this.size < count) return null
    const found = new Uint8Array(count)
    let at = 0
    for (const chunk of this.#chunks) {
      if (at === count) break
      const piece = chunk.subarray(0, count - at)
      found.set(piece, at)
      at += piece.length
    }
    return found
  }

  drop(count: number): void {
    this.size -= count
    let left = count
    while (left > 0) {
      const [first] = this.#chunks
      if (!first) return
      if (first.length <= left) this.#chunks.shift()
      else this.#chunks[0] = first.subarray(left)
      left -= Math.min(left, first.length)
    }
  }
}
