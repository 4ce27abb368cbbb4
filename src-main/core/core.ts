import type { AppState } from '../../src-preload/contract/app.ts'
import type { Opening } from '../../src-preload/contract/data.ts'
import { composeAccount } from './compose/account.ts'
import { composeAppState } from './compose/appState.ts'
import { type ComposedChat, composeChat } from './compose/chat.ts'
import { composeData, openData } from './compose/data.ts'
import { composeGateway } from './compose/gateway.ts'
import { composeMedia } from './compose/media.ts'
import { composeObservability } from './compose/observability.ts'
import { composePrograms } from './compose/programs.ts'
import { composeRetention } from './compose/retention.ts'
import { createRouter, type StudioRouter } from './compose/router.ts'
import { connectAtStart, type StartConnection, type StartingUp, startingUp } from './compose/startUp.ts'
import { eraseKeys } from './data/eraseEverything.ts'
import { type OpenFolder, onFolder } from './data/opening/openFolder.ts'
import { remove } from './features/chat/remove.ts'
import { send } from './features/chat/send.ts'
import { stop as stopReply } from './features/chat/stop.ts'
import { watch } from './features/chat/watch.ts'
import { disconnect, login, retest } from './features/connections/connect.ts'
import { followStored } from './features/connections/followStored.ts'
import type { ReconnectBounds } from './features/connections/reconnectWatcher.ts'
import { Session } from './features/connections/session.ts'
import { listModels } from './features/models/listModels.ts'
import type { Apps } from './gateway/apps/apps.ts'
import type { BeyondLoopback } from './gateway/proxy/frontendOptions.ts'
import { RequestScheduler } from './gateway/scheduler/requestScheduler.ts'
import { createBytesHandler } from './handlers/bytes.ts'
import type { Host } from './host.ts'
import type { BytesHandler } from './ports/bytes.ts'
import { closeAll } from './shared/closeAll.ts'
import { inBackground, onUnexpected, unexpected } from './shared/unexpected.ts'
import { asStoreError } from './store/databaseErrors.ts'
import { StorageWatcher } from './store/storageWatcher.ts'

/** For procedures that a host serves beside those of the core. */
export { guarded, toWire } from './handlers/errors.ts'

/** How to start for this run alone. An option that is absent leaves the stored settings as they are. */
export interface CoreOptions {
  /** Connects to this service instead of the active profile. `profile` is the id or the name of a stored one. */
  connect?: StartConnection
  /** Port of the local API. 0 means any free port; null means that the local API does not run. */
  proxyPort?: number | null
  /** Id or name of the app as which requests to Ollama's port count, without a key. */
  ollamaApp?: string
  /** Lets other computers use the local API, with app keys. Absent: only this computer can. */
  beyondLoopback?: BeyondLoopback
  /** Called with the progress of a long check or repair of the folder. The start waits for the first call to settle. */
  opening?: (work: Opening) => Promise<void> | void
  /** Cancels the check of the folder. */
  signal?: AbortSignal
  /** Overrides how often the core looks for a service that went away. */
  reconnect?: Partial<ReconnectBounds>
}

/** The running program. Hosts serve `router` over their transport; the command line calls the other members directly. */
export interface Core {
  readonly router: StudioRouter
  state(): AppState
  /** What `serve --json` prints. The sandbox's key is valid at the sandbox alone. */
  addresses(): { proxy: string | null; sandbox: { baseUrl: string; apiKey: string } | null; dataDir: string }
  /** Publishes the address of this process for a second process that wants the same folder. */
  announce(address: string | null): void
  readonly apps: Pick<Apps, 'add' | 'list' | 'revoke'>
  /** Prometheus text for the web host's `/metrics`, or null while metrics are switched off. */
  metrics(): Promise<string | null>
  readonly chat: {
    send(input: Parameters<typeof send>[1]): ReturnType<typeof send>
    stop(input: { replyId: string }): { stopped: boolean }
    watch(input: { conversationId: string }, signal?: AbortSignal): ReturnType<typeof watch>
  }
  /** Files and audio below the hosts' `/transfers/`. */
  readonly bytes: BytesHandler
  /** Files for the hosts' `/media/ID`. */
  readonly media: Pick<ComposedChat['media'], 'open'>
  readonly models: { list(input: { refresh: boolean }): ReturnType<typeof listModels> }
  readonly connection: {
    login(input: Parameters<typeof login>[1]): ReturnType<typeof login>
    logout(): Promise<void>
    /** Asks the service now. Resolves when `state().connection` has the result. */
    check(): Promise<void>
  }
  /** What runs now and would be cut by the end of this program. */
  readonly activity: {
    read(): Activity
    /** Calls `listener` now and after each change. Returns the function that removes it. */
    observe(listener: (activity: Activity) => void): () => void
  }
  /** Call when the computer wakes up: the connection is checked at once, and streams whose connection is gone are ended. */
  resumed(): void
  /** Stores running replies as incomplete, closes every part and frees the folder. Logs failures and never rejects. */
  stop(): Promise<void>
}

/** Requests to the service that are running or waiting, and running recordings. */
export interface Activity {
  requests: number
  recordings: number
}

/** How long closing waits for a database that another process has locked, ms. */
const settleMs = 5000

/**
 * Opens a data folder, builds the program on it and starts it. Stored data can be read at once; the connection is checked in the background.
 * @throws StudioError `folder_in_use`, `store_newer`, `store_damaged`, `cancelled`, and the failures of `options.connect`
 */
