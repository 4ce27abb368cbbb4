import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRouterClient } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeTheme,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  session,
  shell,
  systemPreferences,
  utilityProcess,
} from 'electron'
import type { AlertPlace } from '../../../src-preload/contract/alerts.ts'
import type { Settings } from '../../../src-preload/contract/app.ts'
import type { Opening } from '../../../src-preload/contract/data.ts'
import { type Core, createCore } from '../../core/core.ts'
import { asStudioError, StudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { createKeychain } from '../keychain.ts'
import { logUncaught } from '../lastResort.ts'
import { openDataDir } from '../node/folder.ts'
import { externalAddress } from './address.ts'
import { ThemeFollower } from './appearance.ts'
import { askBeforeClosing, closeActionOf } from './background.ts'
import { recoverFromCrashes } from './crashes.ts'
import { type DeepLink, linkInArguments, linkScheme, readDeepLink } from './deepLink.ts'
import { dragOut, reveal } from './files.ts'
import { followState } from './followState.ts'
import { identify } from './identity.ts'
import { openLogFile } from './logFile.ts'
import { setOpenAtLogin, startsInBackground } from './loginItem.ts'
import { appMenu } from './menu.ts'
import { guardNavigation } from './navigation.ts'
import { notifier } from './notify.ts'
import { awaitReader, PacedPort } from './pacedPort.ts'
import { guardNetwork, guardPermissions, microphoneOf } from './permissions.ts'
import { givePorts } from './port.ts'
import { followPower, SleepBlocker } from './power.ts'
import { registerScheme, servePage } from './protocol.ts'
import { endWithSession, stopBeforeQuit } from './quit.ts'
import { requireSandbox } from './requireSandbox.ts'
import { showContextMenu } from './showContextMenu.ts'
import { applySpelling } from './spelling.ts'
import { giveUp, reportStarted } from './startReport.ts'
import { systemNetwork } from './systemNetwork.ts'
import { showTray } from './tray.ts'
import { openUpdates } from './updates/open.ts'
import type { Updates } from './updates/updates.ts'
import { focusWindow, goTo, openWindow, type WindowPlace } from './window.ts'

// This file is built to out/main/electron.js.
const built = fileURLToPath(new URL('..', import.meta.url))
const devTools = !app.isPackaged

const toStandardError: Host['log'] = (level, line) => void process.stderr.write(`${level} ${line}\n`)
let log = toStandardError
logUncaught((level, line) => log(level, line))
identify(app)
registerScheme()
app.enableSandbox()
const linkOfStart = firstLink()
const dataDir = await openFolder().catch(giveUp)
if (dataDir !== null) {
  // Chromium's files and the single-instance lock are in the data folder: one running studio per folder.
  app.setPath('userData', join(dataDir, 'desktop'))
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
  const theme = new ThemeFollower(nativeTheme, join(app.getPath('userData'), 'theme'))
  const spelling = (isAllowed: boolean): void =>
    applySpelling(session.defaultSession, isAllowed, app.getPreferredSystemLanguages())
  // Before the first window, because Chromium would download dictionaries for its page.
  spelling(false)

  const ending = new AbortController()
  let core: Core | null = null
  let settings: Settings | null = null
  const quit = stopBeforeQuit({
    ...{ app, dialog, log, activity: () => core?.activity.read() ?? null },
    // During start-up too, so that the databases close cleanly. An unfinished repair is abandoned.
    async stop() {
      ending.abort()
      await (await starting.catch(() => null))?.stop()
    },
  })
  // Electron's own reaction would be a quit with a question, which a service manager can't answer.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, quit.now)

  const open = (place?: WindowPlace): BrowserWindow => {
    const window = openWindow(join(built, 'preload', 'preload.cjs'), devTools, place)
    recoverFromCrashes(window, { dialog, log, quit: () => app.quit() })
    endWithSession(window, quit.now)
    showContextMenu(window, log)
    askBeforeClosing(window, {
      dialog,
      choice: () => settings?.closeAction ?? 'quit',
      isQuitting: quit.asked,
      isLastWindow: () => BrowserWindow.getAllWindows().length === 1,
      async save(closeAction) {
        if (!core || !settings) return
        settings = { ...settings, closeAction }
        // The answer counts for this run also when it can't be stored.
        await createRouterClient(core.router)
          .app.updateSettings({ closeAction })
          .catch((thrown: unknown) => log('error', `The answer could not be stored: ${asStudioError(thrown).message}`))
      },
    })
    window.once('show', reportStarted)
    return window
  }
  const show = (): void => {
    if (!focusWindow() && core && !quit.asked()) open()
  }
  const go = (place: WindowPlace): void => {
    if (!goTo(place) && core && !quit.asked()) open(place)
  }

  /** Current start-up work, or null. While it takes long, the window shows it. */
  let work: Opening | null = null
  let isOpen = startsInBackground(app)
  const isHidden = isOpen
  const opening = (reported: Opening): void => {
    work = reported
    if (!isOpen && !ending.signal.aborted) open()
    isOpen = true
  }
  const updates = openUpdates(join(built, '..', 'package.json'), (level, line) => log(level, line))
  const starting = createCore(host(folder, { go, restart: quit.now, updates }), { opening, signal: ending.signal })
  servePage(protocol, join(built, 'renderer'), { core: () => starting, opening: () => work })
  guardPermissions(session.defaultSession, () => microphoneOf(systemPreferences))
  guardNetwork(session.defaultSession, devTools)
  app.on('web-contents-created', (_event, contents) => guardNavigation(contents, (url) => shell.openExternal(url)))
  const actions = { go, showLogs: () => void reveal(logFile.path) }
  Menu.setApplicationMenu(Menu.buildFromTemplate(appMenu(actions, { devTools })))
  const follow = (link: DeepLink | null): void => {
    if (link) go({ page: 'chat', id: null, prompt: link.prompt })
  }
  app.on('second-instance', (_event, argv) => {
    const link = linkInArguments(argv)
    if (link) follow(link)
    else show()
  })
  app.on('window-all-closed', () => {
    if (process.platform === 'darwin' || (settings && closeActionOf(settings.closeAction) === 'background')) return
    app.quit()
  })
  followPower(powerMonitor, { core: () => starting.catch(() => null), quit: quit.now })

  core = await starting.catch((thrown: unknown) => {
    if (!quit.asked()) throw thrown
    return null
  })
  if (!core || quit.asked()) return
  const handler = new RPCHandler(core.router, { experimental_transfer: awaitReader })
  givePorts(ipcMain, (port) => handler.upgrade(new PacedPort(port)))

  const blocker = new SleepBlocker(powerSaveBlocker)
  const stopObserving = core.activity.observe(({ requests, recordings }) => blocker.isBusy(requests + recordings > 0))
  ending.signal.addEventListener('abort', stopObserving)
  settings = core.state().settings
  const applied = followState(
    core,
    (state) => {
      if (state.settings.openAtLogin !== settings?.openAtLogin) setOpenAtLogin(state.settings.openAtLogin, { app })
      settings = state.settings
      theme.follow(settings.theme)
      spelling(settings.spellcheck)
      updates?.follow(settings.checkForUpdates)
    },
    ending.signal,
  )
  applied.catch((thrown: unknown) => {
    if (!ending.signal.aborted) log('error', `The settings can’t be followed: ${String(thrown)}`)
  })
  const icons = join(built, '..', 'resources', 'icons')
  showTray({ core, icons, actions: { open: show, quit: () => app.quit() }, signal: ending.signal, log })

  const link = linkOfStart()
  app.on('open-url', (_event, url) => follow(readDeepLink(url)))
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)

  work = null
  if (link) follow(link)
  else if (!isHidden && BrowserWindow.getAllWindows().length === 0) open()
  if (isHidden) reportStarted()
  app.on('activate', show)
}

