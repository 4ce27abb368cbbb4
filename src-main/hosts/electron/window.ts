import { join } from 'node:path'
import { app, BrowserWindow, nativeTheme, type Rectangle, screen, type WebPreferences } from 'electron'
import { ownPage } from './address.ts'
import { atFirstShow } from './firstShow.ts'
import { cascaded, readWindowState, writeWindowState } from './windowState.ts'

/** A page of the window, and an item of it. `help`: the guide over the page that is shown, with `PAGE#SECTION` as its item. */
export interface WindowPlace {
  page: 'help' | 'chat' | 'speech' | 'transcribe' | 'images' | 'usage' | 'keys' | 'proxy' | 'settings'
  id: string | null
  /** Text for the composer of a new chat. The page fills it in and never sends it. */
  prompt?: string
}

export interface WindowOptions {
  preload: string
  devTools: boolean
  /** Icon of the window, on Linux. The other systems take that of the program. */
  icon: string
  /** Address of the page, with a fragment for a place in it. */
  address: string
  /** Number of the window, under which its size and position are stored. */
  number: number
  /** Bounds of the window that was used last. A window without stored bounds opens beside it. */
  beside: Rectangle | null
}

/** `--bg` of styles.css in both themes, so that nothing flashes before the page has painted. */
export const backgroundColor = (): string => (nativeTheme.shouldUseDarkColors ? '#161618' : '#fcfcfb')

/** The protection of every window. */
export const webPreferences = (preload: string, devTools: boolean): WebPreferences => ({
  preload,
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: true,
  devTools,
})

/** The windows that follow the theme. One listener is enough for all; Node takes more than ten for a leak. */
const following = new Set<BrowserWindow>()
const repaint = (): void => {
  for (const window of following) window.setBackgroundColor(backgroundColor())
}

/** Follows the theme with the background of a window, so that a resize shows no other colour. */
export function followBackground(window: BrowserWindow): void {
  if (following.size === 0) nativeTheme.on('updated', repaint)
  following.add(window)
  window.once('closed', () => {
    following.delete(window)
    if (following.size === 0) nativeTheme.off('updated', repaint)
  })
}

/** Opens a main window and shows it when the page has painted. Restores size and position of the last window with its number. */
export function openWindow({ preload, devTools, icon, address, number, beside }: WindowOptions): BrowserWindow {
  const file = join(app.getPath('userData'), number === 0 ? 'window.json' : `window-${number}.json`)
  const areas = screen.getAllDisplays().map((display) => display.workArea)
  const saved = readWindowState(file, areas) ?? cascaded(beside, areas)
  const window = new BrowserWindow({
    width: saved?.width ?? 1280,
    height: saved?.height ?? 820,
    ...(saved && { x: saved.x, y: saved.y }),
    minWidth: 720,
    minHeight: 480,
    show: false,
    title: 'Inference Studio',
    ...(process.platform === 'linux' && { icon }),
    backgroundColor: backgroundColor(),
    autoHideMenuBar: true,
    webPreferences: webPreferences(preload, devTools),
  })
  followBackground(window)
  atFirstShow(window, () => {
    // Not earlier, because it shows the window.
    if (saved?.maximized) window.maximize()
    window.show()
  })
  window.on('close', () => writeWindowState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() }))
  void window.loadURL(address)
  return window
}

/** Restores, shows and focuses a window. */
export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** Brings a window to the front and navigates its page by fragment, without a reload. Chromium reloads a page that is given its own address. */
export function goTo(window: BrowserWindow, place: WindowPlace): void {
  const address = addressOf(place)
  if (window.webContents.getURL() !== address) void window.loadURL(address)
  focusWindow(window)
}

/** The address of a place. */
export const addressOf = ({ page, id, prompt }: WindowPlace): string =>
  `${ownPage}#/${page}${id === null ? '' : `/${encodeURIComponent(id)}`}${prompt === undefined ? '' : `?prompt=${encodeURIComponent(prompt)}`}`
