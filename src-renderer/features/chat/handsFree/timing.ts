/** Moments of one turn, in ms of `performance.now`. Null until they happen. */
export interface TurnTimes {
  /** The end of the last audible frame. */
  spokeUntil: number | null
  /** The pause was long enough to end the turn. */
  heardAt: number | null
  transcribedAt: number | null
  /** The first sentence of the reply is complete. */
  firstPieceAt: number | null
}

/** The time from the end of speech to the first sound, and its parts, ms. */
export interface TurnTiming {
  total: number
  /** Until the turn was known to have ended. */
  pause: number
  transcript: number
  /** Until the first sentence of the reply was complete. */
  text: number
  /** Until the sound of that sentence began. */
  voice: number
}

/** A turn of which nothing was measured yet. */
export const noTiming: TurnTimes = { spokeUntil: null, heardAt: null, transcribedAt: null, firstPieceAt: null }

/** @returns null when a part is unknown, for example after a repeated request */
export function timingOf(
  { spokeUntil, heardAt, transcribedAt, firstPieceAt }: TurnTimes,
  now: number,
): TurnTiming | null {
  if (spokeUntil === null || heardAt === null || transcribedAt === null || firstPieceAt === null) return null
  return {
    total: now - spokeUntil,
    pause: heardAt - spokeUntil,
    transcript: transcribedAt - heardAt,
    text: firstPieceAt - transcribedAt,
    voice: now - firstPieceAt,
  }
}
