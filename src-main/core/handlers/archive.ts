import type { Archive } from '../features/archive/archive.ts'
import type { Host } from '../host.ts'
import type { Implementer } from './implementer.ts'

/** The part of the contract that reads conversations in and out. */
export const archiveHandlers = (os: Implementer['archive'], _host: Host, archive: Archive) => ({
  exportConversation: os.exportConversation.handler(({ input }) => archive.exportConversation(input)),
  exportAll: os.exportAll.handler(() => archive.exportAll()),
  import: os.import.handler(({ input }) => archive.import(input)),
})
