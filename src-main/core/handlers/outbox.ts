import type { Outbox } from '../features/outbox/outbox.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about requests that wait until the service is reachable. */
export const outboxHandlers = (os: Implementer['outbox'], host: Host, outbox: Outbox) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, outbox.watch(signal))),
  add: os.add.handler(({ input }) => outbox.add(input)),
  requeue: os.requeue.handler(({ input }) => outbox.requeue(input)),
  get: os.get.handler(({ input }) => outbox.get(input)),
  hold: os.hold.handler(({ input }) => outbox.hold(input)),
  update: os.update.handler(({ input }) => outbox.update(input)),
  cancel: os.cancel.handler(({ input }) => done(outbox.cancel(input))),
})