export async function createCore(host: Host, options: CoreOptions = {}): Promise<Core> {
  const starting = startingUp(host.dataDir, options.proxyPort, options.beyondLoopback)
  const opening = {
    dataDir: host.dataDir,
    log: host.log,
    signal: options.signal,
    before: starting.readSettings,
    opening: async (work: Opening): Promise<void> => {
      await starting.start()
      await options.opening?.(work)
    },
  }
  try {
    return await onFolder(opening, (folder) => build(host, options, folder, starting))
  } finally {
    await starting.stop()
  }
}

async function build(host: Host, options: CoreOptions, folder: OpenFolder, starting: StartingUp): Promise<Core> {
  const { lock, report: opening } = folder
  const stopReporting = onUnexpected((line) => host.log('error', line))
  opening.onFailure(stopReporting)
  const data = openData(host, opening)
  const { store, accountStore, requestLog, settings, apps } = data
  const scheduler = new RequestScheduler()
  const { requestLogOf } = requestLog
  const thinkTags = (): boolean => settings.value.thinkTags
  const traffic = { scheduler, requestLogOf, thinkTags, system: host.network }
  const session = new Session(store, host.secrets, traffic, options.reconnect)
  opening.onFailure(() => session.close())

  const changed = (): void => appState.state.changed()
  const storage = new StorageWatcher(host.dataDir, changed)
  opening.onFailure(() => storage.close())
  const account = composeAccount({ host, ...data, scheduler, session, changed })
  const chat = composeChat({ host, ...data, session })
  const media = composeMedia({ host, ...data, session, usage: account.usage, files: chat })
  const retention = composeRetention({
    store,
    requestLog,
    library: chat.library,
    media: media.retention,
    remove: (conversationId) => remove(chat.chat, { conversationId }),
    logDays: () => settings.value.logDays,
    deadlines: data.retentionClock,
    log: host.log,
  })
  const folderData = composeData({ host, opening, transfers: chat.transfers, store, settings })
  const observability = composeObservability({ host, ...data, scheduler, session })
  const { metrics } = observability
  const port = options.proxyPort
  const gateway = composeGateway({
    host,
    ...data,
    session,
    scheduler,
    usage: account.usage,
    models: account.models,
    port,
    ollamaApp: options.ollamaApp,
    beyond: options.beyondLoopback,
    changed,
    openFileReader: chat.openFileReader,
  })
  const programs = composePrograms({ host, ...data, account, proxy: gateway.proxy })
  const appState = composeAppState({ host, ...data, session, scheduler, account, proxy: gateway.proxy, storage })
  const settingsChanged = (): void => {
    settings.reload()
    observability.settingsChanged()
    chat.syncRuns.settingsChanged()
    folderData.settingsChanged()
    changed()
    inBackground('The local API could not be changed', gateway.apply())
  }
  const router = createRouter({
    host,
    ...data,
    session,
    account,
    chat,
    media,
    retention,
    data: folderData,
    settingsChanged,
    state: appState.state,
    storage,
    appUse: gateway.appUse,
    programs,
  })
  const stopFollowing = followStored(session, (look) => apps.observe(look))

  async function close(): Promise<void> {
    await closeAll([
      stopFollowing,
      storage,
      account,
      gateway,
      programs,
      retention,
      folderData,
      media,
      chat,
      session,
      scheduler,
      requestLog,
      () => accountStore.pending.settled(settleMs),
      accountStore,
      observability,
      apps,
      data.retentionClock,
      () => store.pending.settled(settleMs),
      store,
      () => lock.release(),
    ]).catch(({ errors }: AggregateError) => {
      for (const failure of errors) unexpected('A part could not be closed', asStoreError(failure))
    })
    stopReporting()
  }
  const activity = (): Activity => ({ requests: requestLog.live(), recordings: media.transcription.running() })
  let stopping: Promise<void> | null = null
  const stop = (): Promise<void> => (stopping ??= close())

  opening.built()
  try {
    inBackground('The keys could not be deleted', eraseKeys(host.dataDir, host.secrets, host.log))
    inBackground('The keychain could not be probed', appState.probeKeychain())
    await starting.stop()
    await gateway.apply()
    chat.tools.start()
    // A connection that the command line asked for must fail loudly. A stored profile that can't be opened is a state to show.
    const connecting = connectAtStart(session, options.connect)
    if (options.connect) await connecting
    const checked = connecting.then(() => (session.connection.state === 'checking' ? session.check() : undefined))
    inBackground('The connection could not be opened', checked)
  } catch (thrown) {
    await stop()
    throw thrown
  }

  return {
    router,
    bytes: createBytesHandler({ host, transfers: chat.transfers, recordings: media.transcription }),
    state: appState.state.read,
    addresses: () => ({
      proxy: gateway.proxy.status().baseUrl,
      sandbox: session.sandbox && { baseUrl: session.sandbox.baseUrl, apiKey: session.sandbox.apiKey },
      dataDir: host.dataDir,
    }),
    announce: lock.announce,
    apps,
    metrics: () => metrics.text(),
    chat: {
      send: (input) => send(chat.chat, input),
      stop: (input) => stopReply(chat.chat, input),
      watch: (input, signal) => watch(chat.chat, input, signal),
    },
    media: chat.media,
    models: { list: (input) => listModels(account.models, input) },
    connection: {
      login: (input) => login(session, input),
      logout: () => disconnect(session),
      check: () => retest(session),
    },
    activity: {
      read: activity,
      observe(listener) {
        const report = (): void => listener(activity())
        report()
        const stops = [requestLog.changes.add(report), media.transcription.runningChanges.add(report)]
        return () => {
          for (const end of stops) end()
        }
      },
    },
    resumed: () => session.resumed(),
    stop,
  }
}
