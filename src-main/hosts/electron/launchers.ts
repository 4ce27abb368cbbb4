import type { App, MenuItemConstructorOptions, Task } from 'electron'
import { newChatArgument, quickPromptArgument } from './openRequests.ts'
import { programFile } from './program.ts'
import { t } from './words.ts'

/** What the entries at the icon of the application do. */
export interface LauncherActions {
  newChat(): void
  quickPrompt(): void
}

/** The menu of the icon in the dock of macOS. */
export const dockMenu = ({ newChat, quickPrompt }: LauncherActions): MenuItemConstructorOptions[] => [
  { label: t('desktop:newChat'), click: newChat },
  { label: t('desktop:quickPrompt'), click: quickPrompt },
]

/** The tasks of the jump list of Windows. Each starts the program, which passes its argument to the running one. */
export function jumpTasks(program: string): Task[] {
  const task = (title: string, argument: string, description: string): Task => ({
    ...{ program, arguments: argument, iconPath: program, iconIndex: 0, title, description },
  })
  return [
    task(t('desktop:newChat'), newChatArgument, t('desktop:tasks.newChatAbout')),
    task(t('desktop:quickPrompt'), quickPromptArgument, t('desktop:tasks.quickPromptAbout')),
  ]
}

interface LauncherOptions {
  app: Pick<App, 'isPackaged' | 'setUserTasks' | 'dock'>
  buildMenu(template: MenuItemConstructorOptions[]): Electron.Menu
  actions: LauncherActions
  platform?: NodeJS.Platform
  program?: string
}

/** Puts the most frequent actions at the icon: the dock of macOS, the jump list of Windows. The desktop file has those of Linux. */
export function showLaunchers(options: LauncherOptions): void {
  const { app, buildMenu, actions, platform = process.platform, program = programFile() } = options
  if (platform === 'darwin') app.dock?.setMenu(buildMenu(dockMenu(actions)))
  // The program of a development version is Electron itself.
  else if (platform === 'win32' && app.isPackaged) app.setUserTasks(jumpTasks(program))
}
