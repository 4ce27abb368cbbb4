import type { Books } from '../books/books.ts'
import { topConversations } from '../books/topConversations.ts'
import { StudioError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Store } from '../store/store.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** The usage room's part of the contract. */
export const usageHandlers = (os: Implementer['usage'], host: Host, books: Books, store: Store) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, books.watch(signal))),
  refresh: os.refresh.handler(() => books.refresh()),
  rename: os.rename.handler(({ input }) => books.rename(input)),
  summary: os.summary.handler(({ input }) => books.summary(input)),
  view: os.view.handler(({ input }) => books.reading.view(input)),
  compare: os.compare.handler(({ input }) => books.reading.compare(input)),
  corrections: os.corrections.handler(({ input }) => books.reading.corrections(input)),
  topConversations: os.topConversations.handler(({ input }) => topConversations(store.conversationCosts, input)),
  export: os.export.handler(() => {
    throw new StudioError('not_implemented', 'Exports come with the next step.')
  }),
})
