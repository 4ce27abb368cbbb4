import type { MenuItemConstructorOptions } from 'electron'
import type { WindowPlace } from './window.ts'

/** What the entries of the application's menu do. */
export interface MenuActions {
  /** Opens a page in the window that was used last. */
  go(place: WindowPlace): void
  newWindow(): void
  quickPrompt(): void
  /** Prints the chat of the window that was used last. */
  print(): void
  /** Shows the log file in the file manager. */
  showLogs(): void
}

/** A chat of the menu "Recent chats". */
export interface RecentChat {
  id: string
  title: string | null
}

interface MenuOptions {
  devTools: boolean
  /** Newest first. */
  recent?: readonly RecentChat[]
  platform?: NodeJS.Platform
}

/** Most chats in the menu. */
export const maxRecent = 10
/** Longest title of a chat in the menu, UTF-16 units. */
const maxTitle = 60

const separator = { type: 'separator' } as const

/** The application's menu. Entries with a role have the shortcuts and names of each system. */
export function appMenu(
  actions: MenuActions,
  { devTools, recent = [], platform = process.platform }: MenuOptions,
): MenuItemConstructorOptions[] {
  const { go, showLogs } = actions
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
    { label: 'New window', accelerator: 'CmdOrCtrl+Shift+N', click: () => actions.newWindow() },
    { label: 'Quick prompt', click: () => actions.quickPrompt() },
    { label: 'Recent chats', submenu: recentMenu(recent, go) },
    separator,
    { label: 'Print…', accelerator: 'CmdOrCtrl+P', click: () => actions.print() },
    separator,
    ...(isMac
      ? [{ role: 'close' } as const]
      : [settings, separator, { role: 'close' } as const, { role: 'quit' } as const]),
  ]
  const view: MenuItemConstructorOptions[] = [
    { role: 'reload' },
    separator,
    ...([{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }] as const),
    // The entry above needs Shift on most keyboards, and does not know the key "+" of others.
    { role: 'zoomIn', accelerator: 'CmdOrCtrl+=', visible: false },
    separator,
    { role: 'togglefullscreen' },
    ...(devTools ? [{ role: 'toggleDevTools' } as const] : []),
  ]
  const help: MenuItemConstructorOptions[] = [
    { label: 'Guide', click: () => go({ page: 'help', id: null }) },
    { label: 'Keyboard shortcuts', click: () => go({ page: 'settings', id: 'shortcuts' }) },
    { label: 'Show logs', click: showLogs },
    { label: 'Check this installation', click: () => go({ page: 'settings', id: 'check' }) },
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

function recentMenu(recent: readonly RecentChat[], go: MenuActions['go']): MenuItemConstructorOptions[] {
  if (recent.length === 0) return [{ label: 'No chats yet', enabled: false }]
  return recent.slice(0, maxRecent).map(({ id, title }) => ({
    label: titleLabel(title),
    click: () => go({ page: 'chat', id }),
  }))
}

/** A title as the label of an entry: one line, without control characters, and with `&` as itself instead of a mnemonic. */
function titleLabel(title: string | null): string {
  const line = (title ?? '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  const cut =
    line.length > maxTitle
      ? `${line
          .slice(0, maxTitle - 1)
          .toWellFormed()
          .replace(/\ufffd$/, '')}…`
      : line
  return cut === '' ? 'Untitled chat' : cut.replaceAll('&', '&&')
}
