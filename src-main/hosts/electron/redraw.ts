/**
 * Returns a function to call after each change. It draws at most once per `everyMs`, and only what differs from the last drawing: a menu that
 * is replaced closes or flickers on some desktops while it is open.
 */
export function drawWhenDifferent<T>(
  read: () => T,
  draw: (now: T) => void,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): () => void {
  let drawn: string | null = null
  let timer: NodeJS.Timeout | null = null
  signal.addEventListener('abort', () => {
    if (timer) clearTimeout(timer)
  })
  return () => {
    if (signal.aborted) return
    timer ??= setTimeout(() => {
      timer = null
      const now = read()
      const text = JSON.stringify(now)
      if (text === drawn) return
      drawn = text
      draw(now)
    }, everyMs)
  }
}
