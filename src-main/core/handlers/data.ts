import type { DataFeature } from '../data/data.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** The part of the contract about the data folder itself. */
export const dataHandlers = (os: Implementer['data'], host: Host, keep: DataFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, keep.watch(signal))),
  backup: os.backup.handler(() => keep.backup()),
  cancelBackup: os.cancelBackup.handler(() => keep.cancelBackup()),
  check: os.check.handler(({ input }) => keep.check(input)),
  restore: os.restore.handler(({ input }) => keep.restore(input)),
  cancelRestore: os.cancelRestore.handler(() => keep.cancelRestore()),
  dropRestore: os.dropRestore.handler(() => keep.dropRestore()),
  acknowledge: os.acknowledge.handler(({ input }) => done(keep.acknowledge(input))),
  eraseAside: os.eraseAside.handler(({ input }) => done(keep.eraseAside(input))),
})
