import type { AppState } from '../../../src-preload/contract/app.ts'
import type { AppUse } from '../../../src-preload/contract/apps.ts'
import type { AppQuestion } from '../../../src-preload/contract/questions.ts'
import type { DataFeature } from '../data/data.ts'
import { diagnosticsReport } from '../data/diagnostics.ts'
import type { RetentionFeature } from '../data/retention/retention.ts'
import type { Replays } from '../features/again/replays.ts'
import type { Session } from '../features/connections/session.ts'
import type { Programs } from '../features/programs/programs.ts'
import type { Questions } from '../gateway/apps/questions.ts'
import { alertsHandlers } from '../handlers/alerts.ts'
import { appHandlers } from '../handlers/app.ts'
import { appsHandlers } from '../handlers/apps.ts'
import { archiveHandlers } from '../handlers/archive.ts'
import { chatHandlers } from '../handlers/chat.ts'
import { connectionHandlers } from '../handlers/connection.ts'
import { contextHandlers } from '../handlers/context.ts'
import { dataHandlers } from '../handlers/data.ts'
import { documentsHandlers } from '../handlers/documents.ts'
import { imagesHandlers } from '../handlers/images.ts'
import { implementer } from '../handlers/implementer.ts'
import { keysHandlers } from '../handlers/keys.ts'
import { libraryHandlers } from '../handlers/library.ts'
import { limitsHandlers } from '../handlers/limits.ts'
import { mediaHandlers } from '../handlers/media.ts'
import { modelsHandlers } from '../handlers/models.ts'
import { outboxHandlers } from '../handlers/outbox.ts'
import { programsHandlers } from '../handlers/programs.ts'
import { projectsHandlers } from '../handlers/projects.ts'
import { requestsHandlers } from '../handlers/requests.ts'
import { retentionHandlers } from '../handlers/retention.ts'
import { sessionsHandlers } from '../handlers/sessions.ts'
import { speechHandlers } from '../handlers/speech.ts'
import { textActionsHandlers } from '../handlers/textActions.ts'
import { toolsHandlers } from '../handlers/tools.ts'
import { transcriptionHandlers } from '../handlers/transcription.ts'
import { transfersHandlers } from '../handlers/transfers.ts'
import { usageHandlers } from '../handlers/usage.ts'
import { voiceHandlers } from '../handlers/voice.ts'
import type { Host } from '../host.ts'
import { sentPath } from '../requestLog/rows.ts'
import type { StateFeed } from '../shared/stateFeed.ts'
import type { StorageWatcher } from '../store/storageWatcher.ts'
import type { ComposedAccount } from './account.ts'
import type { ComposedChat } from './chat.ts'
import type { OpenData } from './data.ts'
import type { ComposedMedia } from './media.ts'

export interface RouterDependencies extends Omit<OpenData, 'settings'> {
  host: Host
  session: Session
  account: ComposedAccount
  chat: ComposedChat
  media: ComposedMedia
  retention: RetentionFeature
  data: DataFeature
  state: StateFeed<AppState>
  storage: StorageWatcher
  appUse: StateFeed<AppUse[]>
  questions: Questions
  questionFeed: StateFeed<AppQuestion[]>
  programs: Programs
  replays: Replays
  settingsChanged: () => void
}

/** Implements the whole contract: each procedure calls one use case. */
export function createRouter(dependencies: RouterDependencies) {
  const { host, store, accountStore, requestLog, apps, session, account, chat, media } = dependencies
  const { retention, data, state, storage, appUse, programs, replays, questions, questionFeed, settingsChanged } =
    dependencies
  const { usage, usageWorker } = account
  const os = implementer(host, [store, accountStore])
  return os.router({
    app: appHandlers(os.app, host, {
      store,
      state,
      storage,
      settingsChanged,
      diagnostics: () => diagnosticsReport({ host, state: state.read, redact: (text) => withoutKeys(session, text) }),
    }),
    connection: connectionHandlers(os.connection, session),
    models: modelsHandlers(os.models, account.models),
    chat: chatHandlers(os.chat, host, chat.chat),
    context: contextHandlers(os.context, chat.context),
    tools: toolsHandlers(os.tools, host, chat.tools),
    textActions: textActionsHandlers(os.textActions, host, chat.textActions),
    library: libraryHandlers(os.library, host, chat.library),
    archive: archiveHandlers(os.archive, host, chat),
    media: mediaHandlers(os.media, chat.media, media.retention),
    documents: documentsHandlers(os.documents, chat.documents),
    projects: projectsHandlers(os.projects, chat.projects),
    voice: voiceHandlers(os.voice, chat.voice, chat.transfers),
    speech: speechHandlers(os.speech, host, media.speech, chat.transfers),
    transcription: transcriptionHandlers(os.transcription, host, media.transcription),
    images: imagesHandlers(os.images, host, media.images),
    usage: usageHandlers(os.usage, host, { usage, usageWorker, store, requestLog, transfers: chat.transfers }),
    keys: keysHandlers(os.keys, host, usage),
    limits: limitsHandlers(os.limits, host, account.limits),
    alerts: alertsHandlers(os.alerts, host, account.alerts),
    data: dataHandlers(os.data, host, data),
    outbox: outboxHandlers(os.outbox, host, media.outbox),
    retention: retentionHandlers(os.retention, host, retention),
    transfers: transfersHandlers(os.transfers, host, chat.transfers),
    programs: programsHandlers(os.programs, programs),
    apps: appsHandlers(os.apps, host, { apps, appUse, questions, questionFeed, requestLog }),
    requests: requestsHandlers(os.requests, host, {
      requestLog,
      transfers: chat.transfers,
      replays,
      again: {
        upstream: () => session.upstream(),
        row(id) {
          const row = requestLog.row(id)
          return row && { method: row.method, path: sentPath(row) }
        },
      },
    }),
    sessions: sessionsHandlers(os.sessions, requestLog.storedSessions),
  })
}

/** Removes the keys of all connections of this run. */
function withoutKeys({ current, keys }: Session, text: string): string {
  const known = [...keys.values()].reduce((rest, key) => key.redact(rest), text)
  return current?.redact(known) ?? known
}
export type StudioRouter = ReturnType<typeof createRouter>
