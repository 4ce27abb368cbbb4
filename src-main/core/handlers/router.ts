import type { AppState } from '../../../src-preload/contract/app.ts'
import type { ToolUse } from '../../../src-preload/contract/tools.ts'
import type { AlertsRoom } from '../alerts/alerts.ts'
import { openExternal } from '../app/openExternal.ts'
import type { StateFeed } from '../app/state.ts'
import type { Books } from '../books/books.ts'
import type { BooksBeside } from '../booksBeside.ts'
import type { ChatRooms } from '../chatRooms.ts'
import type { Session } from '../connection/session.ts'
import type { Host } from '../host.ts'
import type { Erasing } from '../keep/erase.ts'
import type { Keep } from '../keep/keep.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LimitsRoom } from '../limits/limits.ts'
import type { MediaRooms } from '../mediaRooms.ts'
import { listModels, type ModelsRoom } from '../models/list.ts'
import { updateSettings } from '../settings/update.ts'
import type { AccountStore } from '../store/account/open.ts'
import type { Store } from '../store/store.ts'
import type { Tools } from '../tools/tools.ts'
import { alertsHandlers } from './alerts.ts'
import { archiveHandlers } from './archive.ts'
import { chatHandlers } from './chat.ts'
import { chatToolsHandlers } from './chatTools.ts'
import { connectionHandlers } from './connection.ts'
import { dataHandlers } from './data.ts'
import { eraseHandlers } from './erase.ts'
import { guarded } from './errors.ts'
import { imagesHandlers } from './images.ts'
import { implementer } from './implementer.ts'
import { keysHandlers } from './keys.ts'
import { libraryHandlers } from './library.ts'
import { limitsHandlers } from './limits.ts'
import { mediaHandlers } from './media.ts'
import { speechHandlers } from './speech.ts'
import { transcribeHandlers } from './transcribe.ts'
import { transfersHandlers } from './transfers.ts'
import { usageHandlers } from './usage.ts'
import { voiceHandlers } from './voice.ts'
import { waitingHandlers } from './waiting.ts'

export interface Rooms {
  host: Host
  store: Store
  account: AccountStore
  state: StateFeed<AppState>
  session: Session
  rooms: ChatRooms
  mediaRooms: MediaRooms
  models: ModelsRoom
  tools: Tools
  toolUse: StateFeed<ToolUse[]>
  ledger: Ledger
  books: Books
  beside: BooksBeside
  limits: LimitsRoom
  alerts: AlertsRoom
  keep: Keep
  erasing: Erasing
  settingsChanged: () => void
}

/** The contract, each procedure led to its use case. */
export function createRouter(rooms: Rooms) {
  const {
    host,
    store,
    account,
    state,
    session,
    rooms: around,
    mediaRooms,
    models,
    tools,
    toolUse,
    ledger,
    books,
    beside,
    limits,
    alerts,
    keep,
    erasing,
    settingsChanged,
  } = rooms
  const os = implementer(host, [store, account])
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
    chatTools: chatToolsHandlers(os.chatTools, host, around.chatTools),
    library: libraryHandlers(os.library, host, around.library),
    archive: archiveHandlers(os.archive, host, around.archive),
    media: mediaHandlers(os.media, around.media, mediaRooms.keeping),
    voice: voiceHandlers(os.voice, host, around.voice),
    speech: speechHandlers(os.speech, host, mediaRooms.speech),
    transcribe: transcribeHandlers(os.transcribe, host, mediaRooms.transcribe),
    images: imagesHandlers(os.images, host, mediaRooms.images),
    usage: usageHandlers(os.usage, host, { books, beside, store, transfers: around.transfers }),
    keys: keysHandlers(os.keys, host, books),
    limits: limitsHandlers(os.limits, host, limits),
    alerts: alertsHandlers(os.alerts, host, alerts),
    data: dataHandlers(os.data, host, keep),
    waiting: waitingHandlers(os.waiting, host, mediaRooms.waiting),
    erase: eraseHandlers(os.erase, host, erasing),
    transfers: transfersHandlers(os.transfers, around.transfers),
    tools: {
      watch: os.tools.watch.handler(({ signal }) => guarded(host, tools.watch(signal))),
      watchUse: os.tools.watchUse.handler(({ signal }) => guarded(host, toolUse.watch(signal))),
      add: os.tools.add.handler(({ input }) => tools.add(input)),
      update: os.tools.update.handler(({ input }) => tools.update(input.id, input.changes)),
      pause: os.tools.pause.handler(({ input }) => tools.pause(input.id, input.paused)),
      pauseAll: os.tools.pauseAll.handler(({ input }) => tools.pauseAll(input.paused)),
      resetSpend: os.tools.resetSpend.handler(({ input }) => {
        const tool = tools.get(input.id)
        ledger.resetSpend(tool.id)
        return tool
      }),
      revoke: os.tools.revoke.handler(({ input }) => tools.revoke(input.id)),
    },
    requests: {
      watch: os.requests.watch.handler(({ input, signal }) =>
        guarded(host, ledger.watch(input.filter, input.newest, signal)),
      ),
      page: os.requests.page.handler(async ({ input }) => ({
        rows: await ledger.page(input.filter, input.before, input.limit),
      })),
      counts: os.requests.counts.handler(({ input }) => ledger.counts(input.filter)),
      get: os.requests.get.handler(({ input }) => ledger.get(input.id)),
      stop: os.requests.stop.handler(({ input }) => ({ stopped: ledger.stop(input.id) })),
      eraseBodies: os.requests.eraseBodies.handler(async ({ input }) => ({ erased: await ledger.eraseBodies(input) })),
    },
  })
}
export type StudioRouter = ReturnType<typeof createRouter>
