import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RPCHandler } from '@orpc/server/message-port'
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Notification,
  nativeTheme,
  powerMonitor,
  powerSaveBlocker,
  protocol,
  session,
  shell,
  systemPreferences,
} from 'electron'
import type { AlertPlace } from '../../../src-preload/contract/alerts.ts'
import type { Opening } from '../../../src-preload/contract/data.ts'
import { createCore } from '../../core/core.ts'
import { StudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { createKeychain } from '../keychain.ts'
import { logUncaught } from '../lastResort.ts'
import { openDataDir } from '../node/folder.ts'
import { externalAddress } from './address.ts'
import { ThemeFollower } from './appearance.ts'
import { recoverFromCrashes } from './crashes.ts'
import { dragOut, reveal } from './files.ts'
import { followState } from './followState.ts'
import { identify } from './identity.ts'
import { setMenu } from './menu.ts'
import { guardNavigation } from './navigation.ts'
import { notifier } from './notify.ts'
import { awaitReader, PacedPort } from './pacedPort.ts'
import { guardNetwork, guardPermissions, microphoneOf } from './permissions.ts'
import { givePorts } from './port.ts'
import { followPower, SleepBlocker } from './power.ts'
import { registerScheme, servePage } from './protocol.ts'
import { endWithSession, stopBeforeQuit } from './quit.ts'
import { applySpelling } from './spelling.ts'
import { giveUp, reportStarted } from './startReport.ts'
import { systemNetwork } from './systemNetwork.ts'
import { focusWindow, goTo, openWindow } from './window.ts'

// This file is built to out/main/electron.js.
const built = fileURLToPath(new URL('..', import.meta.url))
const devTools = !app.isPackaged

const log: Host['log'] = (level, line) => void process.stderr.write(`${level} ${line}\n`)
logUncaught(log)
identify(app)
registerScheme()
app.enableSandbox()
const dataDir = await openDataDir(undefined).catch(giveUp)
if (dataDir !== null) {
  // Chromium's files and the single-instance lock are in the data folder: one running studio per folder.
  app.setPath('userData', join(dataDir, 'desktop'))
  if (app.requestSingleInstanceLock()) {
    app.on('second-instance', focusWindow)
    void app
      .whenReady()
      .then(() => start(dataDir))
      .catch(giveUp)
  } else app.exit(0)
}

async function start(folder: string): Promise<void> {
  const theme = new ThemeFollower(nativeTheme, join(app.getPath('userData'), 'theme'))
  const spelling = (isAllowed: boolean): void =>
    applySpelling(session.defaultSession, isAllowed, app.getPreferredSystemLanguages())
  // Before the first window, because Chromium would download dictionaries for its page.
  spelling(false)
  const open = (place?: AlertPlace): BrowserWindow => {
    const window = openWindow(join(built, 'preload', 'preload.cjs'), devTools, place)
    recoverFromCrashes(window, { dialog, log, quit: () => app.quit() })
    endWithSession(window)
    window.once('show', reportStarted)
    return window
  }
  const ending = new AbortController()
  /** Current start-up work, or null. While it takes long, the window shows it. */
  let work: Opening | null = null
  let isOpen = false
  const opening = (reported: Opening): void => {
    work = reported
    if (!isOpen && !ending.signal.aborted) open()
    isOpen = true
  }
  const starting = createCore(host(folder, open), { opening, signal: ending.signal })
  servePage(protocol, join(built, 'renderer'), { core: () => starting, opening: () => work })
  guardPermissions(session.defaultSession, () => microphoneOf(systemPreferences))
  guardNetwork(session.defaultSession, devTools)
  app.on('web-contents-created', (_event, contents) => guardNavigation(contents, (url) => shell.openExternal(url)))
  setMenu(devTools)

  // A quit during start-up waits for the core, so that the databases close cleanly. An unfinished repair is abandoned.
  const quit = stopBeforeQuit(async () => {
    ending.abort()
    const core = await starting.catch(() => null)
    await core?.stop()
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  followPower(powerMonitor, { core: () => starting.catch(() => null), quit: () => app.quit() })
  const core = await starting.catch((thrown: unknown) => {
    if (!quit.asked()) throw thrown
    return null
  })
  if (!core || quit.asked()) return
  const handler = new RPCHandler(core.router, { experimental_transfer: awaitReader })
  givePorts(ipcMain, (port) => handler.upgrade(new PacedPort(port)))

  const blocker = new SleepBlocker(powerSaveBlocker)
  const stopObserving = core.activity.observe(({ requests, recordings }) => blocker.isBusy(requests + recordings > 0))
  ending.signal.addEventListener('abort', stopObserving)
  const applied = followState(
    core,
    ({ settings }) => {
      theme.follow(settings.theme)
      spelling(settings.spellcheck)
    },
    ending.signal,
  )
  applied.catch((thrown: unknown) => log('error', `The settings can’t be followed: ${String(thrown)}`))

  work = null
  if (BrowserWindow.getAllWindows().length === 0) open()
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) open()
  })
}

function host(folder: string, open: (place: AlertPlace) => BrowserWindow): Host {
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
      app.quit()
    },
    network: systemNetwork(session.defaultSession, log),
    notify: notifier({ Notification, goTo: (place) => void (goTo(place) || open(place)), log }),
    log,
  }
}
