import { StudioError } from '../../errors.ts'
import type { Obstacle } from './capacity.ts'

const because: Record<Obstacle | 'turn', string> = {
  held: 'the service asked everyone to wait',
  rate: 'the requests of this minute are used up',
  slot: 'all places for requests at once are taken',
  tokens: 'the tokens of this minute are used up',
  turn: 'others are before it',
}

/** Asked to fail fast. @param retryAfterMs Infinity where nobody knows */
export function wouldWait(why: Obstacle | 'turn', retryAfterMs: number): StudioError {
  return new StudioError('would_wait', `It would have to wait: ${because[why]}.`, known(retryAfterMs))
}

export function queueFull(waiting: number, ofThisTool: boolean, retryAfterMs: number): StudioError {
  const who = ofThisTool ? 'of this tool wait' : 'wait'
  return new StudioError('queue_full', `${waiting} requests ${who} already. Try again shortly.`, known(retryAfterMs))
}

export function queueTimeout(why: Obstacle | 'turn', waitedMs: number, retryAfterMs: number): StudioError {
  const message = `It waited ${inWords(waitedMs)} for its turn: ${because[why]}.`
  return new StudioError('queue_timeout', message, known(retryAfterMs))
}

/** The wait would be longer than anybody waits here. */
export function heldTooLong(heldMs: number, model: string | null): StudioError {
  const whom = model === null ? 'everyone' : `requests for ${model.slice(0, 100)}`
  const message = `The service asked ${whom} to wait another ${inWords(heldMs)}. That is too long to wait here.`
  return new StudioError('queue_timeout', message, known(heldMs))
}

function known(ms: number): { retryAfterMs?: number } {
  return Number.isFinite(ms) ? { retryAfterMs: Math.max(0, Math.ceil(ms)) } : {}
}

function inWords(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
