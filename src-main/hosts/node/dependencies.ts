import type { Router } from '@orpc/server'
import type { AccountKey, Limited, LimitStatus } from '../../../src-preload/contract/account.ts'
import type { App, GraceHours } from '../../../src-preload/contract/apps.ts'
import type { Contract } from '../../../src-preload/contract/contract.ts'
import type { BackupSummary, Counts } from '../../../src-preload/contract/data.ts'
import type { RequestFilter, RequestRow } from '../../../src-preload/contract/requests.ts'
import type { DeletableKind, DeletionPlan, RetentionState } from '../../../src-preload/contract/retention.ts'
import type { Account, UsageView, ViewQuery } from '../../../src-preload/contract/usage.ts'
import type { CoreOptions } from '../../core/core.ts'
import type { ListedProfile } from '../../core/features/connections/savedConnections.ts'
import type { AppChanges, NewApp } from '../../core/gateway/apps/appSettings.ts'
import type { Host, SecretStore } from '../../core/host.ts'
import type { BytesHandler } from '../../core/ports/bytes.ts'
import type { MediaSource } from '../media.ts'

/** A running core, driven through the same procedures as the page. */
export interface RunningCore {
  readonly router: Router<Contract, Record<never, never>>
  /** Address and API key of the sandbox that this core started, or null. */
  sandbox(): { baseUrl: string; apiKey: string } | null
  /** Metrics in the Prometheus text format, or null while they are switched off. */
  metrics(): Promise<string | null>
  /** Serves `/transfers/ID`. */
  readonly bytes: BytesHandler
  /** Serves `/media/ID`. */
  readonly media: MediaSource
  /** Publishes the address of this process, so that a second process for the same data folder can name it. */
  announce(address: string | null): void
  /** Marks unfinished replies and closes the databases. */
  stop(): Promise<void>
}

/** The apps of a data folder. Works while another process serves it. */
export interface AppCommands {
  /** Newest first, revoked apps included. */
  list(): App[]
  /** Returns the app key, which can't be read again. @throws StudioError `bad_input` */
  add(given: NewApp): { app: App; key: string }
  /** @throws StudioError `no_such_item`, `bad_input` */
  update(id: string, changes: AppChanges): App
  /** @throws StudioError `no_such_item`, `bad_input` for a revoked app */
  pause(id: string, paused: boolean): App
  /** Changes every app that is not revoked. */
  pauseAll(paused: boolean): { changed: number }
  /** Replaces the app key, which can't be read again. @throws StudioError `no_such_item`, `bad_input` for a revoked app */
  rotate(id: string, graceHours: GraceHours): { app: App; key: string }
  /** @throws StudioError `no_such_item` */
  revoke(id: string): App
  /** Deletes an app whose key was never shown. Revokes the app instead if it was already used. */
  remove(id: string): void
  close(): void
}

/** The stored connections of a data folder, read-only. Works while another process serves it. */
export interface ConnectionList {
  /** Sorted by name. */
  list(): ListedProfile[]
  /** Copies the connections to a new data folder. API keys stay in the keychain. */
  copyTo(dataDir: string): void
  close(): void
}

/** Changes the stored connections. A process that serves the folder applies the change. */
export interface ConnectionCommands {
  /** Sorted by name. */
  list(): ListedProfile[]
  /** @throws StudioError `no_such_item` */
  use(which: string): ListedProfile
  /** @throws StudioError `no_such_item`, `keychain_missing`, `keychain_locked` */
  forget(which: string, secrets: SecretStore): Promise<ListedProfile>
  close(): void
}

/** The request log of a data folder. Works while another process serves it. */
export interface RequestLogCommands {
  /** Rows with an id below `before`, newest first. */
  page(filter: RequestFilter, before: number, limit: number): RequestRow[]
  /** Rows with an id above `after`, and changes of the rows `open`, until `signal` aborts. */
  follow(
    filter: RequestFilter,
    options: { signal: AbortSignal; after: number; open: number[] },
  ): AsyncIterable<RequestRow>
  /** Converts the id or name of an app, `studio` or `strangers` to the caller id of the filter. @throws StudioError `no_such_item` */
  callerId(name: string): string
  close(): void
}

