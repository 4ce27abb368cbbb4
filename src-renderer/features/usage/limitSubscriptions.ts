import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { subscribe } from '../../api/watch.ts'
import { limitsStore } from '../../stores/limits.ts'

const maxHistory = 100

/** Subscribes to the limits, which the core reads only during a subscription. Returns the function that unsubscribes. */
export function startLimits(client: Client): () => void {
  const ended = new AbortController()
  const stop = subscribe(
    client,
    (signal) => client.limits.watch(undefined, { signal }),
    (limits) => {
      limitsStore.setState({ limits, problem: null })
      void readHistory(client, ended.signal)
    },
    (thrown) => limitsStore.setState({ problem: problemOf(thrown) }),
  )
  return () => {
    stop()
    ended.abort()
  }
}

async function readHistory(client: Client, signal: AbortSignal): Promise<void> {
  try {
    limitsStore.setState({ history: await client.limits.history({ limit: maxHistory }, { signal }) })
  } catch (thrown) {
    if (!signal.aborted) limitsStore.setState({ problem: problemOf(thrown) })
  }
}
