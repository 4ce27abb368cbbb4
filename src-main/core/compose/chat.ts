import { Archive } from '../features/archive/archive.ts'
import { SyncRuns } from '../features/archive/sync/syncRuns.ts'
import { type ChatFeature, openChat } from '../features/chat/chat.ts'
import { ContextMeter } from '../features/chat/context/measure.ts'
import { Summaries } from '../features/chat/context/summarise.ts'
import { openToolCallsPort } from '../features/chat/toolCallsPort.ts'
import type { Session } from '../features/connections/session.ts'
import { createDocuments, type Documents } from '../features/documents/documents.ts'
import { createFileReader } from '../features/documents/fileReader.ts'
import { ChatLibrary } from '../features/library/library.ts'
import { createMedia, type Media } from '../features/media/media.ts'
import { learn } from '../features/models/learn.ts'
import { contextOf } from '../features/models/modelFacts.ts'
import { createProjects, type Projects } from '../features/projects/projects.ts'
import type { TextActionsFeature } from '../features/textActions/textActions.ts'
import { createTools, type ToolsFeature } from '../features/tools/tools.ts'
import { createTransfers, type Transfers } from '../features/transfers/transfers.ts'
import type { VoiceFeature } from '../features/voice/voice.ts'
import type { ContextFeature } from '../handlers/context.ts'
import type { Host } from '../host.ts'
import type { FileReader } from '../ports/fileReader.ts'
import { closeAll } from '../shared/closeAll.ts'
import { fromNano } from '../shared/money.ts'
import { databaseFile } from '../store/store.ts'
import { placeOf } from './account.ts'
import type { OpenData } from './data.ts'

export interface ChatDependencies
  extends Pick<OpenData, 'store' | 'settings' | 'words' | 'requestLog' | 'retentionClock'> {
  host: Host
  session: Session
}

/** Chat and its related features. Only this file connects them, because features do not import one another. */
export interface ComposedChat {
  chat: ChatFeature
  context: ContextFeature
  tools: ToolsFeature
  textActions: TextActionsFeature
  archive: Archive
  syncRuns: SyncRuns
  library: ChatLibrary
  media: Media
  documents: Documents
  /** A document converter for files that are not stored. */
  openFileReader(): FileReader
  projects: Projects
  voice: VoiceFeature
  transfers: Transfers
  /** Stores the received part of each running reply, then closes every feature. */
  close(): Promise<void>
}