/** Stored usage, limits and API keys of the accounts. Works while another process serves the folder. */
export interface UsageCommands {
  /** Most recently used first. */
  accounts(): Account[]
  /** Returns every series separately, without merging small ones. @throws StudioError `bad_input` when the source lacks this grouping */
  view(query: ViewQuery): UsageView
  keys(accountId: string): AccountKey[]
  /** The limits that the service last reported, or null. */
  limits(accountId: string): LimitStatus | null
  /** Requests that the service answered with 429, newest first. */
  limited(limit: number, accountId: string | null): Limited[]
  close(): void
}

/** What a data folder contains. */
export interface DataFolderContents {
  counts: Counts
  bytes: number
}

/** Backup of a data folder, also while another process serves it, and restore of an unused folder. */
export interface DataCommands {
  /** File name of a backup made at `at`. */
  nameFor(at: Date): string
  /** @throws StudioError `no_such_item`, `store_damaged`, `store_newer`, `cancelled`, `bad_input` */
  backup(asked: {
    dataDir: string
    target: { path: string } | { sink: (bytes: Uint8Array) => Promise<unknown> }
    signal: AbortSignal
  }): Promise<BackupSummary>
  /** Returns null when `agree` resolved to false. @throws StudioError `bad_input`, `store_newer`, `folder_in_use`, `cancelled` */
  restore(asked: {
    dataDir: string
    path: string
    signal: AbortSignal
    agree(backup: BackupSummary, now: DataFolderContents | null): Promise<boolean>
  }): Promise<{ summary: BackupSummary; keptAt: string | null } | null>
}

/** Instants from `from` (included) to `until` (excluded). Null means unbounded. */
export interface ExportRange {
  from: string | null
  until: string | null
}

/** Exports of a data folder to open formats. Works while another process serves it. */
export interface DataExport {
  /** The request log, oldest first, of one account or of all (null). */
  requests(format: 'csv' | 'json' | 'parquet', range: ExportRange, account: string | null): AsyncIterable<Uint8Array>
  /** Conversations last changed in the range, as Markdown. @throws StudioError `no_such_item` */
  markdown(range: ExportRange): AsyncIterable<Uint8Array>
  /** The same conversations as an archive that can be imported, written to a new file. @throws StudioError `no_such_item`, `bad_input` */
  archive(path: string, range: ExportRange): Promise<void>
  /** Speech, recordings, transcripts and images as files in a new folder. @throws StudioError `no_such_item` */
  media(folder: string, range: ExportRange): Promise<{ files: number; missing: number }>
  close(): void
}

/** Deletes data by age in a folder that no other process uses. */
export interface DataErase {
  count(selection: {
    what: readonly DeletableKind[]
    olderThanDays: number
    archivedOnly: boolean
  }): Promise<DeletionPlan>
  /** Returns the result. @throws StudioError `bad_input` when more would be deleted than was counted */
  erase(plan: DeletionPlan): Promise<RetentionState['last']>
  /** Stops early. Data that is already deleted stays deleted. */
  stop(): void
  close(): Promise<void>
}

/** Dependencies of the commands, imported on first use, so that `--help` and `apps` start without the core. */
export interface Parts {
  startCore(host: Host, options: CoreOptions): Promise<RunningCore>
  openApps(dataDir: string): Promise<AppCommands>
  /** Read-only: nothing in the folder is created or changed. */
  openAppsReadOnly(dataDir: string): Promise<Pick<AppCommands, 'list' | 'close'>>
  openConnections(dataDir: string): Promise<ConnectionCommands>
  /** Read-only: nothing in the folder is created or changed. */
  openConnectionList(dataDir: string): Promise<ConnectionList>
  openRequestLog(dataDir: string): Promise<RequestLogCommands>
  openUsage(dataDir: string): Promise<UsageCommands>
  openData(): Promise<DataCommands>
  openExport(dataDir: string): Promise<DataExport>
  /** @throws StudioError `folder_in_use` */
  openErase(dataDir: string): Promise<DataErase>
  startSandbox(options: { port: number }): Promise<{ baseUrl: string; apiKey: string; close(): Promise<void> }>
}
