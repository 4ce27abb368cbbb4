import { join } from 'node:path'
import { app, BrowserWindow, nativeTheme, screen } from 'electron'
import type { AlertPlace } from '../../../src-preload/contract/alerts.ts'
import { ownPage } from './address.ts'
import { readWindowState, writeWindowState } from './windowState.ts'

/** `--bg` of the page's styles.css in both themes, so that nothing flashes before it has painted. */
const ground = (): string => (nativeTheme.shouldUseDarkColors ? '#151517' : '#fbfbfa')

/** The studio's window, shown when its page has painted, at `place` if one is given. Size and place come back at the next start. */
export function openWindow(preload: string, devTools: boolean, place?: AlertPlace): BrowserWindow {
  const file = join(app.getPath('userData'), 'window.json')
  const areas = screen.getAllDisplays().map((display) => display.workArea)
  const kept = readWindowState(file, areas)
  const window = new BrowserWindow({
    width: kept?.width ?? 1280,
    height: kept?.height ?? 820,
    ...(kept && { x: kept.x, y: kept.y }),
    minWidth: 720,
    minHeight: 480,
    show: false,
    title: 'Inference Studio',
    backgroundColor: ground(),
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
  if (kept?.maximized) window.maximize()
  const repaint = (): void => window.setBackgroundColor(ground())
  nativeTheme.on('updated', repaint)
  window.once('ready-to-show', () => window.show())
  window.on('close', () => writeWindowState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() }))
  window.once('closed', () => nativeTheme.off('updated', repaint))
  void window.loadURL(place ? addressOf(place) : ownPage)
  return window
}

export function focusWindow(): void {
  const window = BrowserWindow.getAllWindows()[0]
  if (!window) return
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** Brings the window to the front and its page to a place; false where there is none. A change of the fragment alone loads nothing anew. */
export function goTo(place: AlertPlace): boolean {
  const window = BrowserWindow.getAllWindows()[0]
  if (!window) return false
  void window.loadURL(addressOf(place))
  focusWindow()
  return true
}

const addressOf = ({ page, id }: AlertPlace): string =>
  `${ownPage}#/${page}${id === null ? '' : `/${encodeURIComponent(id)}`}`
