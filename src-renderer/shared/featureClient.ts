import type { Problem } from '../../src-preload/contract/problem.ts'
import type { Client } from '../api/connect.ts'
import { problemOf } from '../api/problem.ts'

export interface FeatureClient {
  /** Null while the feature is not started. */
  client(): Client | null
  setClient(client: Client | null): void
  /** Runs `ask` and returns its result. Returns null without a client, and after a failure, which `onFailure` receives. */
  attempt<T>(ask: (client: Client) => Promise<T>): Promise<T | null>
}

/** The client that the actions of one feature share. A feature sets it when it starts and removes it when it stops. */
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
