import { ownPackage } from './package.ts'
import { run } from './program.ts'

// The command line over the real core. Each part is loaded by the first command that needs it.
process.exitCode = await run(process.argv.slice(2), {
  async startCore(host, options) {
    const { createCore } = await import('../../core/core.ts')
    const core = await createCore(host, options)
    const { router, announce, addresses, media, metrics, stop } = core
    return { router, announce, media, metrics, sandbox: () => addresses().sandbox, stop }
  },
  async openToolKeys(dataDir) {
    const { openTools } = await import('../../core/tools/tools.ts')
    return openTools(dataDir)
  },
  async openConnections(dataDir) {
    const { openConnections } = await import('../../core/connection/saved.ts')
    return openConnections(dataDir)
  },
  async openRequestLog(dataDir) {
    const { openTools } = await import('../../core/tools/tools.ts')
    const { openLedgerReader } = await import('../../core/ledger/reader.ts')
    const tools = openTools(dataDir)
    const reader = openLedgerReader(dataDir, tools.list)
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
    const { openUsage } = await import('./usageBooks.ts')
    return openUsage(dataDir)
  },
  async openExport(dataDir) {
    const { openExport } = await import('./dataExport.ts')
    return openExport(dataDir)
  },
  async openErase(dataDir) {
    const { openErase } = await import('./dataErase.ts')
    return openErase(dataDir)
  },
  async openKeep() {
    const { backupName } = await import('../../core/keep/backup/manifest.ts')
    const { writeBackup } = await import('../../core/keep/backup/write.ts')
    const { restoreNow } = await import('../../core/keep/restore/now.ts')
    const { version } = ownPackage()
    return {
      nameFor: (at) => backupName(at.toISOString()),
      backup: ({ target, ...asked }) => writeBackup({ ...asked, version }, target),
      restore: restoreNow,
    }
  },
  async startSandbox(options) {
    const { startSandbox } = await import('../../sandbox/sandbox.ts')
    return startSandbox(options)
  },
})
