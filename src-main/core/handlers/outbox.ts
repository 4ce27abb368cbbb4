import type { Outbox } from '../features/outbox/outbox.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

export const waitingHandlers = (os: Implementer['waiting'], host: Host, waiting: Outbox) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, waiting.watch(signal))),
  add: os.add.handler(({ input }) => waiting.add(input)),
  again: os.again.handler(({ input }) => waiting.again(input)),
  get: os.get.handler(({ input }) => waiting.get(input)),
  hold: os.hold.handler(({ input }) => waiting.hold(input)),
  change: os.change.handler(({ input }) => waiting.change(input)),
  cancel: os.cancel.handler(({ input }) => done(waiting.cancel(input))),
})
