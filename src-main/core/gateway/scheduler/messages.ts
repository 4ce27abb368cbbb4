import { StudioError } from '../../errors.ts'
import type { Obstacle } from './capacity.ts'

const reasons: Record<Obstacle | 'turn', string> = {
  held: 'the service asked all requests to wait',
  rate: 'the requests of this minute are used up',
  slot: 'all slots for concurrent requests are taken',
  tokens: 'the tokens of this minute are used up',
  turn: 'other requests are before it',
}

/** For an app that fails fast. @param retryAfterMs Infinity if unknown */
export function wouldWait(why: Obstacle | 'turn', retryAfterMs: number): StudioError {
  return new StudioError('would_wait', `The request would have to wait: ${reasons[why]}.`, known(retryAfterMs))
}

export function queueFull(waiting: number, ofThisApp: boolean, retryAfterMs: number): StudioError {
  const who = ofThisApp ? 'of this app are' : 'are'
  return new StudioError(
    'queue_full',
    `${waiting} requests ${who} already waiting. Try again shortly.`,
    known(retryAfterMs),
  )
}

export function queueTimeout(why: Obstacle | 'turn', waitedMs: number, retryAfterMs: number): StudioError {
  const message = `The request waited ${duration(waitedMs)} for its turn: ${reasons[why]}.`
  return new StudioError('queue_timeout', message, known(retryAfterMs))
}

/** The service asks for a longer wait than the queue allows. @param model null if all requests must wait */
export function heldTooLong(heldMs: number, model: string | null): StudioError {
  const whom = model === null ? 'all requests' : `requests for ${model.slice(0, 100)}`
  const message = `The service asked ${whom} to wait another ${duration(heldMs)}. That is longer than the queue allows.`
  return new StudioError('queue_timeout', message, known(heldMs))
}

function known(ms: number): { retryAfterMs?: number } {
  return Number.isFinite(ms) ? { retryAfterMs: Math.max(0, Math.ceil(ms)) } : {}
}

function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
