import type { MenuItemConstructorOptions } from 'electron'
import type { WindowPlace } from './window.ts'

/** What the entries of the application's menu do. */
export interface MenuActions {
  /** Opens a page in the window. */
  go(place: WindowPlace): void
  /** Shows the log file in the file manager. */
  showLogs(): void
}

const separator = { type: 'separator' } as const

/** The application's menu. Entries with a role have the shortcuts and names of each system. */
export function appMenu(
  { go, showLogs }: MenuActions,
  { devTools, platform = process.platform }: { devTools: boolean; platform?: NodeJS.Platform },
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const about: MenuItemConstructorOptions = {
    label: 'About Inference Studio',
    click: () => go({ page: 'settings', id: 'about' }),
  }
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => go({ page: 'settings', id: null }),
  }
  const ofApp: MenuItemConstructorOptions = {
    label: 'Inference Studio',
    submenu: [
      ...[about, separator, settings, separator],
      ...([{ role: 'services' }, separator, { role: 'hide' }, { role: 'hideOthers' }, { role: 'unhide' }] as const),
      ...([separator, { role: 'quit' }] as const),
    ],
  }
  const file: MenuItemConstructorOptions[] = [
    { label: 'New chat', accelerator: 'CmdOrCtrl+N', click: () => go({ page: 'chat', id: null }) },
    separator,
    ...(isMac
      ? [{ role: 'close' } as const]
      : [settings, separator, { role: 'close' } as const, { role: 'quit' } as const]),
  ]
  const view: MenuItemConstructorOptions[] = [
    { role: 'reload' },
    separator,
    ...([{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }] as const),
    separator,
    { role: 'togglefullscreen' },
    ...(devTools ? [{ role: 'toggleDevTools' } as const] : []),
  ]
  const help: MenuItemConstructorOptions[] = [
    { label: 'Keyboard shortcuts', click: () => go({ page: 'settings', id: 'shortcuts' }) },
    { label: 'Show logs', click: showLogs },
    ...(isMac ? [] : [separator, about]),
  ]
  return [
    ...(isMac ? [ofApp] : []),
    { label: 'File', submenu: file },
    { role: 'editMenu' },
    { label: 'View', submenu: view },
    { role: 'windowMenu' },
    { role: 'help', label: 'Help', submenu: help },
  ]
}
