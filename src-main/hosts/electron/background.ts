import type { BrowserWindow, Dialog, MessageBoxOptions } from 'electron'
import type { Settings } from '../../../src-preload/contract/app.ts'
import { t } from './words.ts'

type CloseAction = Settings['closeAction']

/** Argument of a start that opens no window, as at login. */
export const backgroundArgument = '--background'

interface BackgroundOptions {
  dialog: Pick<Dialog, 'showMessageBox'>
  /** The stored choice. `quit` while the core is still starting. */
  choice(): CloseAction
  /** Stores the answer. Never rejects. */
  save(choice: Exclude<CloseAction, 'ask'>): Promise<void>
  isQuitting(): boolean
  isLastWindow(): boolean
  platform?: NodeJS.Platform
}

/** What closing the last window does. Applications of macOS go on without a window, so nothing is asked there. */
export const closeActionOf = (choice: CloseAction, platform: NodeJS.Platform = process.platform): CloseAction =>
  choice === 'ask' && platform === 'darwin' ? 'background' : choice

/** Asks once, when the last main window is closed for the first time, whether the program keeps running without a window. */
export function askBeforeClosing(window: BrowserWindow, options: BackgroundOptions): void {
  const { dialog, choice, save, isQuitting, isLastWindow, platform } = options
  let isAsking = false
  window.on('close', (event) => {
    if (isQuitting() || !isLastWindow() || closeActionOf(choice(), platform) !== 'ask') return
    event.preventDefault()
    if (isAsking) return
    isAsking = true
    void dialog
      .showMessageBox(window, closeQuestion())
      .then(async ({ response }) => {
        if (response === 2) return
        await save(response === 0 ? 'background' : 'quit')
        if (!window.isDestroyed()) window.close()
      })
      .finally(() => {
        isAsking = false
      })
  })
}

const closeQuestion = (): MessageBoxOptions => ({
  type: 'question',
  title: 'Inference Studio',
  message: t('desktop:close.message'),
  detail: t('desktop:close.detail'),
  buttons: [t('desktop:close.keep'), t('desktop:quit'), t('desktop:cancel')],
  defaultId: 0,
  cancelId: 2,
})
