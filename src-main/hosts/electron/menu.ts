import { Menu, type MenuItemConstructorOptions } from 'electron'

/** The system's standard menu, by role, so that copy, paste, undo and zoom have their keys everywhere. */
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
