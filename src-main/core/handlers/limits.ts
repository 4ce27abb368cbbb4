import type { LimitsFeature } from '../features/limits/limits.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** Procedures about the limits of the account and the key. */
export const limitsHandlers = (os: Implementer['limits'], host: Host, limits: LimitsFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, limits.watch(signal))),
  history: os.history.handler(({ input }) => limits.history(input)),
})
