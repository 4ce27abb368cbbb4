import { closeSync, openSync } from 'node:fs'
import { app, dialog } from 'electron'
import { systemLanguage } from '../../../src-renderer/i18n/language.ts'
import { asStudioError } from '../../core/errors.ts'
import { t, words } from './words.ts'

/**
 * Reports to the program that started this one (`npm start`) that the person has seen a window or a message, so that no second interface
 * opens. Does nothing for an installed application.
 */
export function reportStarted(): void {
  const mark = process.env.INFERENCE_STUDIO_STARTED_FILE
  if (mark === undefined || mark === '') return
  delete process.env.INFERENCE_STUDIO_STARTED_FILE
  try {
    closeSync(openSync(mark, 'w'))
  } catch {
    // The other program has ended and has deleted its folder.
  }
}

/**
 * Shows the error in a dialog and exits: without a data folder or a core there is no window. Waits for `ready`, because on Linux an
 * earlier error box is printed on standard error, where a person who clicked the application's icon does not see it.
 */
export function giveUp(thrown: unknown): null {
  // Not awaited by the caller: `ready` waits for the entry module to end.
  void app.whenReady().then(async () => {
    // Without its texts, the dialog is English.
    await words.follow(systemLanguage, app.getPreferredSystemLanguages()).catch(() => false)
    reportStarted()
    dialog.showErrorBox(t('desktop:start.failed'), asStudioError(thrown).message)
    app.exit(1)
  })
  return null
}
