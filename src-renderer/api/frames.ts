/**
 * Collects items and hands them over once per animation frame, so that a burst of deltas is one change of state. A hidden
 * window gets no frames: there a timer takes over.
 */
export function perFrame<T>(handOver: (items: readonly T[]) => void): { push: (item: T) => void; drop: () => void } {
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
    drop: () => {
      clear()
      items = []
    },
  }
}
