import type { RequestTrace } from '../ports/requests.ts'
import type { ReplyBody } from './body.ts'
import type { Meter } from './meter/types.ts'

/** Counts and meters the bytes of a reply while they pass, and gives a copy of each piece to `copy`. */
export function meterBody(
  body: ReplyBody,
  meter: Meter,
  trace: RequestTrace,
  copy: { push(bytes: Uint8Array): void } | null,
): void {
  body.tap({
    push(bytes) {
      trace.receivedBytes(bytes.length)
      copy?.push(bytes)
      return meter.push(bytes)
    },
    end: () => meter.end(),
  })
}
