import { showSc } from '../../../src-preload/contract/amountText.ts'
import type { Settings } from '../../../src-preload/contract/app.ts'
import type { App, AppUse } from '../../../src-preload/contract/apps.ts'
import { type AppQuestion, modelsOf } from '../../../src-preload/contract/questions.ts'
import type { Words } from '../../../src-renderer/i18n/host.ts'
import type { Session } from '../features/connections/session.ts'
import { abilitiesOf, type ModelFactsFeature } from '../features/models/modelFacts.ts'
import type { UsageFeature } from '../features/usage/usage.ts'
import { AppAllowance } from '../gateway/apps/allowance.ts'
import { appUses } from '../gateway/apps/appUsage.ts'
import { Questions } from '../gateway/apps/questions.ts'
import { ReasoningRefusals } from '../gateway/apps/reasoningRefusals.ts'
import { McpEndpoint } from '../gateway/mcp/endpoint.ts'
import type { Relay } from '../gateway/mcp/viaRelay.ts'
import { askTimes } from '../gateway/proxy/askPerson.ts'
import { BodyMemory } from '../gateway/proxy/bodyMemory.ts'
import { eventReadingMs } from '../gateway/proxy/chatStream.ts'
import { RequestFileTexts } from '../gateway/proxy/fileTexts.ts'
import type { BeyondLoopback } from '../gateway/proxy/frontendOptions.ts'
import { isMcp } from '../gateway/proxy/localPath.ts'
import { LocalV1, type LocalV1Settings } from '../gateway/proxy/localV1.ts'
import { PromptReader } from '../gateway/proxy/promptReader.ts'
import { relay } from '../gateway/proxy/relay.ts'
import type { RelayDependencies } from '../gateway/proxy/relayDependencies.ts'
import { TranslationThreads } from '../gateway/proxy/translationThreads.ts'
import type { RequestScheduler } from '../gateway/scheduler/requestScheduler.ts'
import type { Host, Notice } from '../host.ts'
import { closeAll } from '../shared/closeAll.ts'
import { StateFeed } from '../shared/stateFeed.ts'
import { guarded } from '../shared/unexpected.ts'
import { loadTokenizer } from '../upstream/reply/tokens.ts'
import { composeAppMedia } from './appMedia.ts'
import type { ComposedChat } from './chat.ts'
import type { OpenData } from './data.ts'
import type { ComposedMedia } from './media.ts'

export interface GatewayDependencies extends Pick<OpenData, 'store' | 'words' | 'settings' | 'apps' | 'requestLog'> {
  host: Host
  session: Session
  scheduler: RequestScheduler
  usage: UsageFeature
  /** What is known about models. */
  models: ModelFactsFeature
  /** `CoreOptions.proxyPort`. */
  port: number | null | undefined
  /** `CoreOptions.ollamaApp`. */
  ollamaApp: string | undefined
  /** `CoreOptions.beyondLoopback`. */
  beyond: BeyondLoopback | undefined
  /** The state of the local API changed. Called often. */
  changed(): void
  /** Shows a notification, if they are switched on. */
  notify(notice: Notice): void
  /** The media features, which are tools of apps. */
  media: Pick<ComposedMedia, 'images' | 'speech' | 'transcription'>
  /** The media files, the transfers, and a document converter of its own. */
  files: Pick<ComposedChat, 'media' | 'transfers' | 'openFileReader'>
}

/** The local API: its server, the limits of its apps, and what each app uses now. */
export interface ComposedGateway {
  proxy: LocalV1
  appUse: StateFeed<AppUse[]>
  questions: Questions
  /** The open questions. */
  questionFeed: StateFeed<AppQuestion[]>
  /** Starts, moves or stops the server as the settings say. Resolves when `proxy.status()` has the outcome. */
  apply(): Promise<void>
  close(): Promise<void>
}

/** How long after the start the tokenizer is loaded, ms: late enough not to delay the first page. */
const tokenizerMs = 3000

/** How many models with reasoning are remembered. An app may ask for any name. */
const mostReasoning = 1000

