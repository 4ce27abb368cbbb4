import type { DataFeature } from '../data/data.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

function restarted({ restart }: Host): boolean {
  // After this turn of the event loop, so that the page gets its reply first.
  if (restart) setImmediate(restart)
  return restart !== null
}

/** Procedures about the data folder as a whole: backup, restore and reports of damage. */
export const dataHandlers = (os: Implementer['data'], host: Host, data: DataFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, data.watch(signal))),
  backup: os.backup.handler(() => data.backup()),
  cancelBackup: os.cancelBackup.handler(() => data.cancelBackup()),
  checkBackup: os.checkBackup.handler(({ input }) => data.check(input)),
  restore: os.restore.handler(({ input }) => data.restore(input)),
  cancelRestore: os.cancelRestore.handler(() => data.cancelRestore()),
  discardRestore: os.discardRestore.handler(() => data.discardRestore()),
  restart: os.restart.handler(() => ({ restarting: restarted(host) })),
  deleteEverything: os.deleteEverything.handler(async () => {
    await data.deleteEverything()
    return { restarting: restarted(host) }
  }),
  acknowledge: os.acknowledge.handler(({ input }) => done(data.acknowledge(input))),
  deleteSetAside: os.deleteSetAside.handler(({ input }) => done(data.deleteSetAside(input))),
})
