interface PerFrame<T> {
  push: (item: T) => void
  /** Adds the item and flushes immediately. For an event that a person waits for. */
  now: (item: T) => void
  drop: () => void
}

/**
 * Collects items and passes them on once per animation frame, so that a burst of deltas is one state change. A hidden window has no
 * animation frames, so a timer of 100 ms also flushes.
 */
export function perFrame<T>(handOver: (items: readonly T[]) => void): PerFrame<T> {
  let items: T[] = []
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const clear = (): void => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    frame = 0
    timer = undefined
  }
  const flush = (): void => {
    clear()
    const batch = items
    items = []
    handOver(batch)
  }
  return {
    push: (item) => {
      items.push(item)
      if (items.length > 1) return
      frame = requestAnimationFrame(flush)
      timer = setTimeout(flush, 100)
    },
    now: (item) => {
      items.push(item)
      flush()
    },
    drop: () => {
      clear()
      items = []
    },
  }
}
