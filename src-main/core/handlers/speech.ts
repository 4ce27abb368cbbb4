import type { Speeches } from '../features/speech/speeches.ts'
import type { Transfers } from '../features/transfers/transfers.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** Procedures about text to speech. */
export const speechHandlers = (os: Implementer['speech'], host: Host, speeches: Speeches, { streams }: Transfers) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, speeches.watch(signal))),
  find: os.find.handler(({ input }) => speeches.find(input)),
  get: os.get.handler(({ input }) => speeches.get(input)),
  plan: os.plan.handler(({ input }) => speeches.plan(input)),
  generate: os.generate.handler(({ input }) => speeches.make(input)),
  streamAudio: os.streamAudio.handler(({ input }) => streams.offer((signal) => speeches.listen(input, signal))),
  cancel: os.cancel.handler(({ input }) => speeches.cancel(input)),
  resume: os.resume.handler(({ input }) => speeches.resume(input)),
  setFavourite: os.setFavourite.handler(({ input }) => speeches.favourite(input)),
  setPcmRate: os.setPcmRate.handler(({ input }) => speeches.setRate(input)),
  save: os.save.handler(({ input }) => speeches.save(input)),
  remove: os.remove.handler(({ input }) => speeches.remove(input)),
  restore: os.restore.handler(({ input }) => speeches.restore(input)),
})
