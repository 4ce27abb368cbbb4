/**
 * What the command line does with a data folder without a running core. Works beside another process that serves the folder, except for
 * `openErase` and `restore`. Everything large is imported on first use, so that a small command starts quickly.
 */
import type { Opening } from '../../src-preload/contract/data.ts'
import type { TableFormat } from '../../src-preload/contract/usage.ts'
import type { BackupFolder } from './data/backup/keep.ts'
import type { BackupParts, Target } from './data/backup/write.ts'
import type { StudioError } from './errors.ts'
import type { openConnections } from './features/connections/savedConnections.ts'
import type { ExportRow } from './features/usage/exportRows.ts'
import type { openApps } from './gateway/apps/apps.ts'
import type { Host } from './host.ts'

export type { DataExport, ExportRange } from './compose/stored/export.ts'
export type { ProgramCommands } from './compose/stored/programs.ts'
export type { UsageCommands } from './compose/stored/usage.ts'
export type { ListedProfile } from './features/connections/savedConnections.ts'
export { bucketsOf, rowsOf, totalsOf } from './features/usage/exportRows.ts'
export { type AppChanges, checkedChanges, type NewApp } from './gateway/apps/appSettings.ts'
export { checkedModelMap } from './gateway/apps/modelMap.ts'
export { claimFolder, inspectFolder } from './store/dataFolder.ts'

export type { ExportRow }
/** The apps of a data folder, for commands that change them. */
export type AppCommands = ReturnType<typeof openApps>
/** The stored connections of a data folder, for commands that change them. */
export type ConnectionCommands = ReturnType<typeof openConnections>

/** The threads and processes of the core, for the check of an installation. */
export const coreParts = () => import('./compose/stored/parts.ts')

/** How the command line opens the parts of a data folder. */
export type StoredData = ReturnType<typeof storedData>

type BackupWork = Omit<BackupParts, 'version'>

/** @param version of this program, for backups and archives */
export function storedData({ version, log }: { version: () => string; log: Host['log'] }) {
  return {
    async openApps(dataDir: string) {
      await refuseMissingDatabase(dataDir)
      return (await import('./gateway/apps/apps.ts')).openApps(dataDir)
    },
    /** Creates and changes nothing in the folder. */
    openAppsReadOnly: async (dataDir: string) => (await import('./gateway/apps/apps.ts')).openAppsReadOnly(dataDir),
    async openPrograms(dataDir: string, port?: number) {
      await refuseMissingDatabase(dataDir)
      return (await import('./compose/stored/programs.ts')).openPrograms(dataDir, port)
    },
    async openConnections(dataDir: string) {
      await refuseMissingDatabase(dataDir)
      return (await import('./features/connections/savedConnections.ts')).openConnections(dataDir)
    },
    /** Creates and changes nothing in the folder. */
    openConnectionList: async (dataDir: string) =>
      (await import('./features/connections/savedConnections.ts')).openConnectionsReadOnly(dataDir),
    async openRequestLog(dataDir: string) {
      const { openAppsReadOnly } = await import('./gateway/apps/apps.ts')
      const { openRequestLogReader } = await import('./requestLog/reader.ts')
      const apps = openAppsReadOnly(dataDir)
      const { page, follow, sessions, close } = openRequestLogReader(dataDir, apps.list)
      return {
        page,
        follow,
        sessions,
        apps: apps.list,
        close() {
          close()
          apps.close()
        },
      }
    },
    openUsage: async (dataDir: string) => (await import('./compose/stored/usage.ts')).openUsage(dataDir),
    openExport: async (dataDir: string) => (await import('./compose/stored/export.ts')).openExport(dataDir, version()),
    /** @throws StudioError `folder_in_use` */
    openErase: async (dataDir: string, opening?: (work: Opening) => void) =>
      (await import('./compose/stored/erase.ts')).openErase({ dataDir, log, opening }),
    /** Backup of a data folder, and restore of a folder that no other process uses. */
    async openData() {
      const { backupName } = await import('./data/backup/manifest.ts')
      const { writeBackup } = await import('./data/backup/write.ts')
      const { writeKeptBackup } = await import('./data/backup/keep.ts')
      const { verifyBackup } = await import('./data/backup/verify.ts')
      const { restoreBackup } = await import('./data/restore/restore.ts')
      return {
        /** File name of a backup made at `at`. */
        nameFor: (at: Date): string => backupName(at.toISOString()),
        /** @throws StudioError as `writeBackup` */
        backup: ({ target, ...work }: BackupWork & { target: Target }) =>
          writeBackup({ ...work, version: version() }, target),
        /** Writes a compressed backup to a folder of several, and deletes those that no rule keeps. @throws StudioError as `writeKeptBackup` */
        backupTo: ({ folder, keep, ...work }: BackupWork & BackupFolder) =>
          writeKeptBackup({ ...work, version: version() }, { folder, keep }),
        /** @throws StudioError as `verifyBackup` */
        verify: verifyBackup,
        /** @throws StudioError as `restoreBackup` */
        restore: restoreBackup,
      }
    },
  }
}

/** Encodes rows of usage as the bytes of a file. */
export const usageFile = async (rows: readonly ExportRow[], format: TableFormat): Promise<Uint8Array> =>
  (await import('./features/usage/export.ts')).exportRows(rows, format)

/** Why a database of the folder can't be opened, or null. Reads its first page only, and changes nothing. */
export const databaseProblem = async (dataDir: string): Promise<string | null> =>
  (await import('./data/databases.ts')).databaseProblem(dataDir)

/** The process that owns a data folder now, as the problem `folder_in_use`; null when none does. @throws StudioError as `folderUser` of the store */
export const folderUser = async (dataDir: string): Promise<StudioError | null> =>
  (await import('./store/lock.ts')).folderUser(dataDir)

/** Refuses a data folder whose database is missing, before a command writes to it. */
async function refuseMissingDatabase(dataDir: string): Promise<void> {
  const { mustNotBeLost } = await import('./data/recovery/recovery.ts')
  mustNotBeLost(dataDir)
}
