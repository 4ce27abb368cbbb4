import type { Settings } from '../../../src-preload/contract/app.ts'
import type { AppUse } from '../../../src-preload/contract/apps.ts'
import type { Session } from '../features/connections/session.ts'
import { abilitiesOf, type ModelFactsFeature } from '../features/models/modelFacts.ts'
import type { UsageFeature } from '../features/usage/usage.ts'
import { AppAllowance } from '../gateway/apps/allowance.ts'
import { appUses } from '../gateway/apps/appUsage.ts'
import { ReasoningRefusals } from '../gateway/apps/reasoningRefusals.ts'
import { BodyMemory } from '../gateway/proxy/bodyMemory.ts'
import { eventReadingMs } from '../gateway/proxy/chatStream.ts'
import { RequestFileTexts } from '../gateway/proxy/fileTexts.ts'
import type { BeyondLoopback } from '../gateway/proxy/frontendOptions.ts'
import { LocalV1, type LocalV1Settings } from '../gateway/proxy/localV1.ts'
import { relay } from '../gateway/proxy/relay.ts'
import type { RelayDependencies } from '../gateway/proxy/relayDependencies.ts'
import { TranslationThreads } from '../gateway/proxy/translationThreads.ts'
import type { RequestScheduler } from '../gateway/scheduler/requestScheduler.ts'
import type { Host } from '../host.ts'
import type { FileReader } from '../ports/fileReader.ts'
import { closeAll } from '../shared/closeAll.ts'
import { StateFeed } from '../shared/stateFeed.ts'
import { guarded } from '../shared/unexpected.ts'
import { loadTokenizer } from '../upstream/reply/tokens.ts'
import type { OpenData } from './data.ts'

export interface GatewayDependencies extends Pick<OpenData, 'store' | 'settings' | 'apps' | 'requestLog'> {
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
  /** A document converter of its own. */
  openFileReader(): FileReader
}

/** The local API: its server, the limits of its apps, and what each app uses now. */
export interface ComposedGateway {
  proxy: LocalV1
  appUse: StateFeed<AppUse[]>
  /** Starts, moves or stops the server as the settings say. Resolves when `proxy.status()` has the outcome. */
  apply(): Promise<void>
  close(): Promise<void>
}

/** How long after the start the tokenizer is loaded, ms: late enough not to delay the first page. */
const tokenizerMs = 3000

/** How many models with reasoning are remembered. An app may ask for any name. */
const mostReasoning = 1000

export function composeGateway(dependencies: GatewayDependencies): ComposedGateway {
  const { host, store, settings, apps, requestLog, session, scheduler, usage, models, port, changed } = dependencies
  const allowance = new AppAllowance({ spent: (id) => requestLog.spent(id) })
  const translation = new TranslationThreads()
  const fileTexts = new RequestFileTexts(dependencies.openFileReader)
  /** Models that have sent reasoning since the start, each with its connection. */
  const reasoning = new Set<string>()
  const noted = (model: string): string => JSON.stringify([models.place(), model])
  const relayDependencies: RelayDependencies = {
    forward: () => session.current?.forward ?? null,
    connection: () => session.connection,
    models: () => session.storedModels(),
    requestLog,
    allowance,
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
    fileTexts,
  }
  const proxy = new LocalV1({
    verify: apps.verify,
    relay: (request, response, allowed) => relay(relayDependencies, request, response, allowed),
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
  })
  const appUse = new StateFeed<AppUse[]>({
    everyMs: 500,
    read: () => appUses({ apps, requestLog, allowance }),
    observe: (notify) => {
      const stops = [apps.observe(notify), requestLog.changes.add(notify), scheduler.changes.add(notify)]
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
    apply: () => proxy.apply(wanted()),
    async close() {
      clearInterval(timer)
      await closeAll([stopWatchingKeys, proxy, () => translation.terminate(), () => fileTexts.terminate()])
    },
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
