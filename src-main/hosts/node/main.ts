import type { Opening } from '../../../src-preload/contract/data.ts'
import { logUncaught } from '../lastResort.ts'
import { ownPackage } from './package.ts'
import { run } from './program.ts'
import { createTeller } from './startUpProgress.ts'

// The command line over the real core. Each part is loaded by the first command that needs it.
process.exitCode = await run(process.argv.slice(2), {
  async startCore(host, options) {
    logUncaught(host.log)
    const { createCore } = await import('../../core/core.ts')
    const core = await telling((notify) =>
      createCore(host, {
        ...options,
        async opening(work) {
          await options.opening?.(work)
          notify(work)
        },
      }),
    )
    const { router, announce, addresses, media, metrics, stop } = core
    return { router, announce, media, metrics, sandbox: () => addresses().sandbox, stop }
  },
  async openApps(dataDir) {
    const { openApps } = await import('../../core/gateway/apps/apps.ts')
    const { mustNotBeLost } = await import('../../core/data/recovery/recovery.ts')
    mustNotBeLost(dataDir)
    return openApps(dataDir)
  },
  async openAppsReadOnly(dataDir) {
    const { openAppsReadOnly } = await import('../../core/gateway/apps/apps.ts')
    return openAppsReadOnly(dataDir)
  },
  async openConnections(dataDir) {
    const { openConnections } = await import('../../core/features/connections/savedConnections.ts')
    const { mustNotBeLost } = await import('../../core/data/recovery/recovery.ts')
    mustNotBeLost(dataDir)
    return openConnections(dataDir)
  },
  async openConnectionList(dataDir) {
    const { openConnectionsForReading } = await import('../../core/features/connections/savedConnections.ts')
    return openConnectionsForReading(dataDir)
  },
  async openRequestLog(dataDir) {
    const { openAppsReadOnly } = await import('../../core/gateway/apps/apps.ts')
    const { openRequestLogReader } = await import('../../core/requestLog/reader.ts')
    const tools = openAppsReadOnly(dataDir)
    const reader = openRequestLogReader(dataDir, tools.list)
    return {
      page: reader.page,
      follow: reader.follow,
      idOf: (name) => tools.list().find((tool) => tool.id === name || tool.name === name)?.id ?? name,
      close() {
        reader.close()
        tools.close()
      },
    }
  },
  async openUsage(dataDir) {
    const { openUsage } = await import('./openUsage.ts')
    return openUsage(dataDir)
  },
  async openExport(dataDir) {
    const { openExport } = await import('./openExport.ts')
    return openExport(dataDir)
  },
  async openErase(dataDir) {
    const { openErase } = await import('./openRetention.ts')
    return telling((notify) => openErase(dataDir, { opening: notify }))
  },
  async openData() {
    const { backupName } = await import('../../core/data/backup/manifest.ts')
    const { writeBackup } = await import('../../core/data/backup/write.ts')
    const { restoreBackup } = await import('../../core/data/restore/restore.ts')
    const { version } = ownPackage()
    return {
      nameFor: (at) => backupName(at.toISOString()),
      backup: ({ target, ...asked }) => writeBackup({ ...asked, version }, target),
      restore: restoreBackup,
    }
  },
  async startSandbox(options) {
    const { startSandbox } = await import('../../sandbox/sandbox.ts')
    return startSandbox(options)
  },
})

/** Opens something, and says at the terminal what takes long. */
async function telling<T>(open: (notify: (work: Opening) => void) => Promise<T>): Promise<T> {
  const teller = createTeller()
  try {
    return await open(teller.notify)
  } finally {
    teller.end()
  }
}
