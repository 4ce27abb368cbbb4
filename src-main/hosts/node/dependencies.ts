import type { Router } from '@orpc/server'
import type { AccountKey, Limited, LimitStatus } from '../../../src-preload/contract/account.ts'
import type { App } from '../../../src-preload/contract/apps.ts'
import type { Contract } from '../../../src-preload/contract/contract.ts'
import type { BackupSummary, Counts } from '../../../src-preload/contract/data.ts'
import type { RequestFilter, RequestRow } from '../../../src-preload/contract/requests.ts'
import type { Erasable, ErasePlan, EraseState } from '../../../src-preload/contract/retention.ts'
import type { Account, UsageView, ViewQuery } from '../../../src-preload/contract/usage.ts'
import type { CoreOptions } from '../../core/core.ts'
import type { ListedProfile } from '../../core/features/connections/savedConnections.ts'
import type { AppChanges, NewApp } from '../../core/gateway/apps/appSettings.ts'
import type { Host, SecretStore } from '../../core/host.ts'
import type { MediaSource } from '../media.ts'

/** A core as the command line drives it: through the same procedures as the page. */
export interface RunningCore {
  readonly router: Router<Contract, Record<never, never>>
  /** The sandbox that this core started, with the key to try it; null where it runs none. */
  sandbox(): { baseUrl: string; apiKey: string } | null
  /** Text of Prometheus; null while it is switched off. */
  metrics(): Promise<string | null>
  /** What the page's pictures are served from. */
  readonly media: MediaSource
  /** Tells a second process that wants this data folder where this one answers. */
  announce(address: string | null): void
  /** Marks streams, closes the database. */
  stop(): Promise<void>
}

/** Tool keys of a data folder, also while another process serves it. */
export interface AppCommands {
  /** Newest first, revoked ones too. */
  list(): App[]
  /** `key` is answered here and never again. @throws StudioError `bad_input` */
  add(given: NewApp): { tool: App; key: string }
  /** @throws StudioError `no_such_item`, `bad_input` */
  update(id: string, changes: AppChanges): App
  /** @throws StudioError `no_such_item`, `bad_input` for a key that was revoked */
  pause(id: string, paused: boolean): App
  /** Every key that is not revoked. */
  pauseAll(paused: boolean): { changed: number }
  /** @throws StudioError `no_such_item` */
  revoke(id: string): App
  /** Deletes a key that nobody has seen, with no trace of it. One that was in use is revoked instead. */
  remove(id: string): void
  close(): void
}

/** Stored connections of a data folder, also while another process serves it. */
export interface ConnectionList {
  /** By name. */
  list(): ListedProfile[]
  /** Stores the same connections in another data folder, which this makes; keys stay in the keychain. */
  copyTo(dataDir: string): void
  close(): void
}

/** The same to change them: a process that serves the folder follows. */
export interface ConnectionCommands {
  /** By name. */
  list(): ListedProfile[]
  /** @throws StudioError `no_such_item` */
  use(which: string): ListedProfile
  /** @throws StudioError `no_such_item`, `keychain_missing`, `keychain_locked` */
  forget(which: string, secrets: SecretStore): Promise<ListedProfile>
  close(): void
}

/** The log of requests of a data folder, also while another process serves it. */
export interface RequestLogCommands {
  page(filter: RequestFilter, before: number, limit: number): RequestRow[]
  follow(
    filter: RequestFilter,
    options: { signal: AbortSignal; after: number; open: number[] },
  ): AsyncIterable<RequestRow>
  /** The id of the tool that is called so; what is no tool's name is answered as it is. */
  idOf(name: string): string
  close(): void
}

/** What is kept of usage, limits and keys, also while another process serves the folder. */
export interface UsageCommands {
  /** Those used last first. */
  accounts(): Account[]
  /** Every series has its own place. @throws StudioError `bad_input` where that side does not know what is asked */
  view(query: ViewQuery): UsageView
  keys(accountId: string): AccountKey[]
  /** What the service said last; null if it never did. */
  limits(accountId: string): LimitStatus | null
  /** Answered with 429, the newest first. */
  limited(limit: number, accountId: string | null): Limited[]
  close(): void
}

export interface DataFolderContents {
  counts: Counts
  bytes: number
}

/** Backup of a data folder, also while another process serves it, and restore of one that nobody uses. */
export interface DataCommands {
  /** What a backup of that moment is called. */
  nameFor(at: Date): string
  /** @throws StudioError `no_such_item`, `store_damaged`, `store_newer`, `cancelled`, `bad_input` */
  backup(asked: {
    dataDir: string
    target: { path: string } | { sink: (bytes: Uint8Array) => Promise<unknown> }
    signal: AbortSignal
  }): Promise<BackupSummary>
  /** Null where `agree` said no. @throws StudioError `bad_input`, `store_newer`, `folder_in_use`, `cancelled` */
  restore(asked: {
    dataDir: string
    path: string
    signal: AbortSignal
    agree(backup: BackupSummary, now: DataFolderContents | null): Promise<boolean>
  }): Promise<{ summary: BackupSummary; keptAt: string | null } | null>
}

/** From an instant on, and up to one that does not belong to it; null: without that end. */
export interface ExportRange {
  from: string | null
  until: string | null
}

/** What leaves a data folder in open formats, also while another process serves it. */
export interface DataExport {
  /** The log of requests, oldest first; of one book's account, or of all. */
  requests(format: 'csv' | 'json' | 'parquet', range: ExportRange, account: string | null): AsyncIterable<Uint8Array>
  /** Conversations last changed in the range, as text for people. @throws StudioError `no_such_item` */
  markdown(range: ExportRange): AsyncIterable<Uint8Array>
  /** The same as an archive that can be read in again, into a file that is not there yet. @throws StudioError `no_such_item`, `bad_input` */
  archive(path: string, range: ExportRange): Promise<void>
  /** Speech, recordings, transcripts and images as files, into a folder that is not there yet. @throws StudioError `no_such_item` */
  media(folder: string, range: ExportRange): Promise<{ files: number; missing: number }>
  close(): void
}

/** Erasing by age in a folder that no other process has. */
export interface DataErase {
  count(wish: { what: readonly Erasable[]; olderThanDays: number; archivedOnly: boolean }): Promise<ErasePlan>
  /** How it went. @throws StudioError `bad_input` where more would go than was counted */
  erase(plan: ErasePlan): Promise<EraseState['last']>
  /** Ends it early: what is gone is gone. */
  stop(): void
  close(): Promise<void>
}

/** What the commands are made of, loaded when a command first needs it: `--help` and `tools` start without the core. */
export interface Parts {
  startCore(host: Host, options: CoreOptions): Promise<RunningCore>
  openApps(dataDir: string): Promise<AppCommands>
  /** For reading alone: nothing in the folder is made or changed. */
  openAppsReadOnly(dataDir: string): Promise<Pick<AppCommands, 'list' | 'close'>>
  openConnections(dataDir: string): Promise<ConnectionCommands>
  /** For reading alone: nothing in the folder is made or changed. */
  openConnectionList(dataDir: string): Promise<ConnectionList>
  openRequestLog(dataDir: string): Promise<RequestLogCommands>
  openUsage(dataDir: string): Promise<UsageCommands>
  openData(): Promise<DataCommands>
  openExport(dataDir: string): Promise<DataExport>
  /** @throws StudioError `folder_in_use` */
  openErase(dataDir: string): Promise<DataErase>
  startSandbox(options: { port: number }): Promise<{ baseUrl: string; apiKey: string; close(): Promise<void> }>
}
