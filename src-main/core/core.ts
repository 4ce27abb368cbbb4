import type { AppState, Settings } from '../../src-preload/contract/app.ts'
import type { AppUse } from '../../src-preload/contract/apps.ts'
import type { DataState, Opening } from '../../src-preload/contract/data.ts'
import { composeAccount, placeOf } from './compose/account.ts'
import { type ComposedChat, composeChat } from './compose/chat.ts'
import { composeMedia } from './compose/media.ts'
import { composeRetention } from './compose/retention.ts'
import { createRouter, type StudioRouter } from './compose/router.ts'
import { createData } from './data/data.ts'
import { type OpenFolder, onFolder } from './data/opening/openFolder.ts'
import { recoverReplies } from './features/chat/recover.ts'
import { remove } from './features/chat/remove.ts'
import { send } from './features/chat/send.ts'
import { stop as stopReply } from './features/chat/stop.ts'
import { watch } from './features/chat/watch.ts'
import {
  connectForNow,
  connectNamed,
  connectSandbox,
  disconnect,
  login,
  openStored,
  recheck,
} from './features/connections/connect.ts'
import { followStored } from './features/connections/followStored.ts'
import { listModels } from './features/connections/listModels.ts'
import { savedProfiles } from './features/connections/profiles.ts'
import type { ReconnectBounds } from './features/connections/reconnectWatcher.ts'
import { Session } from './features/connections/session.ts'
import { AppAllowance } from './gateway/apps/allowance.ts'
import { Apps } from './gateway/apps/apps.ts'
import { appUses } from './gateway/apps/appUsage.ts'
import { BodyMemory } from './gateway/proxy/bodyMemory.ts'
import { LocalV1, type LocalV1Settings } from './gateway/proxy/localV1.ts'
import { type RelayDeps, relay } from './gateway/proxy/relay.ts'
import { startStartingUpServer } from './gateway/proxy/startingUpServer.ts'
import { RequestScheduler } from './gateway/scheduler/requestScheduler.ts'
import type { Host } from './host.ts'
import { Metrics } from './observability/metrics.ts'
import { openTelemetry } from './observability/openTelemetry.ts'
import { serverOf } from './observability/server.ts'
import { SqliteRequestLog } from './requestLog/requestLog.ts'
import { StateFeed } from './shared/stateFeed.ts'
import { guarded, inBackground, onUnexpected, unexpected } from './shared/unexpected.ts'
import { openAccountStore } from './store/account/open.ts'
import { asStoreError, coreBusyMs } from './store/database.ts'
import { defaultSettings, peekSettings } from './store/settings.ts'
import { databaseFile, openStore } from './store/store.ts'
import { loadTokenizer } from './upstream/meter/tokens.ts'

/** Ways to start that a command line may ask for; all absent means "as it was left". */
export interface CoreOptions {
  /** Connect to this for this run alone, instead of the active profile; `profile` is the id or name of a stored one. */
  connect?: { baseUrl: string; apiKey: string } | { sandbox: true } | { profile: string }
  /** Port of the local /v1 for this run; 0 means any; null means that it does not run. */
  proxyPort?: number | null
  /** Told while files of the folder are checked, mended or brought to this version, where that takes long; the first answer is waited for. */
  opening?: (work: Opening) => Promise<void> | void
  /** Ends that. */
  signal?: AbortSignal
  /** How it watches for a service that went away; as usual where not said. */
  back?: Partial<ReconnectBounds>
}

