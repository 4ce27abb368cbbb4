import type { MenuItemConstructorOptions } from 'electron'
import type { desktop } from '../../../src-renderer/i18n/en/host/desktop.ts'
import type { WindowPlace } from './window.ts'
import { t } from './words.ts'

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
/** Longest title of a chat in the menu, graphemes. */
const maxTitle = 60

const separator = { type: 'separator' } as const

/** An entry that does what its role says. Electron’s own labels are English in every language. */
export const system = (role: keyof typeof desktop.role): MenuItemConstructorOptions => ({
  role,
  label: t(`desktop:role.${role}`),
})

/** The entries that Electron has for this role. */
function editMenu(isMac: boolean): MenuItemConstructorOptions[] {
  const start = [system('undo'), system('redo'), separator, system('cut'), system('copy'), system('paste')]
  if (!isMac) return [...start, system('delete'), separator, system('selectAll')]
  const substitutions = (['toggleSmartQuotes', 'toggleSmartDashes', 'toggleTextReplacement'] as const).map(system)
  return [
    ...start,
    ...[system('pasteAndMatchStyle'), system('delete'), system('selectAll'), separator],
    { label: t('desktop:menu.substitutions'), submenu: [system('showSubstitutions'), separator, ...substitutions] },
    { label: t('desktop:menu.speech'), submenu: [system('startSpeaking'), system('stopSpeaking')] },
  ]
}

/** The entries that Electron has for this role. */
const windowMenu = (isMac: boolean): MenuItemConstructorOptions[] => [
  ...[system('minimize'), system('zoom')],
  ...(isMac ? [separator, system('front')] : [system('close')]),
]

/** The application's menu. Entries with a role have the shortcuts and names of each system. */
export function appMenu(
  actions: MenuActions,
  { devTools, recent = [], platform = process.platform }: MenuOptions,
): MenuItemConstructorOptions[] {
  const { go, showLogs } = actions
  const isMac = platform === 'darwin'
  const about: MenuItemConstructorOptions = {
    label: t('desktop:menu.about'),
    click: () => go({ page: 'settings', id: 'about' }),
  }
  const settings: MenuItemConstructorOptions = {
    label: t('desktop:menu.settings'),
    accelerator: 'CmdOrCtrl+,',
    click: () => go({ page: 'settings', id: null }),
  }
  const quit: MenuItemConstructorOptions = { role: 'quit', label: t('desktop:quit') }
  const ofApp: MenuItemConstructorOptions = {
    label: 'Inference Studio',
    submenu: [
      ...[about, separator, settings, separator],
      ...[system('services'), separator, system('hide'), system('hideOthers'), system('unhide')],
      ...[separator, system('quit')],
    ],
  }
  const file: MenuItemConstructorOptions[] = [
    { label: t('desktop:newChat'), accelerator: 'CmdOrCtrl+N', click: () => go({ page: 'chat', id: null }) },
    { label: t('desktop:menu.newWindow'), accelerator: 'CmdOrCtrl+Shift+N', click: () => actions.newWindow() },
    { label: t('desktop:quickPrompt'), click: () => actions.quickPrompt() },
    { label: t('desktop:menu.recentChats'), submenu: recentMenu(recent, go) },
    separator,
    { label: t('desktop:menu.print'), accelerator: 'CmdOrCtrl+P', click: () => actions.print() },
    separator,
    ...(isMac ? [system('close')] : [settings, separator, system('close'), quit]),
  ]
  const view: MenuItemConstructorOptions[] = [
    system('reload'),
    separator,
    ...[system('resetZoom'), system('zoomIn'), system('zoomOut')],
    // The entry above needs Shift on most keyboards, and does not know the key "+" of others.
    { role: 'zoomIn', accelerator: 'CmdOrCtrl+=', visible: false },
    separator,
    system('togglefullscreen'),
    ...(devTools ? [system('toggleDevTools')] : []),
  ]
  const help: MenuItemConstructorOptions[] = [
    { label: t('desktop:menu.guide'), click: () => go({ page: 'help', id: null }) },
    { label: t('desktop:menu.shortcuts'), click: () => go({ page: 'settings', id: 'shortcuts' }) },
    { label: t('desktop:menu.logs'), click: showLogs },
    { label: t('desktop:menu.check'), click: () => go({ page: 'settings', id: 'check' }) },
    ...(isMac ? [] : [separator, about]),
  ]
  return [
    ...(isMac ? [ofApp] : []),
    { label: t('desktop:menu.file'), submenu: file },
    { role: 'editMenu', label: t('desktop:menu.edit'), submenu: editMenu(isMac) },
    { label: t('desktop:menu.view'), submenu: view },
    { role: 'windowMenu', label: t('desktop:menu.window'), submenu: windowMenu(isMac) },
    { role: 'help', label: t('desktop:menu.help'), submenu: help },
  ]
}

function recentMenu(recent: readonly RecentChat[], go: MenuActions['go']): MenuItemConstructorOptions[] {
  if (recent.length === 0) return [{ label: t('desktop:menu.noChats'), enabled: false }]
  return recent.slice(0, maxRecent).map(({ id, title }) => ({
    label: titleLabel(title),
    click: () => go({ page: 'chat', id }),
  }))
}

/** A title as the label of an entry: one line, without control characters, and with `&` as itself instead of a mnemonic. */
function titleLabel(title: string | null): string {
  // The joiners of Persian words and of emoji stay; other format characters could turn the direction of the menu.
  const line = (title ?? '').replace(/(?:[\p{Cc}\s]|(?![\u200c\u200d])\p{Cf})+/gu, ' ').trim()
  const characters = Array.from(new Intl.Segmenter().segment(line.slice(0, maxTitle * 20)), ({ segment }) => segment)
  const cut = characters.length > maxTitle ? `${characters.slice(0, maxTitle - 1).join('')}…` : line
  return cut === '' ? t('desktop:menu.untitled') : cut.replaceAll('&', '&&')
}
