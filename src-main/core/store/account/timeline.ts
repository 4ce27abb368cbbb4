/** What was seen at a fetch and held until another was seen, in the order of `at`. */
export interface Turn<T> {
  at: number
  value: T
}

/**
 * Takes in what was seen at `seen.at`, in whatever order fetches are written. A timeline has a turn where what is seen changes. `before` is
 * what held at that fetch so far (the last turn at or before it), `next` the first turn after it, `nextFetch` the first fetch after it
 * that is already in the books: what held there until now holds there still. The result is the same for every order of the same fetches.
 */
export function takeIn<T>(
  seen: Turn<T>,
  { before, next, nextFetch }: { before: T; next: Turn<T> | null; nextFetch: number | null },
  same: (a: T, b: T) => boolean,
): { put: Turn<T>[]; drop: number | null } {
  if (same(before, seen.value)) return { put: [], drop: null }
  if (nextFetch === null) return { put: [seen], drop: null }
  if (next?.at !== nextFetch) return { put: [seen, { at: nextFetch, value: before }], drop: null }
  return { put: [seen], drop: same(next.value, seen.value) ? next.at : null }
}
