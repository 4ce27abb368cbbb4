import type { RetentionFeature } from '../data/retention/retention.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** The part of the contract that erases by age. */
export const eraseHandlers = (os: Implementer['erase'], host: Host, erasing: RetentionFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, erasing.state.watch(signal))),
  count: os.count.handler(({ input }) => erasing.count(input)),
  start: os.start.handler(({ input }) => done(erasing.start(input))),
  stop: os.stop.handler(() => erasing.stop()),
})
