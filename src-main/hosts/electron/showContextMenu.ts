import { type BrowserWindow, clipboard, Menu, shell } from 'electron'
import { contextMenu } from './contextMenu.ts'

/** Shows the menu of a right click in this window. */
export function showContextMenu(window: BrowserWindow): void {
  const { webContents } = window
  webContents.on('context-menu', (_event, clicked) => {
    const template = contextMenu(clicked, {
      replaceMisspelling: (word) => webContents.replaceMisspelling(word),
      learnWord: (word) => void webContents.session.addWordToSpellCheckerDictionary(word),
      openLink: (url) => void shell.openExternal(url).catch(() => undefined),
      copyText: (text) => clipboard.writeText(text),
      copyImage: () => webContents.copyImageAt(clicked.x, clicked.y),
      saveImage: (url) => webContents.downloadURL(url),
    })
    if (template.length > 0) Menu.buildFromTemplate(template).popup({ window })
  })
}
