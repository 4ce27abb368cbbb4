import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { App } from 'electron'
import { backgroundArgument } from './background.ts'
import { programFile } from './program.ts'

interface LoginOptions {
  app: Pick<App, 'setLoginItemSettings' | 'isPackaged'>
  platform?: NodeJS.Platform
  env?: NodeJS.ProcessEnv
  /** The file that starts the program. */
  program?: string
}

/**
 * Sets whether the system starts the program at login, without a window. Does nothing in a development version, whose program is Electron
 * itself. Electron has no login items on Linux, where an entry in the folder `autostart` does the same.
 * @see https://specifications.freedesktop.org/autostart-spec/latest/
 */
export function setOpenAtLogin(on: boolean, options: LoginOptions): void {
  const { app, platform = process.platform, env = process.env, program = programFile() } = options
  if (!app.isPackaged) return
  if (platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: on, path: program, args: [backgroundArgument] })
    return
  }
  const folder = join(
    env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(homedir(), '.config'),
    'autostart',
  )
  const file = join(folder, 'inference-studio.desktop')
  if (!on) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, desktopEntry(program))
}

/** Quoted by the rules of the desktop entry specification: backslash escapes in quotes, and again in a value of type string. */
function desktopEntry(program: string): string {
  const quoted = `"${program.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`.replaceAll('\\', '\\\\')
  return [
    ...['[Desktop Entry]', 'Type=Application', 'Name=Inference Studio'],
    ...[`Exec=${quoted} ${backgroundArgument}`, 'X-GNOME-Autostart-enabled=true', ''],
  ].join('\n')
}

/** Whether this start opens no window. macOS says so itself; other systems get the argument. */
export function startsInBackground(
  app: Pick<App, 'getLoginItemSettings'>,
  argv: readonly string[] = process.argv,
  platform: NodeJS.Platform = process.platform,
): boolean {
  return argv.includes(backgroundArgument) || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin)
}
