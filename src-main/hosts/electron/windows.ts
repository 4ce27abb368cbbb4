import type { BrowserWindow } from 'electron'

/** The parts of Electron's window that this file uses. */
type AnyWindow = Pick<BrowserWindow, 'on' | 'once'>

/** The main windows, in the order of their last focus. Each has a number, the lowest free one, under which its position is stored. */
export class MainWindows<W extends AnyWindow = BrowserWindow> {
  /** The most recently focused one last. */
  #windows: { window: W; number: number }[] = []
  readonly #allClosed: () => void

  /** @param allClosed called after the last main window has closed, whatever other windows there are */
  constructor(allClosed: () => void) {
    this.#allClosed = allClosed
  }

  get count(): number {
    return this.#windows.length
  }

  /** The lowest number that no open window has, from 0. */
  get freeNumber(): number {
    const taken = new Set(this.#windows.map(({ number }) => number))
    let number = 0
    while (taken.has(number)) number++
    return number
  }

  add(window: W, number: number): void {
    const entry = { window, number }
    this.#windows.push(entry)
    const others = (): { window: W; number: number }[] => this.#windows.filter((one) => one !== entry)
    window.on('focus', () => {
      this.#windows = [...others(), entry]
    })
    window.once('closed', () => {
      this.#windows = others()
      if (this.#windows.length === 0) this.#allClosed()
    })
  }

  /** All open windows with their numbers, the one that had the focus last at the end. */
  all(): readonly { window: W; number: number }[] {
    return this.#windows
  }

  /** The window that had the focus last, or null. */
  last(): W | null {
    return this.#windows.at(-1)?.window ?? null
  }
}
