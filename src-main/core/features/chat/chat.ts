import { StudioError } from '../../errors.ts'
import type { ChatNeighbours } from '../../ports/toolCalls.ts'
import type { Store } from '../../store/store.ts'
import { GeneratedTitles } from './generateTitle.ts'
import type { ChatChange } from './listWatcher.ts'
import { MessageQueue } from './queue.ts'
import { type ChatParts, ReplyRuns } from './replyRuns.ts'

/** State that the chat use cases share. */
export interface ChatFeature extends ChatParts {
  queue: MessageQueue
  titles: GeneratedTitles
  /** Whether the request log stores bodies. */
  logBodies(): boolean
}

export interface ChatOptions {
  store: Store
  upstream: ChatFeature['upstream']
  log(line: string): void
  neighbours?: ChatNeighbours
  /** Whether the request log stores the raw request and response body of each reply. Default: no. */
  logBodies?: () => boolean
  /** The model that writes titles. Default: none. */
  titleModel?: () => string | null
}

/** Chat without tools, images or prices. */
export const noNeighbours: ChatNeighbours = {
  toolsFor: () => ({}),
  toolsOf: () => ({}),
  callsOf: () => [],
  called: () => undefined,
  stopCalls: () => 0,
  jsonFaults: async () => ['It could not be checked.'],
  imageUrl: () => Promise.reject(new StudioError('no_such_item', 'That picture does not exist any more.')),
  attachDocuments: (documents) => documents.map(() => missingDocument()),
  documentText: () => missingDocument(),
  attachPassages: (passages) => passages.map(() => missingDocument()),
  projectContext: async () => ({ documents: [], passages: [] }),
  costOf: () => ({ cost: null, costIs: 'unknown' }),
  contextOf: () => null,
  leastCost: () => null,
  ended: () => undefined,
}

function missingDocument(): never {
  throw new StudioError('no_such_item', 'That document no longer exists.')
}

/** Creates the state of the chat feature. */
export function openChat(options: ChatOptions): ChatFeature {
  const { store, upstream, log, neighbours = noNeighbours, logBodies = () => false, titleModel = () => null } = options
  const runs = new ReplyRuns({
    store,
    log,
    neighbours,
    logBodies,
    starting: () => titles.giveWay(),
    stored: (reply) => {
      titles.replied(reply)
      queue.replied(reply)
    },
  })
  const { changes } = runs.view
  const notify = (change: ChatChange): void => changes.notify(change)
  const titles = new GeneratedTitles({ store, upstream, model: titleModel, logBodies, log, notify })
  const parts = { store, upstream, neighbours, runs }
  const queue = new MessageQueue(parts)
  return { ...parts, queue, titles, logBodies }
}
