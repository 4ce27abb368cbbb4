import { type BrowserWindow, clipboard, Menu, shell } from 'electron'
import { asStudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { contextMenu } from './contextMenu.ts'

/** Shows the menu of a right click in this window. */
export function showContextMenu(window: BrowserWindow, log: Host['log']): void {
  const { webContents } = window
  const fail = (thrown: unknown): void => log('warn', asStudioError(thrown).message)
  webContents.on('context-menu', (_event, clicked) => {
    const template = contextMenu(clicked, {
      replaceMisspelling: (word) => webContents.replaceMisspelling(word),
      learnWord: (word) => void webContents.session.addWordToSpellCheckerDictionary(word),
      openLink: (url) => void shell.openExternal(url).catch(fail),
      copyText: (text) => void clipboard.writeText(text).catch(fail),
      copyImage: () => webContents.copyImageAt(clicked.x, clicked.y),
      saveImage: (url) => webContents.downloadURL(url),
    })
    if (template.length > 0) Menu.buildFromTemplate(template).popup({ window })
  })
}
