import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asStudioError } from '../../../core/errors.ts'
import type { Host } from '../../../core/host.ts'
import { portableFile } from '../program.ts'
import { readFeed, type UpdateFeed } from './updateFeed.ts'
import { Updates } from './updates.ts'

/** The updates of this installation, or null for a build without a feed. */
export function openUpdates(packageFile: string, log: Host['log']): Updates | null {
  let feed: UpdateFeed | null = null
  try {
    feed = readFeed(packageFile)
  } catch (thrown) {
    // A mistake in the package must not prevent the start.
    log('error', `There are no updates: ${asStudioError(thrown).message}`)
  }
  if (feed === null) return null
  const source = feed
  return new Updates({
    canInstall: canInstall(),
    log,
    async load() {
      const [{ autoUpdater }, { signedProvider }] = await Promise.all([
        import('electron-updater'),
        import('./signedProvider.ts'),
      ])
      autoUpdater.logger = null
      autoUpdater.allowDowngrade = false
      autoUpdater.allowPrerelease = false
      autoUpdater.disableWebInstaller = true
      autoUpdater.setFeedURL(signedProvider(source))
      return autoUpdater
    },
  })
}

/** False for .deb and .rpm, which only the system's package manager should replace, and for the portable program of Windows. */
export function canInstall({ env, resourcesPath }: Pick<NodeJS.Process, 'env' | 'resourcesPath'> = process): boolean {
  if (portableFile(env) !== null) return false
  return resourcesPath === undefined || !existsSync(join(resourcesPath, 'package-type'))
}
