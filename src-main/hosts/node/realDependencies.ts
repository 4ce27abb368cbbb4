import type { Opening } from '../../../src-preload/contract/data.ts'
import { logUncaught } from '../lastResort.ts'
import type { Parts } from './dependencies.ts'
import { ownPackage } from './package.ts'
import { createProgressPrinter } from './startUpProgress.ts'

/** The parts of the command line with the real core. Each is imported by the first command that needs it. */
export const realParts: Parts = {
  async startCore(host, options) {
    logUncaught(host.log)
    const { createCore } = await import('../../core/core.ts')
    const core = await withProgress((notify) =>
      createCore(host, {
        ...options,
        async opening(work) {
          await options.opening?.(work)
          notify(work)
        },
      }),
    )
    const { router, announce, addresses, bytes, media, metrics, stop } = core
    return { router, announce, bytes, media, metrics, sandbox: () => addresses().sandbox, stop }
  },
  async openApps(dataDir) {
    const { openApps } = await import('../../core/gateway/apps/apps.ts')
    await checkData(dataDir)
    return openApps(dataDir)
  },
  openAppsReadOnly: async (dataDir) => (await import('../../core/gateway/apps/apps.ts')).openAppsReadOnly(dataDir),
  async openConnections(dataDir) {
    const { openConnections } = await import('../../core/features/connections/savedConnections.ts')
    await checkData(dataDir)
    return openConnections(dataDir)
  },
  async openConnectionList(dataDir) {
    const { openConnectionsForReading } = await import('../../core/features/connections/savedConnections.ts')
    return openConnectionsForReading(dataDir)
  },
  async openRequestLog(dataDir) {
    const { openAppsReadOnly } = await import('../../core/gateway/apps/apps.ts')
    const { openRequestLogReader } = await import('../../core/requestLog/reader.ts')
    const { callerId } = await import('./commands/requests.ts')
    const apps = openAppsReadOnly(dataDir)
    const reader = openRequestLogReader(dataDir, apps.list)
    return {
      page: reader.page,
      follow: reader.follow,
      callerId: (name) => callerId(apps.list(), name),
      close() {
        reader.close()
        apps.close()
      },
    }
  },
  openUsage: async (dataDir) => (await import('./openUsage.ts')).openUsage(dataDir),
  openExport: async (dataDir) => (await import('./openExport.ts')).openExport(dataDir),
  async openErase(dataDir) {
    const { openErase } = await import('./openRetention.ts')
    return withProgress((notify) => openErase(dataDir, { opening: notify }))
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
  startSandbox: async (options) => (await import('../../sandbox/sandbox.ts')).startSandbox(options),
}

/** Refuses a data folder whose database is missing, before a command writes to it. */
async function checkData(dataDir: string): Promise<void> {
  const { mustNotBeLost } = await import('../../core/data/recovery/recovery.ts')
  mustNotBeLost(dataDir)
}

/** Runs `open` and prints its progress on standard error while it takes long. */
async function withProgress<T>(open: (notify: (work: Opening) => void) => Promise<T>): Promise<T> {
  const printer = createProgressPrinter()
  try {
    return await open(printer.notify)
  } finally {
    printer.end()
  }
}
