import type { Client } from '../../api/connect.ts'
import { subscribe } from '../../api/watch.ts'
import { appTestStore, isWaiting, withTestEvent } from '../../stores/appTest.ts'

let stop: (() => void) | null = null

/** Waits for an app's first request at `since` or later. Replaces an earlier test. Calls `onEnd` when the request has ended. */
export function startAppTest(
  client: Client,
  app: { id: string; name: string },
  since: string,
  onEnd: () => void,
): void {
  stop?.()
  appTestStore.setState({ test: { app, state: 'waiting', row: null, stranger: null } })
  stop = subscribe(
    client,
    (signal) => client.requests.watch({ filter: { since }, newest: 1_000 }, { signal }),
    (event) => {
      const { test } = appTestStore.getState()
      if (!test) return
      const next = withTestEvent(test, event)
      appTestStore.setState({ test: next })
      if (next.state !== 'ended') return
      end()
      onEnd()
    },
  )
}

/** Cancels the wait. A request that has already arrived stays visible. */
export function stopAppTest(): void {
  end()
  const { test } = appTestStore.getState()
  if (test && isWaiting(test)) appTestStore.setState({ test: { ...test, state: 'stopped' } })
}

function end(): void {
  stop?.()
  stop = null
}
