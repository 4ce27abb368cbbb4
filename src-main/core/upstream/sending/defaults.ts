import type { RequestLog, RequestTrace, Scheduler } from '../../ports/requests.ts'

// For clients without a scheduler and a request log: the check of an address before it is saved, and tests of this folder.

const nothing = (): void => undefined

/** A trace that records nothing. */
export const noTrace: RequestTrace = {
  id: 0,
  written: null,
  logBodies: false,
  onStop: null,
  asks: nothing,
  ignores: nothing,
  queued: nothing,
  admitted: nothing,
  backsOff: nothing,
  connected: nothing,
  sentBytes: nothing,
  replied: nothing,
  receivedBytes: nothing,
  reads: nothing,
  headers: nothing,
  bodies: nothing,
  prompt: nothing,
  ends: nothing,
}

/** Each call opens a new trace, because its user sets `onStop`. */
export const noRequestLog: RequestLog = { open: () => ({ ...noTrace }), refused: nothing }

const permit = { leave: nothing }
/** Admits every request at once. */
export const openScheduler: Scheduler = { enter: () => permit, saw: nothing }
