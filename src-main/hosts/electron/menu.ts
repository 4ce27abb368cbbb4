import { Menu, type MenuItemConstructorOptions } from 'electron'

/** Sets the standard menu by roles, so that copy, paste, undo and zoom have their shortcuts on every system. */
export function setMenu(devTools: boolean, platform = process.platform): void {
  const view: MenuItemConstructorOptions[] = [
    { role: 'reload' },
    { type: 'separator' },
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ]
  if (devTools) view.push({ role: 'toggleDevTools' })
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
      { role: 'fileMenu' },
      { role: 'editMenu' },
      { label: 'View', submenu: view },
      { role: 'windowMenu' },
    ]),
  )
}
