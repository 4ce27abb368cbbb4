import type { RequestLog, RequestTrace, Scheduler } from '../ports/requests.ts'

// For clients that stand outside the program's desk and books: the look at an address before it is kept, and tests of this folder.

const nothing = (): void => undefined

const noTrace: RequestTrace = {
  id: 0,
  written: null,
  logBodies: false,
  onStop: null,
  asks: nothing,
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
  ends: nothing,
}

/** A fresh one each: whoever carries the request sets `onStop` on it. */
export const noRequestLog: RequestLog = { open: () => ({ ...noTrace }), refused: nothing }

const pass = { leave: nothing }
export const openScheduler: Scheduler = { enter: () => pass, saw: nothing }
