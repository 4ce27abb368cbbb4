/** A value seen at a fetch. It is valid until the next turn, in the order of `at`. */
export interface Turn<T> {
  at: number
  value: T
}

/**
 * Inserts the value seen at `seen.at`, whatever the order in which fetches are written. A timeline has a turn where the value changes.
 * `before` is the value stored for that fetch so far (the last turn at or before it), `next` the first turn after it, `nextFetch` the first
 * stored fetch after it, whose value must stay the same. The result does not depend on the order of the fetches.
 */
export function takeIn<T>(
  seen: Turn<T>,
  { before, next, nextFetch }: { before: T; next: Turn<T> | null; nextFetch: number | null },
  same: (earlier: T, later: T) => boolean,
): { put: Turn<T>[]; drop: number | null } {
  if (same(before, seen.value)) return { put: [], drop: null }
  if (nextFetch === null) return { put: [seen], drop: null }
  if (next?.at !== nextFetch) return { put: [seen, { at: nextFetch, value: before }], drop: null }
  return { put: [seen], drop: same(seen.value, next.value) ? next.at : null }
}
