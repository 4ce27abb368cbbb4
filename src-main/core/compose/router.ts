import type { AppState } from '../../../src-preload/contract/app.ts'
import type { AppUse } from '../../../src-preload/contract/apps.ts'
import type { DataFeature } from '../data/data.ts'
import type { RetentionFeature } from '../data/retention/retention.ts'
import type { AlertsFeature } from '../features/alerts/alerts.ts'
import { listModels, type ModelsFeature } from '../features/connections/listModels.ts'
import type { Session } from '../features/connections/session.ts'
import type { LimitsFeature } from '../features/limits/limits.ts'
import { updateSettings } from '../features/settings/updateSettings.ts'
import type { UsageFeature } from '../features/usage/usage.ts'
import type { UsageWorkerClient } from '../features/usage/workerClient.ts'
import type { Apps } from '../gateway/apps/apps.ts'
import { alertsHandlers } from '../handlers/alerts.ts'
import { archiveHandlers } from '../handlers/archive.ts'
import { chatHandlers } from '../handlers/chat.ts'
import { connectionHandlers } from '../handlers/connection.ts'
import { dataHandlers } from '../handlers/data.ts'
import { guarded } from '../handlers/errors.ts'
import { imagesHandlers } from '../handlers/images.ts'
import { implementer } from '../handlers/implementer.ts'
import { keysHandlers } from '../handlers/keys.ts'
import { libraryHandlers } from '../handlers/library.ts'
import { limitsHandlers } from '../handlers/limits.ts'
import { mediaHandlers } from '../handlers/media.ts'
import { openExternal } from '../handlers/openExternal.ts'
import { waitingHandlers } from '../handlers/outbox.ts'
import { eraseHandlers } from '../handlers/retention.ts'
import { speechHandlers } from '../handlers/speech.ts'
import { toolsHandlers } from '../handlers/tools.ts'
import { transcribeHandlers } from '../handlers/transcription.ts'
import { transfersHandlers } from '../handlers/transfers.ts'
import { usageHandlers } from '../handlers/usage.ts'
import { voiceHandlers } from '../handlers/voice.ts'
import type { Host } from '../host.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import type { StateFeed } from '../shared/stateFeed.ts'
import type { AccountStore } from '../store/account/open.ts'
import type { Store } from '../store/store.ts'
import type { ComposedChat } from './chat.ts'
import type { ComposedMedia } from './media.ts'

export interface HandlerDependencies {
  host: Host
  store: Store
  accountStore: AccountStore
  state: StateFeed<AppState>
  session: Session
  features: ComposedChat
  composedMedia: ComposedMedia
  models: ModelsFeature
  tools: Apps
  toolUse: StateFeed<AppUse[]>
  requestLog: SqliteRequestLog
  usage: UsageFeature
  beside: UsageWorkerClient
  limits: LimitsFeature
  alerts: AlertsFeature
  keep: DataFeature
  erasing: RetentionFeature
  settingsChanged: () => void
}

/** The contract, each procedure led to its use case. */
export function createRouter(features: HandlerDependencies) {
  const {
    host,
    store,
    accountStore,
    state,
    session,
    features: around,
    composedMedia,
    models,
    tools,
    toolUse,
    requestLog,
    usage,
    beside,
    limits,
    alerts,
    keep,
    erasing,
    settingsChanged,
  } = features
  const os = implementer(host, [store, accountStore])
  return os.router({
    app: {
      watch: os.app.watch.handler(({ signal }) => guarded(host, state.watch(signal))),
      updateSettings: os.app.updateSettings.handler(({ input }) => {
        const settings = updateSettings(store, input)
        settingsChanged()
        return settings
      }),
      openExternal: os.app.openExternal.handler(({ input }) => openExternal(host, input)),
    },
    connection: connectionHandlers(os.connection, session),
    models: { list: os.models.list.handler(({ input }) => listModels(models, input)) },
    chat: chatHandlers(os.chat, host, around.chat),
    tools: toolsHandlers(os.tools, host, around.chatTools),
    library: libraryHandlers(os.library, host, around.library),
    archive: archiveHandlers(os.archive, host, around.archive),
    media: mediaHandlers(os.media, around.media, composedMedia.keeping),
    voice: voiceHandlers(os.voice, host, around.voice),
    speech: speechHandlers(os.speech, host, composedMedia.speech),
    transcribe: transcribeHandlers(os.transcribe, host, composedMedia.transcribe),
    images: imagesHandlers(os.images, host, composedMedia.images),
    usage: usageHandlers(os.usage, host, { usage, beside, store, transfers: around.transfers }),
    keys: keysHandlers(os.keys, host, usage),
    limits: limitsHandlers(os.limits, host, limits),
    alerts: alertsHandlers(os.alerts, host, alerts),
    data: dataHandlers(os.data, host, keep),
    waiting: waitingHandlers(os.waiting, host, composedMedia.waiting),
    erase: eraseHandlers(os.erase, host, erasing),
    transfers: transfersHandlers(os.transfers, around.transfers),
    apps: {
      watch: os.apps.watch.handler(({ signal }) => guarded(host, tools.watch(signal))),
      watchUse: os.apps.watchUse.handler(({ signal }) => guarded(host, toolUse.watch(signal))),
      add: os.apps.add.handler(({ input }) => {
        const { tool, key } = tools.add(input)
        return { app: tool, key }
      }),
      update: os.apps.update.handler(({ input }) => tools.update(input.id, input.changes)),
      pause: os.apps.pause.handler(({ input }) => tools.pause(input.id, input.paused)),
      pauseAll: os.apps.pauseAll.handler(({ input }) => tools.pauseAll(input.paused)),
      resetSpend: os.apps.resetSpend.handler(({ input }) => {
        const tool = tools.get(input.id)
        requestLog.resetSpend(tool.id)
        return tool
      }),
      revoke: os.apps.revoke.handler(({ input }) => tools.revoke(input.id)),
    },
    requests: {
      watch: os.requests.watch.handler(({ input, signal }) =>
        guarded(host, requestLog.watch(input.filter, input.newest, signal)),
      ),
      page: os.requests.page.handler(async ({ input }) => ({
        rows: await requestLog.page(input.filter, input.before, input.limit),
      })),
      counts: os.requests.counts.handler(({ input }) => requestLog.counts(input.filter)),
      get: os.requests.get.handler(({ input }) => requestLog.get(input.id)),
      stop: os.requests.stop.handler(({ input }) => ({ stopped: requestLog.stop(input.id) })),
      eraseBodies: os.requests.eraseBodies.handler(async ({ input }) => ({
        erased: await requestLog.eraseBodies({ id: input.id, tool: input.app }),
      })),
    },
  })
}
export type StudioRouter = ReturnType<typeof createRouter>
