import type { App } from 'electron'

/** Identifies the application to the system. The installers use the same id. */
export const appId = 'app.inference-studio'

/** Windows shows notifications, jump lists and the taskbar group of an application only under its id. Call before the first window. */
export function identify(app: Pick<App, 'setAppUserModelId'>, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') app.setAppUserModelId(appId)
}
