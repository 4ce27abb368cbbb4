/**
 * The file that starts this program again, at login or after a restart. An AppImage runs from a mount, and the portable program of Windows
 * from a temporary folder; both are gone when the program has ended.
 */
export function programFile(env: NodeJS.ProcessEnv = process.env, execPath = process.execPath): string {
  const { APPDIR, APPIMAGE } = env
  // A terminal inside of another AppImage passes the variables of that program on.
  if (APPIMAGE && APPDIR && execPath.startsWith(`${APPDIR}/`)) return APPIMAGE
  return portableFile(env) ?? execPath
}

/** The file of the portable program of Windows, or null for every other kind of installation. */
export function portableFile(env: NodeJS.ProcessEnv = process.env): string | null {
  const { PORTABLE_EXECUTABLE_FILE, PORTABLE_EXECUTABLE_APP_FILENAME } = env
  // A terminal inside of another portable program passes the variables of that program on.
  return PORTABLE_EXECUTABLE_APP_FILENAME === packageName ? PORTABLE_EXECUTABLE_FILE || null : null
}

/** `name` in package.json, which electron-builder gives to the portable program. */
const packageName = 'inference-studio'
