import type { Settings } from '../../../src-preload/contract/app.ts'
import { Archive } from '../features/archive/archive.ts'
import { type ChatFeature, openChat } from '../features/chat/chat.ts'
import { openToolCallsPort } from '../features/chat/toolCallsPort.ts'
import type { Session } from '../features/connections/session.ts'
import { ChatLibrary } from '../features/library/library.ts'
import { createMedia, type Media } from '../features/media/media.ts'
import { createTools, type ToolsFeature } from '../features/tools/tools.ts'
import { createTransfers, type Transfers } from '../features/transfers/transfers.ts'
import type { VoiceFeature } from '../features/voice/voice.ts'
import type { Host } from '../host.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import { databaseFile, type Store } from '../store/store.ts'

export interface ChatDependencies {
  host: Host
  store: Store
  session: Session
  requestLog: SqliteRequestLog
  settings(): Settings
}

/** Chat and what lies around it: the rooms know each other only through what is tied together here. */
export interface ComposedChat {
  chat: ChatFeature
  chatTools: ToolsFeature
  archive: Archive
  library: ChatLibrary
  media: Media
  voice: VoiceFeature
  transfers: Transfers
  /** Replies are kept as far as they came, and everything is closed. */
  close(): Promise<void>
}

export function composeChat({ host, store, session, requestLog, settings }: ChatDependencies): ComposedChat {
  const upstream = () => session.upstream()
  const transfers = createTransfers({ dataDir: host.dataDir })
  const media = createMedia({ dataDir: host.dataDir, store, uploads: transfers.uploads })
  const voice: VoiceFeature = {
    upstream,
    voice: () => settings().voice,
    uploads: transfers.uploads,
    dictations: new Map(),
  }
  const chat = openChat({
    store,
    upstream,
    log: (line) => host.log('error', line),
    logBodies: () => settings().chatBodies,
    neighbours: {
      toolsFor: (conversationId) => chatTools.toolsFor(conversationId),
      callsOf: (reply) => chatTools.callsOf(reply),
      called: (reply, rows) => chatTools.called(reply, rows),
      stopCalls: (conversationId) => chatTools.stopCalls(conversationId),
      imageUrl: (id) => media.imageUrl(id),
      costOf: (row) => {
        const { cost, costIs } = requestLog.get(row).row
        return { cost, costIs }
      },
    },
  })
  const chatTools = createTools({
    store,
    secrets: host.secrets,
    toolCalls: openToolCallsPort(chat),
    toolRounds: () => settings().toolRounds,
    log: host.log,
    version: host.version,
  })
  const library = new ChatLibrary({
    store,
    databaseFile: databaseFile(host.dataDir),
    log: host.log,
    dropMedia: (ids) => media.drop(ids),
    eraseBodies: async (rows) => {
      for (const id of rows) await requestLog.eraseBodies({ id })
    },
  })
  const archive = new Archive({
    store,
    tempDir: transfers.folder,
    version: host.version,
    media,
    downloads: transfers.downloads,
    uploads: transfers.uploads,
    cleanUp: async () => void (await library.sweep()),
    added: (ids) => {
      for (const conversationId of ids) chat.runs.view.changes.notify({ what: 'restored', conversationId })
    },
  })
  const noted = chat.runs.view.changes.add((change) => {
    if (change.what !== 'text') library.note()
  })
  return {
    chat,
    chatTools,
    archive,
    library,
    media,
    voice,
    transfers,
    async close() {
      noted()
      // What a tool answers now is still written, and nothing is asked on.
      await chatTools.close()
      await chat.runs.shutDown()
      await archive.close()
      await library.close()
      await transfers.close()
      await media.swept
    },
  }
}
