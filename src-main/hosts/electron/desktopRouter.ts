import { implement } from '@orpc/server'
import type { BrowserWindow, WebContents } from 'electron'
import {
  type DesktopState,
  desktopContract,
  type GivenFile,
  type WindowProgress,
} from '../../../src-preload/contract/desktop.ts'
import { guarded, toWire } from '../../core/core.ts'
import { asStudioError, StudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { StateFeed } from '../../core/shared/stateFeed.ts'
import type { PageEvents } from './pageEvents.ts'
import type { RunningPage } from './pageWindows.ts'
import { t } from './words.ts'

/** Longest text of the clipboard, UTF-16 units. */
const maxClipboard = 100_000

/** The window that calls a procedure. */
export interface CallingPage {
  contents: WebContents
}

export interface DesktopParts {
  host: Host
  state: StateFeed<DesktopState>
  events: PageEvents
  windowOf(contents: WebContents): BrowserWindow | null
  /** Whether the window is the quick prompt and has the focus, so that the person has pressed a key there. */
  isQuickPrompt(window: BrowserWindow | null): boolean
  readClipboard(): Promise<string>
  takeScreenshot(): Promise<GivenFile>
  /** Offers content to the pages, which can read it once. */
  offerContent(name: string, mime: string, content: Buffer): GivenFile
  retryShortcut(): void
  hideQuickPrompt(): void
  /** Runs the scripts of a page in a window without network, which closes with `window`. */
  runPage(window: BrowserWindow | null, page: RunningPage): Promise<void>
  openConversation(conversationId: string): void
  /** Shows the system's dialog on top of a window. Null when the person cancelled. */
  chooseFolder(window: BrowserWindow | null, options: { title: string; from: string | null }): Promise<string | null>
  reveal(what: 'logs' | 'crashes'): Promise<boolean>
}

/** Implements the procedures of the desktop host. They are served beside those of the core, with the calling page as context. */
export function createDesktopRouter(parts: DesktopParts) {
  const { host, state, events, windowOf } = parts
  const os = implement(desktopContract)
    .$context<CallingPage>()
    .use(async ({ next }) => {
      try {
        return await next()
      } catch (thrown) {
        throw toWire(host, thrown)
      }
    })
  const needQuickPrompt = ({ contents }: CallingPage): void => {
    if (!parts.isQuickPrompt(windowOf(contents))) {
      throw new StudioError('bad_input', 'Only the quick prompt can do this, while it has the focus.')
    }
  }
  return os.router({
    desktop: {
      watch: os.desktop.watch.handler(({ signal }) => guarded(host, state.watch(signal))),
      watchWindow: os.desktop.watchWindow.handler(({ context, signal }) => events.watch(context.contents, signal)),
      retryShortcut: os.desktop.retryShortcut.handler(() => {
        parts.retryShortcut()
        return {}
      }),
      print: os.desktop.print.handler(async ({ context }) => ({ reason: await print(context.contents) })),
      printToPdf: os.desktop.printToPdf.handler(async ({ input, context }) =>
        parts.offerContent('page.pdf', 'application/pdf', await pdfOf(context.contents, input.paper)),
      ),
      readClipboard: os.desktop.readClipboard.handler(async ({ context }) => {
        needQuickPrompt(context)
        return { text: (await parts.readClipboard()).slice(0, maxClipboard).toWellFormed() }
      }),
      takeScreenshot: os.desktop.takeScreenshot.handler(({ context }) => {
        needQuickPrompt(context)
        return parts.takeScreenshot()
      }),
      hideQuickPrompt: os.desktop.hideQuickPrompt.handler(() => {
        parts.hideQuickPrompt()
        return {}
      }),
      runPage: os.desktop.runPage.handler(async ({ input, context }) => {
        await parts.runPage(windowOf(context.contents), input)
        return {}
      }),
      openConversation: os.desktop.openConversation.handler(({ input }) => {
        parts.openConversation(input.conversationId)
        return {}
      }),
      showProgress: os.desktop.showProgress.handler(({ input, context }) => {
        windowOf(context.contents)?.setProgressBar(barOf(input.progress))
        return {}
      }),
      chooseFolder: os.desktop.chooseFolder.handler(async ({ input, context }) => ({
        folder: await parts.chooseFolder(windowOf(context.contents), input),
      })),
      reveal: os.desktop.reveal.handler(async ({ input }) => ({ shown: await parts.reveal(input.what) })),
    },
  })
}

/** Electron removes the bar below 0, and shows work without a known end above 1. */
function barOf(progress: WindowProgress): number {
  if (progress === null) return -1
  return progress === 'unknown' ? 2 : progress
}

/** Chromium's words for a person who closed the dialog. */
const cancelled = /cancel/i

/**
 * Prints a page through the system's dialog. Resolves with null when it was printed or the person cancelled, otherwise with the reason.
 * With any option Electron looks for a printer before the dialog, which then never appears on a computer without one, and the paper is A4
 * unless that printer has another. The page itself prints its backgrounds (`print-color-adjust`).
 */
function print(contents: Pick<WebContents, 'print'>): Promise<string | null> {
  return new Promise((resolve) => {
    contents.print({}, (isPrinted, reason) => {
      resolve(isPrinted || cancelled.test(reason) ? null : reason || t('desktop:print.noReason'))
    })
  })
}

/** A page as it prints, with bookmarks and tags. @throws StudioError `bad_input` with Chromium's reason */
async function pdfOf(contents: Pick<WebContents, 'printToPDF'>, paper: 'a4' | 'letter'): Promise<Buffer> {
  const options = { printBackground: true, generateTaggedPDF: true, generateDocumentOutline: true }
  try {
    return await contents.printToPDF({ ...options, pageSize: paper === 'a4' ? 'A4' : 'Letter' })
  } catch (thrown) {
    const cause = asStudioError(thrown)
    throw new StudioError('bad_input', `The PDF could not be written: ${cause.message}`, {}, { cause })
  }
}
