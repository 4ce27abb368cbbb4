import { join } from 'node:path'
import { app, BrowserWindow, nativeTheme, screen } from 'electron'
import { ownPage } from './address.ts'
import { atFirstShow } from './firstShow.ts'
import { readWindowState, writeWindowState } from './windowState.ts'

/** A page of the window, and an item of it. */
export interface WindowPlace {
  page: 'chat' | 'speech' | 'transcribe' | 'images' | 'usage' | 'keys' | 'proxy' | 'settings'
  id: string | null
  /** Text for the composer of a new chat. The page fills it in and never sends it. */
  prompt?: string
}

/** `--bg` of styles.css in both themes, so that nothing flashes before the page has painted. */
const backgroundColor = (): string => (nativeTheme.shouldUseDarkColors ? '#161618' : '#fcfcfb')

/** Opens the window and shows it when the page has painted. Restores size and position of the last window. */
export function openWindow(preload: string, devTools: boolean, place?: WindowPlace): BrowserWindow {
  const file = join(app.getPath('userData'), 'window.json')
  const areas = screen.getAllDisplays().map((display) => display.workArea)
  const saved = readWindowState(file, areas)
  const window = new BrowserWindow({
    width: saved?.width ?? 1280,
    height: saved?.height ?? 820,
    ...(saved && { x: saved.x, y: saved.y }),
    minWidth: 720,
    minHeight: 480,
    show: false,
    title: 'Inference Studio',
    backgroundColor: backgroundColor(),
    autoHideMenuBar: true,
    webPreferences: {
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
    },
  })
  const repaint = (): void => window.setBackgroundColor(backgroundColor())
  nativeTheme.on('updated', repaint)
  atFirstShow(window, () => {
    // Not earlier, because it shows the window.
    if (saved?.maximized) window.maximize()
    window.show()
  })
  window.on('close', () => writeWindowState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() }))
  window.once('closed', () => nativeTheme.off('updated', repaint))
  void window.loadURL(place ? addressOf(place) : ownPage)
  return window
}

/** Restores and focuses the window. Returns false without a window. */
export function focusWindow(): boolean {
  const window = BrowserWindow.getAllWindows()[0]
  if (!window) return false
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
  return true
}

/** Brings the window to the front and navigates its page by fragment, without a reload. Returns false without a window. */
export function goTo(place: WindowPlace): boolean {
  const window = BrowserWindow.getAllWindows()[0]
  if (!window) return false
  void window.loadURL(addressOf(place))
  focusWindow()
  return true
}

const addressOf = ({ page, id, prompt }: WindowPlace): string =>
  `${ownPage}#/${page}${id === null ? '' : `/${encodeURIComponent(id)}`}${prompt === undefined ? '' : `?prompt=${encodeURIComponent(prompt)}`}`
