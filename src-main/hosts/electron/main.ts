import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRouterClient } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import {
  app,
  BrowserWindow,
  clipboard,
  crashReporter,
  desktopCapturer,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  Notification,
  nativeTheme,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  screen,
  session,
  shell,
  systemPreferences,
  type UtilityProcess,
  utilityProcess,
} from 'electron'
import type { AlertPlace } from '../../../src-preload/contract/alerts.ts'
import type { AppState, Settings } from '../../../src-preload/contract/app.ts'
import type { Opening } from '../../../src-preload/contract/data.ts'
import type { DesktopState } from '../../../src-preload/contract/desktop.ts'
import { systemLanguage } from '../../../src-renderer/i18n/language.ts'
import { type Core, createCore } from '../../core/core.ts'
import { asStudioError, StudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { type ChildOfProgram, type ForkProgram, systemEnvironment } from '../../core/shared/processWorker.ts'
import { StateFeed } from '../../core/shared/stateFeed.ts'
import { createKeychain } from '../keychain.ts'
import { logUncaught } from '../lastResort.ts'
import { openDataDir } from '../node/folder.ts'
import { type LocalSocket, openLocalSocket } from '../node/localSocket.ts'
import { checkInOwnRun } from '../selfCheck/ownRun.ts'
import { externalAddress, isOwn } from './address.ts'
import { ThemeFollower } from './appearance.ts'
import { askBeforeClosing, closeActionOf } from './background.ts'
import { crashDumps, startCrashDumps } from './crashDumps.ts'
import { recoverFromCrashes } from './crashes.ts'
import { linkScheme } from './deepLink.ts'
import { type CallingPage, createDesktopRouter } from './desktopRouter.ts'
import { createWindows } from './desktopWindows.ts'
import { chooseFolder, dragOut, reveal } from './files.ts'
import { GivenFiles } from './givenFiles.ts'
import { identify } from './identity.ts'
import { showLaunchers } from './launchers.ts'
import { type LogFile, lastProblems, openLogFile } from './logFile.ts'
import { setOpenAtLogin, startsInBackground } from './loginItem.ts'
import { appMenu, type RecentChat } from './menu.ts'
import { blockNavigation, guardNavigation } from './navigation.ts'
import { notifier } from './notify.ts'
import {
  asksForSelfCheck,
  listenForOpening,
  type OpenRequest,
  requestInArguments,
  restartArguments,
} from './openRequests.ts'
import { storeOpenWindows, takeOpenWindows } from './openWindows.ts'
import { awaitReader, PacedPort } from './pacedPort.ts'
import { PageEvents } from './pageEvents.ts'
import { PageWindows } from './pageWindows.ts'
import { guardNetwork, guardPermissions, microphoneOf } from './permissions.ts'
import { givePorts } from './port.ts'
import { followPower, SleepBlocker } from './power.ts'
import { programFile, startAgain } from './program.ts'
import { isOfDevServer, registerScheme, servePage } from './protocol.ts'
import { endWithSession, stopBeforeQuit } from './quit.ts'
import { followRecentChats } from './recentChats.ts'
import { isWaylandSession, takeScreenshot } from './screenshot.ts'
import { QuickShortcut } from './shortcut.ts'
import { showContextMenu } from './showContextMenu.ts'
import { applySpelling } from './spelling.ts'
import { giveUp, reportStarted } from './startReport.ts'
import { systemNetwork } from './systemNetwork.ts'
import { showTray } from './tray.ts'
import { openUpdates } from './updates/open.ts'
import type { Updates } from './updates/updates.ts'
import type { WindowPlace } from './window.ts'
import { followLanguage, languageChanges, t } from './words.ts'

// This file is built to out/main/electron.js.
const built = fileURLToPath(new URL('..', import.meta.url))
const resources = join(built, '..', 'resources')
const devTools = !app.isPackaged

const toStandardError: Host['log'] = (level, line) => void process.stderr.write(`${level} ${line}\n`)
let log = toStandardError
logUncaught((level, line) => log(level, line))
identify(app)
registerScheme()
// With this switch, which a person gives for a container, windows would stay white on Linux.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
const isWayland = isWaylandSession()
const takeOpenings = listenForOpening(app)
const isSelfCheck = asksForSelfCheck(process.argv, app.isPackaged)
const dataDir = isSelfCheck ? null : await openFolder().catch(giveUp)
if (isSelfCheck) {
  // Not awaited: `ready` waits for the entry module to end. Loaded only for this command.
  void import('./selfCheck.ts')
    .then(({ selfCheckAndExit }) => selfCheckAndExit({ built, resources, fork: forkUtility, argv: process.argv }))
    .catch((thrown: unknown) => {
      log('error', `The check could not run: ${asStudioError(thrown).message}`)
      app.exit(1)
    })
} else if (dataDir !== null) {
  // Chromium's files and the single-instance lock are in the data folder: one running studio per folder.
  app.setPath('userData', join(dataDir, 'desktop'))
  startCrashDumps(join(dataDir, 'desktop', 'crashes'), { app, crashReporter })
  if (app.requestSingleInstanceLock()) {
    void app
      .whenReady()
      .then(() => start(dataDir))
      .catch(giveUp)
  } else app.exit(0)
}

async function openFolder(): Promise<string> {
  requireSandbox()
  return await openDataDir(undefined)
}

/**
 * Refuses to run from an AppImage without Chromium's sandbox. The start script that electron-builder adds to an AppImage switches the sandbox
 * off, without a message, on systems that allow no user namespaces, such as Ubuntu since 23.10.
 * @throws StudioError `bad_input`
 */
function requireSandbox({ argv, env } = process): void {
  if (env.APPIMAGE === undefined || !argv.includes('--no-sandbox')) return
  throw new StudioError('bad_input', t('desktop:start.noSandbox'))
}

async function start(folder: string): Promise<void> {
  const logFile = openLogFile(join(app.getPath('userData'), 'logs'))
  log = (level, line) => {
    toStandardError(level, line)
    logFile.write(level, line)
  }
  const { platform, arch, versions } = process
  logFile.write(
    'info',
    `Inference Studio ${app.getVersion()} started (${platform} ${arch}, Electron ${versions.electron}).`,
  )
  // A language that can't be loaded leaves the texts as they are.
  const applyLanguage = (setting: string): void =>
    void followLanguage(setting, app.getPreferredSystemLanguages()).catch((thrown: unknown) =>
      log('error', `The language could not be loaded: ${asStudioError(thrown).message}`),
    )
  applyLanguage(systemLanguage)
  const theme = new ThemeFollower(nativeTheme, join(app.getPath('userData'), 'theme'))
  const spelling = (isAllowed: boolean): void =>
    applySpelling(session.defaultSession, isAllowed, app.getPreferredSystemLanguages())
  // Before the first window, because Chromium would download dictionaries for its page.
  spelling(false)

  const ending = new AbortController()
  const openWindowsFile = join(app.getPath('userData'), 'windows.json')
  let isRestarting = false
  let core: Core | null = null
  let socket: LocalSocket | null = null
  let settings: Settings | null = null
  const quit = stopBeforeQuit({
    ...{ app, dialog, log, activity: () => core?.activity.read() ?? null },
    // During start-up too, so that the databases close cleanly. An unfinished repair is abandoned.
    async stop() {
      // Before the core has started, the windows of the last run are not open yet, and their list stays.
      if (core !== null && !isRestarting) storeOpenWindows(openWindowsFile, windows.openNow())
      ending.abort()
      await socket?.close()
      await (await starting.catch(() => null))?.stop()
    },
  })
  // Electron's own reaction would be a quit with a question, which a service manager can't answer.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, quit.now)

  const events = new PageEvents()
  const given = new GivenFiles()
  const windows = createWindows({
    ...{ preload: join(built, 'preload', 'preload.cjs'), icon: join(resources, 'package', 'icons', '256x256.png') },
    ...{ devTools, events, given },
    canOpen: () => core !== null && !quit.asked(),
    isQuitting: quit.asked,
    prepare(window) {
      recoverFromCrashes(window, { dialog, log, quit: () => app.quit(), isQuitting: quit.asked })
      endWithSession(window, quit.now)
      showContextMenu(window, log)
      window.once('show', reportStarted)
    },
    prepareMain(window, isLastWindow) {
      askBeforeClosing(window, {
        ...{ dialog, isLastWindow, isQuitting: quit.asked, choice: () => settings?.closeAction ?? 'quit' },
        async save(closeAction) {
          if (!core || !settings) return
          settings = { ...settings, closeAction }
          // The answer counts for this run also when it can't be stored.
          await createRouterClient(core.router)
            .app.updateSettings({ closeAction })
            .catch((thrown: unknown) =>
              log('error', `The answer could not be stored: ${asStudioError(thrown).message}`),
            )
        },
      })
    },
    allClosed() {
      if (process.platform === 'darwin' || (settings && closeActionOf(settings.closeAction) === 'background')) return
      app.quit()
    },
  })
  const { go, show, quick } = windows

  /** Current start-up work, or null. While it takes long, the window shows it. */
  let work: Opening | null = null
  let isOpen = startsInBackground(app)
  const isHidden = isOpen
  const opening = (reported: Opening): void => {
    work = reported
    if (!isOpen && !ending.signal.aborted) windows.open()
    isOpen = true
  }
  const updates = openUpdates(join(built, '..', 'package.json'), (level, line) => log(level, line))
  const restart = (): void => {
    isRestarting = true
    startAgain(app, restartArguments(process.argv, app.isPackaged))
    quit.now()
  }
  const ownHost = host(folder, { go, restart, logFile, updates, isQuitting: quit.asked })
  const starting = createCore(ownHost, { opening, signal: ending.signal })
  servePage(protocol, join(built, 'renderer'), { core: () => starting, opening: () => work, given })
  guardPermissions(session.defaultSession, () => microphoneOf(systemPreferences))
  guardNetwork(session.defaultSession, devTools, (address) => isOwn(address) || isOfDevServer(address))
  const pages = new PageWindows({ ...{ preload: join(built, 'preload', 'page.cjs'), devTools, dialog }, log })
  app.on('web-contents-created', (_event, contents) => {
    if (contents.session === pages.session) blockNavigation(contents)
    else guardNavigation(contents, (url) => shell.openExternal(url))
  })
  const showMenu = (recent: readonly RecentChat[]): void => {
    const actions = { go, newWindow: windows.newWindow, print: windows.print, quickPrompt: () => quick.show() }
    const template = appMenu({ ...actions, showLogs: () => void reveal(logFile.path) }, { devTools, recent })
    Menu.setApplicationMenu(Menu.buildFromTemplate(template))
  }
  showMenu([])
  const launch = (): void =>
    showLaunchers({
      ...{ app, buildMenu: (template) => Menu.buildFromTemplate(template) },
      actions: { newChat: () => go({ page: 'chat', id: null }), quickPrompt: () => quick.show() },
    })
  launch()
  languageChanges.add(launch)
  const follow = (request: OpenRequest): void => {
    windows.follow(request).catch((thrown: unknown) => log('error', asStudioError(thrown).message))
  }
  // What the second start asks for waits in `takeOpenings`, but a window that shows the start-up work appears at once.
  app.on('second-instance', () => {
    if (core === null) show()
  })
  // Without a listener Electron would quit. The main windows decide by themselves, because the quick prompt may be hidden.
  app.on('window-all-closed', () => undefined)
  followPower(powerMonitor, { core: () => starting.catch(() => null), quit: quit.now })

  core = await starting.catch((thrown: unknown) => {
    if (!quit.asked()) throw thrown
    return null
  })
  if (!core || quit.asked()) return
  // Commands of a terminal use this studio while it runs.
  socket = await openLocalSocket(folder, () => null, log)
  if (quit.asked()) return await socket?.close()
  await socket?.serve(core)
  const shortcut = new QuickShortcut(globalShortcut, () => quick.toggle())
  ending.signal.addEventListener('abort', () => shortcut.close())
  const desktopState = new StateFeed<DesktopState>({
    ...{ everyMs: 100, observe: () => () => undefined },
    read: () => ({ shortcut: shortcut.state, isWayland }),
  })
  const { desktop } = createDesktopRouter({
    ...{ host: ownHost, state: desktopState, events },
    windowOf: (contents) => BrowserWindow.fromWebContents(contents),
    isQuickPrompt: (window) => quick.is(window) && window?.isFocused() === true,
    readClipboard: () => clipboard.readText(),
    async takeScreenshot() {
      const capture = { capturer: desktopCapturer, screen, preferences: systemPreferences, isWayland }
      return given.offerContent('screenshot.png', 'image/png', await quick.without(() => takeScreenshot(capture)))
    },
    offerContent: (name, mime, content) => given.offerContent(name, mime, content),
    retryShortcut() {
      shortcut.apply(settings?.quickShortcut ?? '')
      desktopState.changed()
    },
    hideQuickPrompt: () => quick.hide(),
    runPage: (window, page) => pages.open(page, window),
    chooseFolder: (window, options) => chooseFolder(dialog, window, options),
    openConversation(id) {
      quick.hide()
      go({ page: 'chat', id })
    },
    reveal: async (what) => reveal(what === 'logs' ? logFile.path : (crashDumps(app.getPath('crashDumps'))[0] ?? '')),
  })
  const handler = new RPCHandler<CallingPage>({ ...core.router, desktop }, { experimental_transfer: awaitReader })
  givePorts(ipcMain, (port, contents) => handler.upgrade(new PacedPort(port), { context: { contents } }))

  const blocker = new SleepBlocker(powerSaveBlocker)
  const stopObserving = core.activity.observe(({ requests, recordings }) => blocker.isBusy(requests + recordings > 0))
  ending.signal.addEventListener('abort', stopObserving)
  settings = core.state().settings
  const applied = followState(
    core,
    (state) => {
      if (state.settings.openAtLogin !== settings?.openAtLogin) setOpenAtLogin(state.settings.openAtLogin, { app })
      settings = state.settings
      shortcut.apply(settings.quickShortcut)
      desktopState.changed()
      theme.follow(settings.theme)
      spelling(settings.spellcheck)
      applyLanguage(settings.language)
      updates?.follow(settings.checkForUpdates)
    },
    ending.signal,
  )
  applied.catch((thrown: unknown) => {
    if (!ending.signal.aborted) log('error', `The settings can’t be followed: ${String(thrown)}`)
  })
  followRecentChats(core, showMenu, ending.signal).catch((thrown: unknown) => {
    if (!ending.signal.aborted) log('error', `The recent chats can’t be followed: ${String(thrown)}`)
  })
  const trayActions = { open: show, quickPrompt: () => quick.show(), quit: () => app.quit() }
  showTray({ core, icons: join(resources, 'icons'), actions: trayActions, signal: ending.signal, log })

  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme, programFile())
  work = null
  if (!isHidden) windows.reopen(takeOpenWindows(openWindowsFile))
  takeOpenings(follow)
  const request = requestInArguments(process.argv, process.cwd(), app.isPackaged)
  if (request) follow(request)
  else if (!isHidden && !windows.hasMain()) windows.open()
  if (isHidden) reportStarted()
  app.on('activate', show)
}