export function composeGateway(dependencies: GatewayDependencies): ComposedGateway {
  const { host, store, settings, apps, requestLog, session, scheduler, usage, models, port, files, changed } =
    dependencies
  const questions = new Questions({
    store,
    save: apps.answer,
    spentToday: (id) => requestLog.spent(id).day,
    asked: (question) => dependencies.notify(noticeOf(question, dependencies.words)),
  })
  const allowance = new AppAllowance({
    spent: (id) => requestLog.spent(id),
    grants: questions.grants,
    hasUsed: (id, model) => requestLog.hasUsed(id, model),
  })
  const translation = new TranslationThreads()
  const fileTexts = new RequestFileTexts(files.openFileReader)
  /** Models that have sent reasoning since the start, each with its connection. */
  const reasoning = new Set<string>()
  const noted = (model: string): string => JSON.stringify([models.place(), model])
  const relayDependencies: RelayDependencies = {
    forward: () => session.current?.forward ?? null,
    connection: () => session.connection,
    models: () => session.storedModels(),
    requestLog,
    allowance,
    questions,
    currentApp: ({ id }) => apps.get(id),
    askTimes,
    price: (endpoint, model, use) => {
      const known = requestLog.prices.price(endpoint, model, use)
      if (known === null) usage.wanted()
      return known ?? requestLog.prices.dearest(endpoint, use)
    },
    typicalOut: (model) => requestLog.typicalOut(model),
    local: () => new URL(proxy.status().baseUrl ?? 'http://127.0.0.1').origin,
    memory: new BodyMemory(),
    responses: requestLog.storedResponses,
    sealingKey: store.settings.sealingKey,
    connectedPrograms: store.connectedPrograms.ofApp,
    eventReadingMs,
    reasoningRefusals: new ReasoningRefusals(),
    abilities: (model) => ({ ...abilitiesOf(models, model), thinking: reasoning.has(noted(model)) || null }),
    reasoned: (model) => {
      if (reasoning.size < mostReasoning) reasoning.add(noted(model))
    },
    translation,
    prompts: new PromptReader(translation, store.settings.sealingKey),
    fileTexts,
  }
  const relayed: Relay = (request, response, allowed) => relay(relayDependencies, request, response, allowed)
  const usesOf = (list: () => App[]): AppUse[] =>
    appUses({
      apps: { list, lastUseOf: (app) => apps.lastUseOf(app) },
      requestLog,
      allowance,
      grants: questions.grants,
    })
  const mcp = new McpEndpoint({
    ...{ memory: relayDependencies.memory, currentApp: relayDependencies.currentApp },
    ...{ relay: relayed, version: host.version },
    ...{ fileTexts, allowance, requestLog, tempDir: files.transfers.folder },
    media: composeAppMedia({
      ...dependencies.media,
      media: files.media,
      upstream: () => session.upstream(),
      local: () => relayDependencies.local(),
    }),
    use(app) {
      const [figures] = usesOf(() => [app])
      if (!figures) throw new RangeError('A revoked app makes no calls.')
      return figures
    },
  })
  const proxy = new LocalV1({
    verify: apps.verify,
    relay: (request, response, allowed) =>
      isMcp(allowed.path) ? mcp.answer(request, response, allowed) : relayed(request, response, allowed),
    memory: relayDependencies.memory,
    connected: () => session.current !== null,
    app: (which) => {
      const all = apps.list()
      return (
        all.find(({ id }) => id === which) ?? all.find(({ name, revokedAt }) => name === which && revokedAt === null)
      )
    },
    used: ({ id }) => apps.touch(id),
    refused: (refusal) => requestLog.refused(refusal),
    allowedOrigins: () => settings.value.proxyOrigins,
    scheduler: () => scheduler.counts(),
    changed,
    log: host.log,
  })
  const stopWatchingKeys = apps.observe(() => {
    proxy.cutInvalid(apps.isValid)
    questions.look()
  })
  const questionFeed = new StateFeed<AppQuestion[]>({
    everyMs: 100,
    read: questions.list,
    observe: (notify) => questions.changes.add(notify),
  })
  const appUse = new StateFeed<AppUse[]>({
    everyMs: 500,
    read: () => usesOf(() => apps.list()),
    observe: (notify) => {
      const stops = [
        ...[apps.observe(notify), requestLog.changes.add(notify), scheduler.changes.add(notify)],
        questions.changes.add(notify),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  })
  const enabledAtStart = settings.value.proxyEnabled
  let isSwitched = false
  const wanted = (): LocalV1Settings => {
    isSwitched ||= settings.value.proxyEnabled !== enabledAtStart
    const server = wantedServer(settings.value, port, isSwitched)
    return { ...server, ollamaApp: dependencies.ollamaApp ?? server.ollamaApp, beyond: dependencies.beyond }
  }
  // Otherwise the first cancelled stream would load the tokenizer, and every other request would wait until it is loaded.
  const loadWhenIdle = guarded('The tokenizer could not be loaded; the next attempt follows', () => {
    if (requestLog.live() > 0) return
    if (wanted().enabled) loadTokenizer()
    clearInterval(timer)
  })
  const timer = setInterval(loadWhenIdle, tokenizerMs)
  timer.unref()
  return {
    proxy,
    appUse,
    questions,
    questionFeed,
    apply: () => proxy.apply(wanted()),
    async close() {
      clearInterval(timer)
      await closeAll([
        ...[stopWatchingKeys, proxy, questions, mcp],
        ...[() => translation.terminate(), () => fileTexts.terminate()],
      ])
    },
  }
}

/** Models may be named in a notification when they can't be markup. */
const plainModel = /^[\w.:/@-]{1,80}$/

/** The text of a notification: numbers, the name of the app, and the model. */
function noticeOf(question: AppQuestion, { t, locale }: Words): Notice {
  const { app, requests, cost, spentToday } = question
  const models = modelsOf(question).filter((model) => plainModel.test(model))
  const names = new Intl.ListFormat(locale, { style: 'narrow' }).format(models.slice(0, 3))
  const figures = { count: requests.length, cost: showSc(cost ?? '0', locale) }
  const sentences = [
    t(cost === null ? 'core:question.requestUnpriced' : 'core:question.request', figures),
    ...(models.length === 0 ? [] : [t('core:question.models', { models: names })]),
    t('core:question.spent', { amount: showSc(spentToday, locale) }),
  ]
  return {
    title: t('core:question.title', { app: app.name.replace(/[\p{C}\p{Z}]+/gu, ' ') }),
    body: sentences.join(' '),
    place: { page: 'proxy', id: null },
  }
}

/**
 * The server that the settings ask for. `port` of the command line overrides them for this run; null means no server.
 * @param isSwitched whether the person has switched the local API on or off since the start, which counts more than `port`
 */
export function wantedServer(
  { proxyEnabled, proxyPort, proxyIpv6: ipv6, ollamaApp }: Settings,
  port: number | null | undefined,
  isSwitched = false,
): LocalV1Settings {
  if (port === null) return { enabled: false, port: proxyPort, ipv6, ollamaApp }
  return { enabled: proxyEnabled || (port !== undefined && !isSwitched), port: port ?? proxyPort, ipv6, ollamaApp }
}
