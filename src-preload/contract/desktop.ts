import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, procedure, whole } from './problem.ts'
import { maxPageChars } from './transfers.ts'

// Procedures of the desktop host only. They act on the window that calls them.

/** Path prefix of files that the desktop host gives to a page. Each can be read once. */
export const givenPath = '/given/'

/** A file that the person opened with the application, or a screenshot. Its bytes are at `givenPath` + id. */
export const givenFile = z.object({ id, name: z.string(), mime: z.string(), bytes: whole })
export type GivenFile = z.infer<typeof givenFile>

/** Most files that one opening gives to a page. */
export const maxGivenFiles = 16

export const desktopState = z.object({
  /** The global shortcut of the quick prompt. `taken`: another program has it. `invalid`: the system accepts no such shortcut. */
  shortcut: z.object({ keys: z.string(), state: z.enum(['off', 'active', 'taken', 'invalid']) }),
  /** Wayland: the desktop decides about global shortcuts and screenshots, and asks the person. */
  isWayland: z.boolean(),
})
export type DesktopState = z.infer<typeof desktopState>

/** What happens to one window. */
export const windowEvent = z.discriminatedUnion('type', [
  /** Files for the composer of a new chat. `skipped`: names of files that can't be given, such as folders and very large ones. */
  z.object({ type: z.literal('files'), files: z.array(givenFile), skipped: z.array(z.string()) }),
  /** "Print…" of the menu. The page prepares everything and calls `print`. */
  z.object({ type: z.literal('print') }),
  /** The window of the quick prompt has appeared. */
  z.object({ type: z.literal('shown') }),
])
export type WindowEvent = z.infer<typeof windowEvent>

/** Progress of long work, from 0 to 1. `unknown`: running without a known end. Null: none. */
export const windowProgress = z.union([z.number().min(0).max(1), z.literal('unknown')]).nullable()
export type WindowProgress = z.infer<typeof windowProgress>

export const desktopProcedures = {
  /** The whole state, again after each change. */
  watch: procedure.output(eventIterator(desktopState)),
  /** Events of the calling window, also those that came before the call. */
  watchWindow: procedure.output(eventIterator(windowEvent)),
  /** Tries again to get a global shortcut that another program had. */
  retryShortcut: procedure.output(z.object({})),
  /** Opens the system's print dialog for the calling window. `reason`: the system's words when it could not print. */
  print: procedure.output(z.object({ reason: z.string().nullable() })),
  /** The calling window as it prints, as a PDF file that can be read once. @throws `bad_input` with Chromium's reason */
  printToPdf: procedure.input(z.object({ paper: z.enum(['a4', 'letter']) })).output(givenFile),
  /** The text of the clipboard, cut at 100,000 characters. Only for the window of the quick prompt. @throws `bad_input` */
  readClipboard: procedure.output(z.object({ text: z.string() })),
  /**
   * A screenshot of the screen that has the pointer, without the quick prompt. Only for the window of the quick prompt.
   * @throws `bad_input`, with a message that says what to do, where the system does not allow it
   */
  takeScreenshot: procedure.output(givenFile),
  /** Hides the window of the quick prompt. Other windows stay. */
  hideQuickPrompt: procedure.output(z.object({})),
  /** Shows a page of a reply in a window without network, where its scripts run. The window closes with the calling one. */
  runPage: procedure
    .input(z.object({ name: z.string().max(200), html: z.string().max(maxPageChars) }))
    .output(z.object({})),
  /** Opens a chat in a main window, and hides the quick prompt. */
  openConversation: procedure.input(z.object({ conversationId: id })).output(z.object({})),
  /** The progress of long work for the taskbar or the dock. */
  showProgress: procedure.input(z.object({ progress: windowProgress })).output(z.object({})),
  /** Lets the person choose a folder of this computer in the system's dialog. Null: cancelled. @param from folder that the dialog starts in */
  chooseFolder: procedure
    .input(z.object({ title: z.string().max(200), from: z.string().max(4096).nullable() }))
    .output(z.object({ folder: z.string().nullable() })),
  /** Shows the log file, or the folder with crash dumps, in the file manager. `shown` is false when there is none. */
  reveal: procedure.input(z.object({ what: z.enum(['logs', 'crashes']) })).output(z.object({ shown: z.boolean() })),
}
export const desktopContract = { desktop: desktopProcedures }
export type DesktopContract = typeof desktopContract
