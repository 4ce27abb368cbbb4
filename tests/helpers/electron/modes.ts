/** Conditions that the replacement of Electron can be started under. All are absent by default. */
export interface Modes {
  /** `ready-to-show` never comes, as under Wayland compositors that let no hidden window paint. */
  withholdReadyToShow?: true
  /** Each notification emits `failed` with this reason after `show`, as Windows does without a registered application. */
  notificationsFail?: string
  /** Result of `session.resolveProxy`. `DIRECT` by default. */
  proxy?: string
  /** `app.isPackaged`, as in an installed application. */
  packaged?: true
  /** Folder with `out/` and `package.json` that runs instead of this repository. */
  folder?: string
  /** `process.resourcesPath`, as in an installed application. */
  resourcesPath?: string
  /** Environment variables of the program. */
  env?: Record<string, string>
  /** Accelerators that another program has: `globalShortcut.register` returns false. */
  takenShortcuts?: string[]
  /** `desktopCapturer.getSources` rejects, as when the person refuses the portal of Wayland. */
  screenRefused?: true
  /** `webContents.print` fails with this reason. */
  printFails?: string
  /** `dialog.showMessageBox` answers with this button, in the order of the questions; the last one repeats. */
  answers?: { response: number; checkboxChecked?: boolean }[]
  /** `dialog.showOpenDialog` answers with these folders in turn; null: the person cancels. The last one repeats. */
  chosenFolders?: (string | null)[]
  /** Windows are shown on the display. Starts the full browser, because a headless shell has none. */
  isShown?: true
  /** Starts the full browser, which has microphones. It takes nearly twice the work of the browser for page tests. */
  fullBrowser?: true
}

const variable = 'ELECTRON_TEST_MODES'

/** The environment variable that starts the replacement under `modes`. */
export const modesInEnvironment = (modes: Modes): Record<string, string> => ({ [variable]: JSON.stringify(modes) })

/** The modes that this process was started under. */
export const modes: Modes = JSON.parse(process.env[variable] ?? '{}')