/** Listens for the link that macOS starts the program with, which may come before `ready`. Elsewhere links are arguments. */
function firstLink(): () => DeepLink | null {
  let link = linkInArguments(process.argv)
  const take = (_event: unknown, url: string): void => {
    link = readDeepLink(url) ?? link
  }
  app.on('open-url', take)
  return () => {
    app.off('open-url', take)
    return link
  }
}

interface HostParts {
  go(place: AlertPlace): void
  restart(): void
  updates: Updates | null
}

function host(folder: string, { go, restart, updates }: HostParts): Host {
  return {
    name: 'desktop',
    version: app.getVersion(),
    dataDir: folder,
    secrets: createKeychain(),
    async openExternal(address) {
      const url = externalAddress(address)
      if (url === null) throw new StudioError('bad_input', 'Only http, https and mailto addresses can be opened.')
      await shell.openExternal(url)
    },
    reveal,
    dragOut,
    restart() {
      app.relaunch()
      restart()
    },
    network: systemNetwork({
      session: session.defaultSession,
      log: (level, line) => log(level, line),
      fork: () => utilityProcess.fork(join(built, 'main', 'certificates.js'), [], { serviceName: 'certificates' }),
    }),
    updates,
    notify: notifier({ Notification, goTo: go, log: (level, line) => log(level, line) }),
    log: (level, line) => log(level, line),
  }
}
