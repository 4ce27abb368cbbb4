import type { Archive } from '../features/archive/archive.ts'
import type { Implementer } from './implementer.ts'

/** Procedures that export and import conversations. */
export const archiveHandlers = (os: Implementer['archive'], archive: Archive) => ({
  exportConversation: os.exportConversation.handler(({ input }) => archive.exportConversation(input)),
  exportAll: os.exportAll.handler(() => archive.exportAll()),
  import: os.import.handler(({ input }) => archive.import(input)),
  sync: os.sync.handler(({ input }) => archive.sync(input)),
})