/** Calls `apply` with the state of the core now and after each change, at most 20 times per second, until `signal` aborts. */
async function followState(
  core: Pick<Core, 'router'>,
  apply: (state: AppState) => void,
  signal: AbortSignal,
): Promise<void> {
  const states = await createRouterClient(core.router).app.watch(undefined, { signal })
  for await (const state of states) {
    if (signal.aborted) return
    apply(state)
  }
}

interface HostParts {
  go(place: WindowPlace & AlertPlace): void
  restart(): void
  logFile: LogFile
  updates: Updates | null
  isQuitting(): boolean
}

/** Starts a utility process: the packaged program can't run as plain Node. */
const forkUtility: ForkProgram = (path, args) =>
  childOf(
    utilityProcess.fork(path, [...args], {
      ...{ serviceName: 'documents and schemas', env: systemEnvironment(), stdio: 'ignore' },
    }),
  )

function childOf(child: UtilityProcess): ChildOfProgram {
  return {
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => void child.on('message', listener),
    onEnd: (listener) => void child.once('exit', (code) => listener(`code ${code}`)),
    kill: () => void child.kill(),
    // No process of this program keeps Electron alive.
    ref: () => undefined,
    unref: () => undefined,
  }
}

function host(folder: string, { go, restart, logFile, updates, isQuitting }: HostParts): Host {
  return {
    name: 'desktop',
    version: app.getVersion(),
    dataDir: folder,
    languages: () => app.getPreferredSystemLanguages(),
    secrets: createKeychain(),
    async openExternal(address) {
      const url = externalAddress(address)
      if (url === null) throw new StudioError('bad_input', 'Only http, https and mailto addresses can be opened.')
      await shell.openExternal(url)
    },
    openPage: (url) => shell.openExternal(url),
    reveal,
    dragOut,
    restart,
    network: systemNetwork({
      session: session.defaultSession,
      log: (level, line) => log(level, line),
      // With the whole environment, in which a person may name certificates (SSL_CERT_FILE).
      fork: () =>
        childOf(utilityProcess.fork(join(built, 'main', 'certificates.js'), [], { serviceName: 'certificates' })),
      isQuitting,
    }),
    fork: forkUtility,
    checkInstallation: (signal) => checkInOwnRun(programFile(), restartArguments(process.argv, app.isPackaged), signal),
    updates,
    notify: notifier({ Notification, goTo: go, log: (level, line) => log(level, line) }),
    log: (level, line) => log(level, line),
    diagnostics: {
      versions: () => ({ electron: process.versions.electron, chrome: process.versions.chrome }),
      recentProblems: () => lastProblems(logFile.path),
      crashDumps: () => crashDumps(app.getPath('crashDumps')).length,
    },
  }
}
