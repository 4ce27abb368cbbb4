import type { Host } from '../../core/host.ts'
import { createKeychain } from '../keychain.ts'
import { openInBrowser } from './browser.ts'
import { log } from './output.ts'
import { ownPackage } from './package.ts'

/** What plain Node offers the core. `dataDir` exists already. */
export function createNodeHost(dataDir: string): Host {
  return {
    name: 'web',
    version: ownPackage().version,
    dataDir,
    secrets: createKeychain(),
    openExternal: openInBrowser,
    // The page may be on another machine than this process: it tells the path instead.
    reveal: async () => false,
    dragOut: null,
    // A page may be on another machine: it has the browser's notifications.
    notify: null,
    log,
  }
}
