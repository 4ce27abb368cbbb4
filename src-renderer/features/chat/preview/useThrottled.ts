import { useEffect, useRef, useState } from 'react'

/** The value, updated at most once per `everyMs`. With 0, updates at once. The last value always arrives. */
export function useThrottled<T>(value: T, everyMs: number): T {
  const [shown, setShown] = useState(value)
  const updated = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, updated.current + everyMs - performance.now())
    const update = (): void => {
      updated.current = performance.now()
      setShown(value)
    }
    if (wait === 0) {
      update()
      return
    }
    const timer = setTimeout(update, wait)
    return () => clearTimeout(timer)
  }, [value, everyMs])
  return shown
}
