import type { Outbox } from '../features/outbox/outbox.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about requests that wait until the service is reachable. */
export const outboxHandlers = (os: Implementer['waiting'], host: Host, outbox: Outbox) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, outbox.watch(signal))),
  add: os.add.handler(({ input }) => outbox.add(input)),
  again: os.again.handler(({ input }) => outbox.again(input)),
  get: os.get.handler(({ input }) => outbox.get(input)),
  hold: os.hold.handler(({ input }) => outbox.hold(input)),
  change: os.change.handler(({ input }) => outbox.change(input)),
  cancel: os.cancel.handler(({ input }) => done(outbox.cancel(input))),
})