/** Hosts serve `router` over their wire; the command line uses the rest directly. */
export interface Core {
  readonly router: StudioRouter
  state(): AppState
  /** What `serve --json` prints of the core. The sandbox's key is a key of a stand-in on this machine. */
  addresses(): { proxy: string | null; sandbox: { baseUrl: string; apiKey: string } | null; dataDir: string }
  /** Tells a second process that wants this folder where this one answers. */
  announce(address: string | null): void
  readonly tools: Pick<Apps, 'add' | 'list' | 'revoke'>
  /** Text of Prometheus for the web host's `/metrics`; null while that is switched off. */
  metrics(): Promise<string | null>
  readonly chat: {
    send(input: Parameters<typeof send>[1]): ReturnType<typeof send>
    stop(input: { replyId: string }): { stopped: boolean }
    watch(input: { conversationId: string }, signal?: AbortSignal): ReturnType<typeof watch>
  }
  /** For the hosts' `/media/ID`. */
  readonly media: Pick<ComposedChat['media'], 'open'>
  readonly models: { list(input: { refresh: boolean }): ReturnType<typeof listModels> }
  readonly connection: {
    login(input: Parameters<typeof login>[1]): ReturnType<typeof login>
    logout(): Promise<void>
    /** Asks now; resolves when `state().connection` says how it went. */
    check(): Promise<void>
  }
  /** Replies are kept and marked, everything is closed. The second call waits for the first. */
  stop(): Promise<void>
}

/** How long the end of the program waits for a database that another process holds, ms. */
const endsWithinMs = 5000
/** After the start, when the page stands too. */
const tokenizerMs = 3000

/**
 * Builds the program in one data folder and starts it. What is stored can be read at once; the connection is looked at beside.
 * @throws StudioError `folder_in_use`, `store_newer`, `store_damaged`, `cancelled`, and what `options.connect` meets
 */
export async function createCore(host: Host, options: CoreOptions = {}): Promise<Core> {
  const { dataDir, log } = host
  let settings = defaultSettings
  let standIn: ReturnType<typeof startStartingUpServer> | null = null
  const parts = {
    ...{ dataDir, log, signal: options.signal },
    before: () => {
      settings = peekSettings(databaseFile(dataDir))
    },
    async opening(work: Opening): Promise<void> {
      standIn ??= startStartingUpServer(wishOf(settings, options), settings.proxyOrigins)
      await standIn
      await options.opening?.(work)
    },
  }
  const leave = async (): Promise<void> => {
    const left = await standIn
    standIn = null
    await left?.close()
  }
  try {
    return await onFolder(parts, (folder) => build(host, options, folder, leave))
  } finally {
    await leave()
  }
}

/** The local /v1 as it should stand. The command line's wish for this run goes before the settings. */
function wishOf(
  { proxyEnabled, proxyPort, proxyIpv6: ipv6 }: Settings,
  { proxyPort: port }: CoreOptions,
): LocalV1Settings {
  if (port === null) return { enabled: false, port: proxyPort, ipv6 }
  return { enabled: port !== undefined || proxyEnabled, port: port ?? proxyPort, ipv6 }
}

