import type { ChatLibrary } from '../features/library/library.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about folders, prompts, presets, search and the trash. */
export const libraryHandlers = (os: Implementer['library'], host: Host, library: ChatLibrary) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, library.state.watch(signal))),
  saveFolder: os.saveFolder.handler(({ input }) => library.saveFolder(input)),
  removeFolder: os.removeFolder.handler(({ input }) => done(library.removeFolder(input))),
  savePrompt: os.savePrompt.handler(({ input }) => library.savePrompt(input)),
  removePrompt: os.removePrompt.handler(({ input }) => done(library.removePrompt(input))),
  savePreset: os.savePreset.handler(({ input }) => library.savePreset(input)),
  removePreset: os.removePreset.handler(({ input }) => done(library.removePreset(input))),
  listDeleted: os.listDeleted.handler(() => ({ conversations: library.removed() })),
  deletePermanently: os.deletePermanently.handler(({ input }) => library.erase(input.ids)),
  search: os.search.handler(({ input: { text, conversationId = null, limit }, signal }) =>
    library.search({ text, conversationId, limit }, signal),
  ),
})