export function composeChat({
  host,
  store,
  session,
  requestLog,
  settings,
  words,
  retentionClock,
}: ChatDependencies): ComposedChat {
  const upstream = () => session.upstream()
  const transfers = createTransfers({ dataDir: host.dataDir })
  const media = createMedia({ dataDir: host.dataDir, store, uploads: transfers.uploads })
  const documents = createDocuments({
    store,
    uploads: transfers.uploads,
    media,
    fork: host.fork,
    replaced: () => projects.wake(),
  })
  const projects = createProjects({
    store,
    databaseFile: databaseFile(host.dataDir),
    dropMedia: media.drop,
    changed: () => library.note(),
  })
  const voice: VoiceFeature = {
    upstream,
    voice: () => settings.value.voice,
    uploads: transfers.uploads,
    dictations: new Map(),
    samples: store.voiceSamples,
    runningSamples: new Map(),
    addSound: media.addSound,
  }
  const { costOf } = requestLog
  const textActions: TextActionsFeature = { upstream, logBodies: () => settings.value.chatBodies, costOf }
  const chat = openChat({
    store,
    upstream,
    log: (line) => host.log('error', line),
    logBodies: () => settings.value.chatBodies,
    titleModel: () => settings.value.titleModel,
    neighbours: {
      toolsFor: (conversationId) => tools.toolsFor(conversationId),
      toolsOf: (selection) => tools.toolsOf(selection),
      callsOf: (reply) => tools.callsOf(reply),
      called: (reply, rows) => tools.called(reply, rows),
      stopCalls: (conversationId) => tools.stopCalls(conversationId),
      jsonFaults: (reply, format) => tools.jsonFaults(reply, format),
      imageUrl: media.imageUrl,
      attachDocuments: documents.attach,
      documentText: documents.blockOf,
      costOf,
      attachPassages: projects.attach,
      projectContext: (message) => projects.context({ ...message, folderId: null }),
      contextOf: (model) => {
        const { profile } = session.connection
        return profile && contextOf(store.modelNotes.find(placeOf(profile), model))
      },
      leastCost: (model, { fresh, repeated }) => {
        const cost = (tokensCached: number) =>
          requestLog.prices.price('chat', model, {
            tokensIn: fresh + repeated,
            tokensCached,
            tokensOut: 0,
            bytesUp: 0,
            count: 1,
          })
        const [one, other] = [cost(0), cost(repeated)]
        return one === null || other === null ? null : fromNano(one < other ? one : other)
      },
      ended: (outcome) => learn(store, session.placeOf(outcome.upstream), outcome),
    },
  })
  const tools = createTools({
    store,
    secrets: host.secrets,
    toolCalls: openToolCallsPort(chat),
    toolRounds: () => settings.value.toolRounds,
    log: host.log,
    version: host.version,
    words,
    fork: host.fork,
    network: host.network ?? null,
  })
  const summaries = new Summaries(chat)
  const meter = new ContextMeter(chat, summaries)
  const library = new ChatLibrary({
    store,
    deadlines: retentionClock,
    databaseFile: databaseFile(host.dataDir),
    log: host.log,
    dropMedia: media.drop,
    folderRemoved: projects.wake,
    deleteBodies: async (rows) => {
      for (const id of rows) await requestLog.deleteBodies({ id })
    },
  })
  const archive = new Archive({
    store,
    deadlines: retentionClock,
    tempDir: transfers.folder,
    version: host.version,
    words,
    media,
    downloads: transfers.downloads,
    uploads: transfers.uploads,
    cleanUp: async () => void (await library.sweep()),
    added: (ids) => {
      projects.wake()
      library.note()
      for (const conversationId of ids) chat.runs.view.changes.notify({ what: 'restored', conversationId })
    },
    isRunning: (id) => chat.runs.view.running(id),
    merged: (conversationId, isNew) => notifyMerged(chat, conversationId, isNew),
    libraryMerged: () => {
      library.note()
      projects.wake()
    },
  })
  const syncRuns = new SyncRuns({
    store,
    log: host.log,
    sync: (folder, signal) => archive.sync({ folder }, signal),
    settings: () => settings.value,
  })
  const stopNoting = chat.runs.view.changes.add((change) => {
    if (change.what === 'text') return
    library.note()
    syncRuns.changed()
  })
  return {
    chat,
    context: { chat, meter, summaries },
    tools,
    textActions,
    archive,
    syncRuns,
    library,
    media,
    documents,
    openFileReader: () => createFileReader({ fork: host.fork, folder: transfers.folder }),
    projects,
    voice,
    transfers,
    close: () =>
      closeAll([
        stopNoting,
        // Tools close before replies, so that a result that arrives now is still stored and no further request is sent.
        tools,
        chat.titles,
        summaries,
        chat.queue,
        () => chat.runs.shutDown(),
        syncRuns,
        archive,
        library,
        documents,
        projects,
        transfers,
        () => media.swept,
      ]),
  }
}

/** Notifies subscribers of a conversation that was merged from another computer's file: anything in it may have changed. */
function notifyMerged({ store, runs }: ChatFeature, conversationId: string, isNew: boolean): void {
  const notify = runs.view.changes.notify.bind(runs.view.changes)
  const isRemoved = store.conversations.find(conversationId)?.removed !== false
  notify({ what: isRemoved ? 'removed' : 'restored', conversationId })
  if (isRemoved || isNew) return
  for (const what of ['path', 'conversation', 'setup'] as const) notify({ what, conversationId })
  for (const messageId of store.messages.pathIds(store.conversations.find(conversationId)?.leafId ?? null)) {
    notify({ what: 'message', conversationId, messageId })
  }
}