/** `leave`: nobody else stands where the local /v1 will, when it answers. */
async function build(
  host: Host,
  options: CoreOptions,
  { lock, kept }: OpenFolder,
  leave: () => Promise<void>,
): Promise<Core> {
  const unheard = onUnexpected((line) => host.log('error', line))
  kept.onFailure(unheard)
  const store = openStore(host.dataDir, { busyMs: coreBusyMs })
  const cut = recoverReplies(store)
  if (cut > 0) host.log('warn', `${cut} replies were cut when the program ended; they are kept and marked.`)

  /** Read once and after each change: the local /v1 asks with every request. */
  let settings = store.settings.read()
  const tools = new Apps(store)
  const scheduler = new RequestScheduler()
  kept.onFailure(() => store.close())
  const requestLog = openRequestLog()
  const allowance = new AppAllowance({ spent: (id) => requestLog.spent(id) })
  kept.onFailure(() => requestLog.close())
  const accountStore = openAccountStore(host.dataDir, { busyMs: coreBusyMs })
  kept.onFailure(() => accountStore.close())
  kept.opened()
  const metrics = new Metrics({ enabled: () => settings.metrics, live: () => scheduler.counts() })
  const spans = openTelemetry(process.env, {
    version: host.version,
    server: () => (session.current ? serverOf(session.current.base.url) : null),
    log: host.log,
  })
  const session = new Session(store, host.secrets, { scheduler, requestLogOf: requestLog.requestLogOf }, options.back)
  kept.onFailure(() => session.close())
  const composedAccount = composeAccount({
    ...{ host, store, accountStore, requestLog, tools, scheduler, session },
    changed: () => state.changed(),
  })
  const { usage, bucket, limits } = composedAccount
  const features = composeChat({ host, store, session, requestLog, settings: () => settings })
  const { chat } = features
  const composedMedia = composeMedia({ host, store, session, requestLog, files: features })
  const erasing = composeRetention({
    ...{ store, requestLog, library: features.library, keeping: composedMedia.keeping },
    remove: (conversationId) => remove(chat, { conversationId }),
    logDays: () => settings.logDays,
    log: host.log,
  })
  const keep = createData({
    dataDir: host.dataDir,
    version: host.version,
    transfers: features.transfers,
    problem: kept.problem,
    feed: (read) => new StateFeed<DataState>({ everyMs: 200, read, observe: () => () => undefined }),
    log: host.log,
  })
  const models = {
    store,
    place: () => session.connection.profile && placeOf(session.connection.profile),
    fetch: () => session.fetchModels(),
  }

  let keychain: AppState['keychain'] = { available: false, reason: 'It has not answered yet.' }
  const relayDeps: RelayDeps = {
    forward: () => session.current?.forward ?? null,
    requestLog,
    allowance,
    price: (endpoint, model, use) => {
      const known = requestLog.price(endpoint, model, use)
      if (known === null) usage.wanted()
      return known ?? requestLog.dearest(endpoint, use)
    },
    typicalOut: (model) => requestLog.typicalOut(model),
    local: () => new URL(proxy.status().baseUrl ?? 'http://127.0.0.1').origin,
    memory: new BodyMemory(),
  }
  const proxy = new LocalV1({
    verify: tools.verify,
    relay: (request, response, pass) => relay(relayDeps, request, response, pass),
    connected: () => session.current !== null,
    used: ({ id }) => tools.touch(id),
    refused: (refusal) => {
      requestLog.refused(refusal)
      metrics.refused(refusal.code)
    },
    allowedOrigins: () => settings.proxyOrigins,
    scheduler: () => scheduler.counts(),
    changed: () => state.changed(),
    log: host.log,
  })
  const proxyWish = (): LocalV1Settings => wishOf(settings, options)
  const keysWatched = tools.observe(() => {
    if (proxy.status().active > 0) proxy.cutBad(tools.isGood)
  })
  const storedWatched = followStored(session, (look) => tools.observe(look))
  const state = new StateFeed<AppState>({
    everyMs: 50,
    read: () => ({
      host: host.name,
      version: host.version,
      dataDir: host.dataDir,
      connection: session.connection,
      profiles: savedProfiles(session, (profile) => usage.accountOf(placeOf(profile))),
      keychain,
      proxy: { ...proxy.status(), apps: tools.count() },
      bucket: bucket.value,
      settings,
    }),
    observe: (changed) => {
      const ends = [tools.observe(changed), bucket.watch(), scheduler.changes.add(changed)]
      return () => {
        for (const end of ends) end()
      }
    },
  })
  const toolUse = new StateFeed<AppUse[]>({
    everyMs: 500,
    read: () =>
      appUses({
        tools: tools.list,
        spent: (id) => requestLog.spent(id),
        live: (id) => requestLog.liveOf(id),
        reserved: (id) => allowance.use(id).reserved,
      }),
    observe: (changed) => {
      const ends = [tools.observe(changed), requestLog.changes.add(changed), scheduler.changes.add(changed)]
      return () => {
        for (const end of ends) end()
      }
    },
  })

  session.changes.add(state.changed)
  bucket.changes.add(state.changed)
  // Rows are only put together for listeners where there are any.
  let stopCounting: (() => void) | null = null
  const countEnded = (): void => {
    if (settings.metrics) stopCounting ??= requestLog.ended.add((row) => metrics.ended(row))
    else {
      stopCounting?.()
      stopCounting = null
    }
  }
  countEnded()
  if (spans) requestLog.ended.add((row) => spans.ended(row))

  const lookForKeychain = async (): Promise<void> => {
    keychain = await host.secrets.probe()
    state.changed()
  }
  const settingsChanged = (): void => {
    settings = store.settings.read()
    countEnded()
    state.changed()
    inBackground('The local /v1 could not be changed', proxy.apply(proxyWish()))
  }
  const router = createRouter({
    host,
    store,
    accountStore,
    state,
    session,
    features,
    composedMedia,
    models,
    tools,
    toolUse,
    requestLog,
    ...{ usage, limits, beside: composedAccount.beside, alerts: composedAccount.alerts },
    keep,
    erasing,
    settingsChanged,
  })
  session.rechecks.add(() => inBackground('The keychain could not be asked', lookForKeychain()))

  async function connectAtStart(): Promise<void> {
    const { connect } = options
    if (connect && 'sandbox' in connect) await connectSandbox(session, { keep: false })
    else if (connect && 'profile' in connect) await connectNamed(session, connect.profile)
    else if (connect) await connectForNow(session, connect)
    else await openStored(session)
  }

  /** Each step is done whatever became of those before: the folder must be free and the replies kept when this resolves. */
  async function close(): Promise<void> {
    clearInterval(loadWhenIdle)
    const steps: (() => unknown)[] = [
      keysWatched,
      storedWatched,
      () => composedAccount.close(),
      () => proxy.close(),
      () => erasing.close(),
      () => keep.close(),
      () => composedMedia.close(),
      () => features.close(),
      () => session.close(),
      () => scheduler.close(),
      () => requestLog.close(),
      () => accountStore.pending.settled(endsWithinMs),
      () => accountStore.close(),
      () => spans?.close(),
      () => tools.close(),
      () => store.pending.settled(endsWithinMs),
      () => store.close(),
      () => lock.release(),
    ]
    for (const step of steps) {
      try {
        await step()
      } catch (thrown) {
        unexpected('At the end of the program', asStoreError(thrown))
      }
    }
    unheard()
  }
  // The first stream that is cancelled would wait for it otherwise, and all others with it.
  const loadTokenizerWhenIdle = guarded('The tokenizer could not be loaded; it is tried again', () => {
    if (requestLog.live() > 0) return
    if (proxyWish().enabled) loadTokenizer()
    clearInterval(loadWhenIdle)
  })
  const loadWhenIdle = setInterval(loadTokenizerWhenIdle, tokenizerMs)
  loadWhenIdle.unref()
  let stopping: Promise<void> | null = null
  const stop = (): Promise<void> => (stopping ??= close())

  kept.built()
  const background: Promise<unknown>[] = [lookForKeychain()]
  try {
    await leave()
    await proxy.apply(proxyWish())
    features.chatTools.start()
    // A command line's wish fails loudly; a stored profile that cannot be opened is a state to show.
    const opening = connectAtStart()
    if (options.connect) await opening
    background.push(opening.then(() => (session.connection.state === 'checking' ? session.check() : undefined)))
  } catch (thrown) {
    await stop()
    throw thrown
  }
  for (const work of background) work.catch((thrown: unknown) => host.log('error', `At start: ${String(thrown)}`))

  return {
    router,
    state: state.read,
    addresses: () => ({
      proxy: proxy.status().baseUrl,
      sandbox: session.sandbox && { baseUrl: session.sandbox.baseUrl, apiKey: session.sandbox.apiKey },
      dataDir: host.dataDir,
    }),
    announce: lock.announce,
    tools,
    metrics: () => metrics.text(),
    chat: {
      send: (input) => send(chat, input),
      stop: (input) => stopReply(chat, input),
      watch: (input, signal) => watch(chat, input, signal),
    },
    media: features.media,
    models: { list: (input) => listModels(models, input) },
    connection: {
      login: (input) => login(session, input),
      logout: () => disconnect(session),
      check: () => recheck(session),
    },
    stop,
  }

  function openRequestLog() {
    return new SqliteRequestLog({
      dataDir: host.dataDir,
      tools: () => tools.list(),
      bodyDays: () => settings.bodyDays,
      log: host.log,
    })
  }
}
