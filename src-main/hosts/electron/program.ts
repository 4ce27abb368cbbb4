/**
 * The file that starts this program again, at login or after a restart. An AppImage runs from a mount, and the portable program of Windows
 * from a temporary folder; both are gone when the program has ended.
 */
export function programFile(env: NodeJS.ProcessEnv = process.env, execPath = process.execPath): string {
  const { APPDIR, APPIMAGE, PORTABLE_EXECUTABLE_FILE } = env
  // A terminal inside of another AppImage passes the variables of that one on.
  if (APPIMAGE && APPDIR && execPath.startsWith(`${APPDIR}/`)) return APPIMAGE
  return PORTABLE_EXECUTABLE_FILE || execPath
}
