import { createRouterClient } from '@orpc/server'
import type { AppState } from '../../../../src-preload/contract/app.ts'
import type { Opening } from '../../../../src-preload/contract/data.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import { openInBrowser } from '../browser.ts'
import { type ConnectionOptions, connectionFrom } from '../connection.ts'
import type { Parts, RunningCore } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { type LocalSocket, openLocalSocket } from '../localSocket.ts'
import { type LogFormat, setLogFormat } from '../logFormat.ts'
import { notifySystemd } from '../notifySystemd.ts'
import { addressShown, exitCodes, isStored, log, printJson, say, sayTable } from '../output.ts'
import { wordsOf } from '../ownWords.ts'
import { pageFolder } from '../package.ts'
import { listenForEnd } from '../signals.ts'
import { firstState } from '../studio.ts'
import { type Studio, startWebServer, type WebServer } from '../web/server.ts'

export interface ServeOptions extends ConnectionOptions {
  dataDir?: string
  webPort?: number
  apiPort?: number
  /** IP address on which other computers may use the local API. */
  apiListen?: string
  /** Names by which other computers call this one. */
  apiHost?: readonly string[]
  /** Name or id of the app for Ollama's port. */
  ollama?: string
  web: boolean
  api: boolean
  open: boolean
  log: LogFormat
  json: boolean
}

/** Default web port, next to the 8787 of the local API. */
const defaultWebPort = 8786

/**
 * The document of `serve --json`, printed once everything is ready. `web.url` has the token of the page for a program that reads the output
 * through a pipe, and no token where the output is stored.
 */
interface Ready {
  web: { url: string } | null
  proxy: { baseUrl: string } | null
  sandbox: { baseUrl: string; apiKey: string } | null
  dataDir: string
}

/** The web server and the start-up work that it reports. */
interface Front {
  web: Promise<WebServer> | null
  /** Current start-up work, or null. */
  work: Opening | null
}

/**
 * `serve`: runs the core and the web server until a signal. Closes the pages first, so that none sees a half-closed core. A restart, such
 * as for a restore, replaces the core only: pages find the same address and session.
 */
export async function serve(options: ServeOptions, parts: Parts): Promise<number> {
  setLogFormat(options.log)
  await notifySystemd()
  // Once, because a restart could not read the key from a variable or a pipe again. Before the signals are handled, so that Ctrl-C ends a
  // process that waits for the key.
  const chosen = await coreOptions(options)
  const end = listenForEnd()
  let core: RunningCore | null = null
  let socket: LocalSocket | null = null
  let page: WebServer | null = null
  let restart = Promise.withResolvers<'restart'>()
  const front: Front = { web: null, work: null }
  /** Starts the web server before the core when the start-up work takes long. */
  const opening = async (work: Opening): Promise<void> => {
    front.work = work
    if (!options.web || front.web) return
    front.web = startWeb(null, options.webPort, () => front.work)
    logEarlyAddress(await front.web, options)
  }
  try {
    const dataDir = await openDataDir(options.dataDir)
    const host = createNodeHost(dataDir, () => restart.resolve('restart'))
    const start = () => parts.startCore(host, { ...chosen, opening, signal: end.signal })
    core = await start()
    const wasPrinted = front.web !== null
    if (front.web) (await front.web).serve(studioOf(core))
    else if (options.web) front.web = startWeb(studioOf(core), options.webPort, () => null)
    page = await front.web
    socket = await openLocalSocket(dataDir, () => page?.urlToOpen() ?? null, log)
    await socket?.serve(core)
    await announce(core, page, dataDir, { ...options, open: options.open && !wasPrinted })
    await tellSystemd('READY=1')
    while ((await Promise.race([end.asked, restart.promise])) === 'restart') {
      restart = Promise.withResolvers()
      await socket?.serve(null)
      await page?.pause()
      await core.stop()
      core = await start()
      page?.serve(studioOf(core))
      await socket?.serve(core)
      const address = page ? new URL(page.url).origin : null
      core.announce(address ?? (await stateOf(core)).proxy.baseUrl)
    }
  } catch (thrown) {
    // Ctrl-C during the start-up work loses nothing and is not an error.
    if (!end.signal.aborted || failureOf(thrown).kind !== 'cancelled') throw thrown
  } finally {
    end.release()
    await tellSystemd('STOPPING=1')
    await socket?.close()
    await front.web?.then((server) => server.stop()).catch(() => undefined)
    await core?.stop()
  }
  return exitCodes.ok
}

