import type { BrowserWindow } from 'electron'

/** Longest wait for the page before its window is shown, ms. */
const longestWaitMs = 2000

/** The parts of Electron's window that this file uses. */
interface HiddenWindow {
  once(event: 'ready-to-show' | 'closed', listener: () => void): unknown
  readonly webContents: { once(event: 'did-finish-load' | 'did-fail-load', listener: () => void): unknown }
}

/**
 * Calls `show` once: when the page has painted, when it has loaded or failed to load, or after 2 s, whichever is first. Never calls it
 * after the window has closed. `ready-to-show` alone is not enough, because a hidden window paints nothing under some Wayland compositors.
 * @see https://github.com/electron/electron/issues/48859
 */
export function atFirstShow(window: HiddenWindow | BrowserWindow, show: () => void): void {
  const hidden: HiddenWindow = window
  let isOver = false
  const end = (): void => {
    isOver = true
    clearTimeout(timer)
  }
  const once = (): void => {
    if (isOver) return
    end()
    show()
  }
  const timer = setTimeout(once, longestWaitMs)
  hidden.once('ready-to-show', once)
  hidden.webContents.once('did-finish-load', once)
  hidden.webContents.once('did-fail-load', once)
  hidden.once('closed', end)
}
