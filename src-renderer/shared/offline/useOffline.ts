import { useEffect, useState } from 'react'
import type { Offline } from '../../../src-preload/contract/app.ts'
import { problemOf } from '../../api/problem.ts'
import { useApp } from '../../stores/app.ts'
import { useStudio } from '../studioContext.ts'
import { showToast } from '../toasts.ts'

/** Since when the service is unreachable. Null while reachable, or without a connection. */
export const useOffline = (): Offline | null => useApp(({ app }) => app?.connection.offline ?? null)

/** Checks now whether the service is reachable. */
export function useReconnect(): { reconnect: () => void; checking: boolean } {
  const studio = useStudio()
  const checking = useApp(({ app }) => app?.connection.state === 'checking')
  const reconnect = (): void => {
    studio.connection.retest().catch((thrown: unknown) => showToast({ id: 'recheck', text: problemOf(thrown).message }))
  }
  return { reconnect, checking }
}

/** The current time, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
