import { createRouterClient } from '@orpc/server'
import type { AppState } from '../../../src-preload/contract/app.ts'
import type { Core } from '../../core/core.ts'

/** Calls `apply` with the state of the core now and after each change, at most 20 times per second, until `signal` aborts. */
export async function followState(
  core: Pick<Core, 'router'>,
  apply: (state: AppState) => void,
  signal: AbortSignal,
): Promise<void> {
  const states = await createRouterClient(core.router).app.watch(undefined, { signal })
  for await (const state of states) {
    if (signal.aborted) return
    apply(state)
  }
}
