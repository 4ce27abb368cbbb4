import { join } from 'node:path'
import type { Host } from '../../core/host.ts'
import { createKeychain } from '../keychain.ts'
import { checkInOwnRun } from '../selfCheck/ownRun.ts'
import { openInBrowser } from './browser.ts'
import { forkNode } from './forkNode.ts'
import { keyFileFromEnvironment } from './keyFile.ts'
import { log } from './output.ts'
import { ownPackage } from './package.ts'

/** Most warnings and errors that the diagnostics report can show. The web host has no log file. */
const maxProblems = 30

/** The host on plain Node. @throws StudioError as `keyFileFromEnvironment` @param dataDir an existing folder @param restart absent for commands that end by themselves */
export function createNodeHost(dataDir: string, restart: (() => void) | null = null): Host {
  const problems: string[] = []
  return {
    name: 'web',
    version: ownPackage().version,
    dataDir,
    secrets: keyFileFromEnvironment() ?? createKeychain(),
    openExternal: openInBrowser,
    // The browser may run on another computer, so the page shows the path instead.
    reveal: async () => false,
    dragOut: null,
    fork: forkNode,
    checkInstallation: (signal) =>
      checkInOwnRun(process.execPath, [join(ownPackage().folder, 'out', 'main', 'node.js')], signal),
    restart,
    // The page shows notifications through its browser.
    notify: null,
    diagnostics: { versions: () => ({}), recentProblems: () => problems, crashDumps: () => 0 },
    log(level, line) {
      log(level, line)
      if (level === 'info') return
      problems.push(`${new Date().toISOString()} ${level} ${line}`)
      if (problems.length > maxProblems) problems.shift()
    },
  }
}
