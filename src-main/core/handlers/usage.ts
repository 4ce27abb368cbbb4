import type { Books } from '../books/books.ts'
import { exportView } from '../books/export.ts'
import { topConversations } from '../books/topConversations.ts'
import type { Host } from '../host.ts'
import type { Store } from '../store/store.ts'
import type { Transfers } from '../transfers/transfers.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** A table has a place for each. */
const everySeries = { most: Number.POSITIVE_INFINITY }

/** The usage room's part of the contract. */
export const usageHandlers = (
  os: Implementer['usage'],
  host: Host,
  { books, store, transfers }: { books: Books; store: Store; transfers: Transfers },
) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, books.watch(signal))),
  refresh: os.refresh.handler(() => books.refresh()),
  rename: os.rename.handler(({ input }) => books.rename(input)),
  summary: os.summary.handler(({ input }) => books.summary(input)),
  view: os.view.handler(({ input }) => books.reading.view(input)),
  compare: os.compare.handler(({ input }) => books.reading.compare(input)),
  corrections: os.corrections.handler(({ input }) => books.reading.corrections(input)),
  topConversations: os.topConversations.handler(({ input }) => topConversations(store.conversationCosts, input)),
  export: os.export.handler(({ input: { format, ...query } }) =>
    exportView(books.reading.view(query, everySeries), format, transfers),
  ),
})
