import type { RetentionFeature } from '../data/retention/retention.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures that delete stored data by age. */
export const retentionHandlers = (os: Implementer['retention'], host: Host, retention: RetentionFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, retention.state.watch(signal))),
  count: os.count.handler(({ input }) => retention.count(input)),
  start: os.start.handler(({ input }) => done(retention.start(input))),
  stop: os.stop.handler(() => retention.stop()),
})
