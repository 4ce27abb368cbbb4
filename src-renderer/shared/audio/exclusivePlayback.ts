let now: { who: object; pause: () => void } | null = null

/** One sound at a time in a window: whoever begins pauses the one before. */
export function soundsAlone(who: object, pause: () => void): void {
  if (now && now.who !== who) now.pause()
  now = { who, pause }
}

export function soundsNoMore(who: object): void {
  if (now?.who === who) now = null
}
