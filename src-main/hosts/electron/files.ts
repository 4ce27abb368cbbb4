import { access } from 'node:fs/promises'
import { app, BrowserWindow, type Dialog, type OpenDialogOptions, shell } from 'electron'

/** Shows a file in the file manager. Returns false when the file does not exist. */
export async function reveal(path: string): Promise<boolean> {
  if (!(await isThere(path))) return false
  shell.showItemInFolder(path)
  return true
}

/**
 * Starts dragging a file out of the focused window. Returns false when that is not possible.
 * Uses the file-type icon of the system: macOS requires an icon, and this process should not decode images.
 */
export async function dragOut(path: string): Promise<boolean> {
  const contents = BrowserWindow.getFocusedWindow()?.webContents
  if (!contents || !(await isThere(path))) return false
  const icon = await app.getFileIcon(path)
  if (icon.isEmpty() || contents.isDestroyed()) return false
  contents.startDrag({ file: path, icon })
  return true
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Lets the person choose a folder in the system's dialog, above `window`. Null when the person cancelled. */
export async function chooseFolder(
  dialog: Pick<Dialog, 'showOpenDialog'>,
  window: BrowserWindow | null,
  { title, from }: { title: string; from: string | null },
): Promise<string | null> {
  const options: OpenDialogOptions = {
    ...{ title, properties: ['openDirectory', 'createDirectory', 'dontAddToRecent'] },
    ...(from !== null && { defaultPath: from }),
  }
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return canceled ? null : (filePaths[0] ?? null)
}
