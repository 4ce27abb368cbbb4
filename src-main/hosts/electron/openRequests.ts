import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from 'electron'
import { selfCheckCommand } from '../selfCheck/ownRun.ts'
import { backgroundArgument } from './background.ts'
import { linkInArguments, readDeepLink } from './deepLink.ts'
import type { WindowPlace } from './window.ts'

/** Arguments of the entries in the jump list of Windows and in the desktop file of Linux. */
export const newChatArgument = '--new-chat'
export const quickPromptArgument = '--quick-prompt'

/** What a start of the program, or the system, asks it to open. */
export type OpenRequest =
  | { kind: 'link'; link: WindowPlace }
  | { kind: 'files'; paths: string[] }
  | { kind: 'new-chat' }
  | { kind: 'quick-prompt' }
  /** A start without arguments: brings a window to the front. */
  | { kind: 'window' }

const isSwitch = (argument: string): boolean => argument.startsWith('-')

/**
 * Arguments without the program, the switches, and in a development version the folder of the application. Chromium puts switches of its
 * own before that folder when it passes the arguments of a second start on.
 */
const namedArguments = (argv: readonly string[], isPackaged: boolean): string[] =>
  argv
    .slice(1)
    .filter((one) => one !== '' && !isSwitch(one))
    .slice(isPackaged ? 0 : 1)

/** What the arguments of a start ask for, or null. Relative paths are resolved against the folder of that start. */
export function requestInArguments(argv: readonly string[], folder: string, isPackaged: boolean): OpenRequest | null {
  const link = linkInArguments(argv)
  if (link) return { kind: 'link', link }
  if (argv.includes(newChatArgument)) return { kind: 'new-chat' }
  if (argv.includes(quickPromptArgument)) return { kind: 'quick-prompt' }
  const paths = namedArguments(argv, isPackaged)
    .map(pathOfFileUrl)
    .filter((one) => !isUrl(one))
    .map((one) => (isAbsolute(one) ? one : resolve(folder, one)))
  return paths.length > 0 ? { kind: 'files', paths } : null
}

/** Whether this start only checks the installation. */
export const asksForSelfCheck = (argv: readonly string[], isPackaged: boolean): boolean =>
  namedArguments(argv, isPackaged)[0] === selfCheckCommand

/** Arguments of a restart: those of this start, without what it was asked to open. */
export function restartArguments(argv: readonly string[], isPackaged: boolean): string[] {
  const switches = argv.slice(1).filter((one) => isSwitch(one) && !opening.includes(one))
  return isPackaged
    ? switches
    : [
        ...argv
          .slice(1)
          .filter((one) => !isSwitch(one))
          .slice(0, 1),
        ...switches,
      ]
}
const opening = [backgroundArgument, newChatArgument, quickPromptArgument]

/** Desktops of Linux give a file as `file:` URL. Another URL, or one that is no path of this computer, stays as it is. */
function pathOfFileUrl(argument: string): string {
  if (!/^file:\/\//i.test(argument)) return argument
  try {
    return fileURLToPath(argument)
  } catch {
    return argument
  }
}

/** A scheme of at least two letters, because `C:` is a drive. */
const isUrl = (text: string): boolean => /^[a-z][a-z\d+.-]+:/i.test(text)

/** How long files that macOS opens together may come apart, ms. It reports each by an event of its own. */
const togetherMs = 100

/**
 * Listens for further starts of the program, and for links and files that macOS opens by events. All may come before the core has started.
 * @returns gives all requests to `take` from now on, those that came before first
 */
export function listenForOpening(app: Pick<App, 'on' | 'isPackaged'>): (take: (request: OpenRequest) => void) => void {
  const early: OpenRequest[] = []
  let take = (request: OpenRequest): void => void early.push(request)
  let paths: string[] = []
  app.on('second-instance', (_event, argv, folder) =>
    take(requestInArguments(argv, folder, app.isPackaged) ?? { kind: 'window' }),
  )
  app.on('open-url', (_event, url) => {
    const link = readDeepLink(url)
    if (link) take({ kind: 'link', link })
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    paths.push(path)
    if (paths.length > 1) return
    setTimeout(() => {
      take({ kind: 'files', paths })
      paths = []
    }, togetherMs)
  })
  return (given) => {
    take = given
    for (const request of early.splice(0)) given(request)
  }
}
