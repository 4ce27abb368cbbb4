import { BrowserWindow, type Display, screen } from 'electron'
import { quickPage } from './address.ts'
import { atFirstShow } from './firstShow.ts'
import { backgroundColor, followBackground, webPreferences } from './window.ts'
import { t } from './words.ts'

interface QuickWindowOptions {
  preload: string
  devTools: boolean
  /** False before the core has started, and while the program ends. */
  canShow(): boolean
  isQuitting(): boolean
  /** Prepares a new window, such as its crash recovery. */
  opened(window: BrowserWindow): void
  /** Informs the page that its window has appeared. */
  shown(window: BrowserWindow): void
  platform?: NodeJS.Platform
}

const size = { width: 640, height: 400 }

/** The window of the quick prompt. It is hidden and not closed, so that it appears at once and nothing typed is lost. */
export class QuickWindow {
  readonly #options: QuickWindowOptions
  #window: BrowserWindow | null = null

  constructor(options: QuickWindowOptions) {
    this.#options = options
  }

  is(window: unknown): boolean {
    return window !== null && this.#window === window
  }

  /** Shows the window, or hides it when it has the focus. Over everything on the screen with the pointer, except on Wayland. */
  toggle(): void {
    if (this.#window?.isVisible() && this.#window.isFocused()) this.hide()
    else this.show()
  }

  show(): void {
    if (!this.#options.canShow()) return
    if (!this.#window) {
      this.#window = this.#open()
      return
    }
    this.#window.setBounds(
      boundsOn(screen.getDisplayNearestPoint(screen.getCursorScreenPoint()), this.#window.getBounds()),
    )
    this.#appear(this.#window)
  }

  hide(): void {
    this.#window?.hide()
  }

  /** Runs `work` while the window is not on the screen. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    const wasVisible = this.#window?.isVisible() ?? false
    this.hide()
    try {
      return await work()
    } finally {
      if (wasVisible && this.#window) this.#appear(this.#window)
    }
  }

  #appear(window: BrowserWindow): void {
    window.show()
    window.focus()
    this.#options.shown(window)
  }

  #open(): BrowserWindow {
    const { preload, devTools, opened, isQuitting, platform = process.platform } = this.#options
    const window = new BrowserWindow({
      ...boundsOn(screen.getDisplayNearestPoint(screen.getCursorScreenPoint()), size),
      ...{
        minWidth: 420,
        minHeight: 240,
        show: false,
        title: t('desktop:quickPrompt'),
        backgroundColor: backgroundColor(),
      },
      ...{ frame: false, alwaysOnTop: true, skipTaskbar: true, fullscreenable: false },
      ...{ maximizable: false, minimizable: false, autoHideMenuBar: true },
      // A panel of macOS appears over full-screen programs, and gives the focus back.
      ...(platform === 'darwin' && { type: 'panel' }),
      webPreferences: webPreferences(preload, devTools),
    })
    followBackground(window)
    // Without `skipTransformProcessType`, macOS would remove the dock icon and the menu of the whole program. A panel needs no such change.
    const everywhere = { visibleOnFullScreen: true, skipTransformProcessType: true }
    if (platform !== 'win32') window.setVisibleOnAllWorkspaces(true, everywhere)
    atFirstShow(window, () => this.#appear(window))
    window.on('close', (event) => {
      if (isQuitting()) return
      event.preventDefault()
      window.hide()
    })
    window.once('closed', () => {
      this.#window = null
    })
    opened(window)
    void window.loadURL(quickPage)
    return window
  }
}

/** In the middle of a screen, in its upper part. */
function boundsOn({ workArea }: Pick<Display, 'workArea'>, { width, height }: { width: number; height: number }) {
  const [w, h] = [Math.min(width, workArea.width), Math.min(height, workArea.height)]
  return {
    x: Math.round(workArea.x + (workArea.width - w) / 2),
    y: Math.round(workArea.y + (workArea.height - h) / 4),
    width: w,
    height: h,
  }
}
