import type { Archive } from '../features/archive/archive.ts'
import type { SyncRuns } from '../features/archive/sync/syncRuns.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** Procedures that export, import and sync conversations. */
export const archiveHandlers = (
  os: Implementer['archive'],
  host: Host,
  { archive, syncRuns }: { archive: Archive; syncRuns: SyncRuns },
) => ({
  exportConversation: os.exportConversation.handler(({ input }) => archive.exportConversation(input)),
  exportAll: os.exportAll.handler(() => archive.exportAll()),
  import: os.import.handler(({ input }) => archive.import(input)),
  sync: os.sync.handler(({ input }) => syncRuns.run(input.folder)),
  watchSync: os.watchSync.handler(({ signal }) => guarded(host, syncRuns.state.watch(signal))),
})
