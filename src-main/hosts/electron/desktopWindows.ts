import type { BrowserWindow } from 'electron'
import { ownPage } from './address.ts'
import type { GivenFiles } from './givenFiles.ts'
import type { OpenRequest } from './openRequests.ts'
import type { OpenWindow } from './openWindows.ts'
import type { PageEvents } from './pageEvents.ts'
import { QuickWindow } from './quickWindow.ts'
import { addressOf, focusWindow, goTo, openWindow, type WindowPlace } from './window.ts'
import { MainWindows } from './windows.ts'

interface DesktopWindowsOptions {
  preload: string
  /** Icon of the main windows, on Linux. */
  icon: string
  devTools: boolean
  /** False before the core has started, and while the program ends. */
  canOpen(): boolean
  isQuitting(): boolean
  events: PageEvents
  given: Pick<GivenFiles, 'offer'>
  /** Prepares every window, the quick prompt included. */
  prepare(window: BrowserWindow): void
  /** Prepares a main window. `isLast`: whether no other main window is open. */
  prepareMain(window: BrowserWindow, isLast: () => boolean): void
  /** Called after the last main window has closed. */
  allClosed(): void
}

/** All windows of the program: the main windows and the quick prompt. */
export interface DesktopWindows {
  /** Opens a main window, also while the core is starting. */
  open(place?: WindowPlace): void
  /** Opens the main windows of the last run, unless one with the same number is open. */
  reopen(windows: readonly OpenWindow[]): void
  /** The open main windows, the one that was used last at the end. */
  openNow(): { number: number; address: string }[]
  /** Opens another main window. */
  newWindow(): void
  /** Brings the main window that was used last to the front, or opens one. */
  show(): void
  /** Opens a page in the main window that was used last, or in a new one. */
  go(place: WindowPlace): void
  /** Asks the page of the main window that was used last to print its chat. */
  print(): void
  /** Does what a link, a file or an argument asks for. Nothing is sent to the service. */
  follow(request: OpenRequest): Promise<void>
  hasMain(): boolean
  readonly quick: QuickWindow
}

export function createWindows(options: DesktopWindowsOptions): DesktopWindows {
  const { preload, icon, devTools, canOpen, isQuitting, events, given, prepare, prepareMain, allClosed } = options
  const main = new MainWindows(allClosed)
  const quick = new QuickWindow({
    ...{ preload, devTools, isQuitting, canShow: canOpen, opened: prepare },
    shown: ({ webContents }) => events.send(webContents, { type: 'shown' }),
  })

  const openAt = (address: string, number = main.freeNumber): BrowserWindow => {
    const beside = main.last()?.getNormalBounds() ?? null
    const window = openWindow({ preload, devTools, icon, address, number, beside })
    main.add(window, number)
    prepare(window)
    prepareMain(window, () => main.count === 1)
    return window
  }
  const open = (place?: WindowPlace): BrowserWindow => openAt(place ? addressOf(place) : ownPage)
  const show = (): void => {
    const window = main.last()
    if (window) focusWindow(window)
    else if (canOpen()) open()
  }
  const go = (place: WindowPlace): void => {
    const window = main.last()
    if (window) goTo(window, place)
    else if (canOpen()) open(place)
  }
  const openFiles = async (paths: readonly string[]): Promise<void> => {
    const offered = await given.offer(paths)
    const known = main.last()
    if (known) focusWindow(known)
    else if (!canOpen()) return
    const { webContents } = known ?? open({ page: 'chat', id: null })
    events.send(webContents, { type: 'files', ...offered })
  }
  return {
    ...{ open, show, go, quick },
    reopen(windows) {
      for (const { number, hash } of windows) {
        if (!main.all().some((one) => one.number === number)) openAt(`${ownPage}${hash}`, number)
      }
    },
    openNow: () => main.all().map(({ window, number }) => ({ number, address: window.webContents.getURL() })),
    newWindow: () => void (canOpen() && open()),
    hasMain: () => main.count > 0,
    print() {
      const window = main.last()
      if (!window) return
      focusWindow(window)
      events.send(window.webContents, { type: 'print' })
    },
    async follow(request) {
      if (request.kind === 'files') await openFiles(request.paths)
      else if (request.kind === 'quick-prompt') quick.show()
      else if (request.kind === 'window') show()
      else if (request.kind === 'link') go(request.link)
      else go({ page: 'chat', id: null })
    },
  }
}
