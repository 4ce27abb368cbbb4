import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { isOpen } from '../../stores/requests.ts'

export type PhaseName = 'queued' | 'backoff' | 'connecting' | 'waiting' | 'streaming'

/** A phase of a request, ms from its start. */
export interface TimelinePhase {
  name: PhaseName
  from: number
  ms: number
}

/**
 * The phases of a request in order, and its total time in ms (until `now` while it runs). Back-off is one phase after the queue, although
 * pauses alternate with attempts, because the log stores only the sum of the pauses.
 */
export function timeline(row: RequestRow, now: number): { phases: TimelinePhase[]; total: number } {
  const elapsed = Math.max(0, now - Date.parse(row.at))
  const total = Math.max(
    row.durationMs ?? (isOpen(row) ? elapsed : (row.firstByteMs ?? row.queuedMs + row.backoffMs)),
    0,
  )
  const phases: TimelinePhase[] = []
  let at = 0
  const add = (name: PhaseName, ms: number): void => {
    const fits = Math.min(Math.max(ms, 0), total - at)
    if (fits > 0) phases.push({ name, from: at, ms: fits })
    at += fits
  }
  add('queued', row.state === 'waiting' ? Math.max(row.queuedMs, total - row.backoffMs) : row.queuedMs)
  add('backoff', row.state === 'backing_off' ? total - at : row.backoffMs)
  add('connecting', row.connectMs ?? 0)
  // A request that this program refused never waited for the service.
  if (row.state !== 'refused') add('waiting', (row.firstByteMs ?? total) - at)
  if (row.firstByteMs !== null && row.state !== 'refused') add('streaming', total - at)
  return { phases, total }
}
