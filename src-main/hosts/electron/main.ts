import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RPCHandler } from '@orpc/server/message-port'
import { app, BrowserWindow, dialog, ipcMain, protocol, session, shell } from 'electron'
import type { AlertPlace } from '../../../src-preload/contract/alerts.ts'
import { createCore } from '../../core/core.ts'
import { asStudioError, StudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { createKeychain } from '../keychain.ts'
import { openDataDir } from '../node/folder.ts'
import { externalAddress } from './address.ts'
import { dragOut, reveal } from './files.ts'
import { setMenu } from './menu.ts'
import { guardNavigation } from './navigation.ts'
import { notifier } from './notify.ts'
import { guardNetwork, guardPermissions } from './permissions.ts'
import { givePorts } from './port.ts'
import { registerScheme, servePage } from './protocol.ts'
import { stopBeforeQuit } from './quit.ts'
import { focusWindow, goTo, openWindow } from './window.ts'

// This file is built to out/main/electron.js.
const built = fileURLToPath(new URL('..', import.meta.url))
const devTools = !app.isPackaged

registerScheme()
app.enableSandbox()
const dataDir = await openDataDir(undefined).catch(giveUp)
if (dataDir !== null) {
  // Chromium's files and the lock lie inside the data folder: one folder, one running studio.
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
  const open = (place?: AlertPlace): BrowserWindow => openWindow(join(built, 'preload', 'preload.cjs'), devTools, place)
  const starting = createCore(host(folder, open))
  servePage(protocol, join(built, 'renderer'), async () => (await starting).media)
  guardPermissions(session.defaultSession)
  guardNetwork(session.defaultSession, devTools)
  app.on('web-contents-created', (_event, contents) => guardNavigation(contents, (url) => shell.openExternal(url)))
  setMenu(devTools)

  // A quit may come before the core is up: it waits for it too, or the database would be left as by a crash.
  const quit = stopBeforeQuit(async () => (await starting).stop())
  const core = await starting
  if (quit.asked()) return
  const handler = new RPCHandler(core.router)
  givePorts(ipcMain, (port) => handler.upgrade(port))

  open()
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) open()
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
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
      if (url === null) throw new StudioError('bad_input', 'Only http, https and mailto addresses are opened.')
      await shell.openExternal(url)
    },
    reveal,
    dragOut,
    notify: notifier((place) => goTo(place) || open(place)),
    log: (level, line) => process.stderr.write(`${level} ${line}\n`),
  }
}

/** Without a data folder or a core there is nothing to show in a window: the words, then the end. */
function giveUp(thrown: unknown): null {
  dialog.showErrorBox('Inference Studio could not start', asStudioError(thrown).message)
  app.exit(1)
  return null
}
