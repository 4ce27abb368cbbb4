let now: { who: object; pause: () => void } | null = null

/** Only one sound plays per window: a new one pauses the previous one. */
export function soundsAlone(who: object, pause: () => void): void {
  if (now && now.who !== who) now.pause()
  now = { who, pause }
}

export function soundsNoMore(who: object): void {
  if (now?.who === who) now = null
}
