import type { Problem } from '../../src-preload/contract/problem.ts'
import type { Client } from '../api/connect.ts'
import { problemOf } from '../api/problem.ts'

export interface FeatureClient {
  /** Null while the feature is not started. */
  client(): Client | null
  setClient(client: Client | null): void
  /** Runs `ask` and returns its result. Returns null without a client. After a failure, calls `onFailure` and returns null. */
  attempt<T>(ask: (client: Client) => Promise<T>): Promise<T | null>
}

/** Creates the client holder of one feature. The feature sets its client at the start and removes it at the stop. */
export function createFeatureClient(onFailure: (problem: Problem) => void): FeatureClient {
  let current: Client | null = null
  return {
    client: () => current,
    setClient: (client) => {
      current = client
    },
    attempt: async (ask) => {
      if (!current) return null
      try {
        return await ask(current)
      } catch (thrown) {
        onFailure(problemOf(thrown))
        return null
      }
    },
  }
}
