import { spawn } from 'node:child_process'
import type { App } from 'electron'

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

/**
 * Starts this program again after its end. For an AppImage, a shell waits until this process has closed its end of a pipe. Electron's own
 * waiting process would run from the mount, which is gone by then, and has given up the right to mount the file again (`no_new_privs`).
 * @param args of the new start
 */
export function startAgain(app: Pick<App, 'relaunch'>, args: string[], program = programFile()): void {
  if (program !== process.env.APPIMAGE) {
    app.relaunch({ execPath: program, args })
    return
  }
  const script = 'read _; exec "$@" < /dev/null'
  spawn('/bin/sh', ['-c', script, 'sh', program, ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).unref()
}

/** The file of the portable program of Windows, or null for every other kind of installation. */
export function portableFile(env: NodeJS.ProcessEnv = process.env): string | null {
  const { PORTABLE_EXECUTABLE_FILE, PORTABLE_EXECUTABLE_APP_FILENAME } = env
  // A terminal inside of another portable program passes the variables of that program on.
  return PORTABLE_EXECUTABLE_APP_FILENAME === packageName ? PORTABLE_EXECUTABLE_FILE || null : null
}

/** `name` in package.json, which electron-builder gives to the portable program. */
const packageName = 'inference-studio'
