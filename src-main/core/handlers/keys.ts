import type { UsageFeature } from '../features/usage/usage.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** Procedures about the account's API keys. */
export const keysHandlers = (os: Implementer['keys'], host: Host, usage: UsageFeature) => ({
  watch: os.watch.handler(({ input, signal }) => guarded(host, usage.watchKeys(input, signal))),
  daily: os.daily.handler(({ input }) => usage.reading.keyDaily(input)),
  refresh: os.refresh.handler(() => usage.refreshKeys()),
})