/** A failure does not end the program: systemd then reports a start that took too long. */
const tellSystemd = (state: string): Promise<void> =>
  notifySystemd(state).catch((thrown: unknown) =>
    log('warn', `systemd could not be told: ${failureOf(thrown).message}`),
  )

const warnOfNetwork = (address: string): void =>
  log(
    'warn',
    `The local API listens on ${address} without encryption, so whoever sees the network can read app keys and texts. Put a proxy with TLS in front of it, or let only programs in a network of their own reach it.`,
  )

async function coreOptions(options: ServeOptions) {
  const connect = await connectionFrom(options)
  const proxyPort = options.api ? options.apiPort : null
  const { apiListen: address, apiHost: hosts = [] } = options
  const beyondLoopback = address === undefined ? null : { address, hosts }
  if (beyondLoopback) warnOfNetwork(beyondLoopback.address)
  return {
    ...(connect && { connect }),
    ...(proxyPort !== undefined && { proxyPort }),
    ...(options.ollama !== undefined && { ollamaApp: options.ollama }),
    ...(beyondLoopback && { beyondLoopback }),
  }
}

const studioOf = (core: RunningCore): Studio => ({
  router: core.router,
  metrics: () => core.metrics(),
  media: core.media,
  bytes: core.bytes,
})

/** Logs the address on standard error, because programs wait for the ready line on standard output. */
function logEarlyAddress(web: WebServer, { open }: ServeOptions): void {
  log('info', `Starting up. Progress: ${process.stderr.isTTY ? web.url : new URL(web.url).origin}`)
  if (open) void openPage(web)
}

/** Starts the web server. A given port must be free; the default port falls back to the next free one. */
function startWeb(studio: Studio | null, port: number | undefined, opening: () => Opening | null): Promise<WebServer> {
  return startWebServer({
    studio,
    opening,
    pageFolder: pageFolder(),
    port: port ?? defaultWebPort,
    orNext: port === undefined,
    log,
  })
}

async function announce(core: RunningCore, web: WebServer | null, dataDir: string, options: ServeOptions) {
  const state = await stateOf(core)
  const ready: Ready = {
    web: web && { url: options.json && isStored() ? new URL(web.url).origin : web.url },
    proxy: state.proxy.baseUrl === null ? null : { baseUrl: state.proxy.baseUrl },
    sandbox: core.sandbox(),
    dataDir,
  }
  // Other processes may read the announcement, so it has no token.
  core.announce(web ? new URL(web.url).origin : state.proxy.baseUrl)
  if (options.json) printJson(ready)
  else sayReady(ready, state)
  await addressShown()
  if (options.open && web) await openPage(web)
}

const openPage = (web: WebServer): Promise<void> =>
  openInBrowser(web.urlToOpen()).catch((thrown: unknown) => log('warn', failureOf(thrown).message))

const stateOf = (core: RunningCore): Promise<AppState> => firstState({ client: createRouterClient(core.router) })

function sayReady(ready: Ready, { connection, proxy }: AppState): void {
  const rows: [string, string][] = []
  // A pipe may lead to a log as well, and a person can open the page without the token.
  const hasToken = process.stdout.isTTY === true
  if (ready.web) rows.push(['Inference Studio', hasToken ? ready.web.url : new URL(ready.web.url).origin])
  if (ready.proxy) rows.push([t('serve.localApi'), ready.proxy.baseUrl])
  else if (proxy.problem) rows.push([t('serve.localApi'), t('serve.offBecause', { reason: wordsOf(proxy.problem) })])
  const { ollama } = proxy
  if (ollama)
    rows.push([
      t('serve.ollama'),
      ollama.problem ? t('serve.offBecause', { reason: wordsOf(ollama.problem) }) : (ollama.baseUrl ?? t('serve.off')),
    ])
  if (ready.sandbox) {
    rows.push([t('serve.sandbox'), ready.sandbox.baseUrl], [t('serve.sandboxKey'), ready.sandbox.apiKey])
  } else {
    const address = connection.profile?.baseUrl ?? t('serve.noConnection')
    rows.push([t('serve.service'), connection.problem ? `${address}: ${wordsOf(connection.problem)}` : address])
  }
  rows.push([t('serve.dataFolder'), ready.dataDir])
  sayTable(rows)
  if (ready.web && !hasToken) say(t('serve.openHint'))
  say(t('stopHint'))
}
