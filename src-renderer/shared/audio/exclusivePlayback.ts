let now: { who: object; pause: () => void } | null = null

/** Registers a sound that starts to play, and pauses the previous sound: only one sound plays per window. */
export function soundsAlone(who: object, pause: () => void): void {
  if (now && now.who !== who) now.pause()
  now = { who, pause }
}

/** Call when the sound has ended or paused, so that the next one pauses nothing. */
export function soundsNoMore(who: object): void {
  if (now?.who === who) now = null
}
