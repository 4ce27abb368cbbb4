import { access } from 'node:fs/promises'
import { app, BrowserWindow, shell } from 'electron'

/** Shows a file in the system's file manager. False where the file is not there: nothing would be shown. */
export async function reveal(path: string): Promise<boolean> {
  if (!(await isThere(path))) return false
  shell.showItemInFolder(path)
  return true
}

/**
 * Begins to drag a file out of the window that has the focus, as the person's pointer holds it now; the system takes it from there.
 * The icon is the system's own for such a file: macOS needs one, and no picture is decoded in this process.
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
