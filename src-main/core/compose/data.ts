import type { Settings } from '../../../src-preload/contract/app.ts'
import type { DataState } from '../../../src-preload/contract/data.ts'
import { createWords, type Words } from '../../../src-renderer/i18n/host.ts'
import { localeOfProcess } from '../../../src-renderer/i18n/language.ts'
import { createData, type DataFeature } from '../data/data.ts'
import type { OpeningReport } from '../data/opening/prepare.ts'
import { recoverReplies } from '../features/chat/recover.ts'
import { grantAccounts } from '../features/tools/mcp/oauth/grants.ts'
import { secretAccounts } from '../features/tools/mcp/secrets.ts'
import type { Transfers } from '../features/transfers/transfers.ts'
import { Apps } from '../gateway/apps/apps.ts'
import type { Host } from '../host.ts'
import { SqliteRequestLog } from '../requestLog/requestLog.ts'
import { counted } from '../shared/counted.ts'
import { StateFeed } from '../shared/stateFeed.ts'
import { inBackground } from '../shared/unexpected.ts'
import { type AccountStore, openAccountStore } from '../store/account/open.ts'
import { coreBusyMs } from '../store/database.ts'
import { RetentionClock } from '../store/retentionClock.ts'
import { openStore, type Store } from '../store/store.ts'

/** The stored settings in memory: the local API needs them for every request. */
export interface CurrentSettings {
  readonly value: Settings
  /** Reads the settings from the database again. Call after each change. */
  reload(): void
}

/** The databases of one data folder, and the parts that read and write them for every feature. */
export interface OpenData {
  store: Store
  settings: CurrentSettings
  /** Texts outside of the windows. */
  words: Words
  apps: Apps
  requestLog: SqliteRequestLog
  accountStore: AccountStore
  retentionClock: RetentionClock
}

/** Opens all databases of a folder. After a failure, `opening` closes the databases that are already open. */
export function openData(
  { dataDir, languages, log }: Pick<Host, 'dataDir' | 'languages' | 'log'>,
  opening: OpeningReport,
): OpenData {
  const store = openStore(dataDir, { busyMs: coreBusyMs })
  opening.onFailure(() => store.close())
  const retentionClock = new RetentionClock({ dataDir, isDated: store.erasures.isRemovedBetween })
  retentionClock.start()
  opening.onFailure(() => retentionClock.close())
  const interrupted = recoverReplies(store)
  const words = createWords()
  const settings = currentSettings(store, ({ language }) => {
    const followed = words.follow(language, languages?.() ?? localeOfProcess())
    inBackground('The language could not be loaded', followed)
  })
  const apps = new Apps(store)
  opening.onFailure(() => apps.close())
  const requestLog = new SqliteRequestLog({
    dataDir,
    apps: apps.list,
    bodyDays: () => settings.value.bodyDays,
    secretBeginnings: () => settings.value.secretBeginnings,
    deadlines: retentionClock,
    log,
  })
  opening.onFailure(() => requestLog.close())
  const cut = [
    ...(interrupted > 0 ? [counted(interrupted, 'reply', 'replies')] : []),
    ...(requestLog.recovered > 0 ? [counted(requestLog.recovered, 'request')] : []),
  ]
  if (cut.length > 0) log('warn', `Cut off when the program last ended, and marked: ${cut.join(', ')}.`)
  const accountStore = openAccountStore(dataDir, { busyMs: coreBusyMs })
  opening.onFailure(() => accountStore.close())
  opening.opened()
  return { store, settings, words, apps, requestLog, accountStore, retentionClock }
}

function currentSettings({ settings }: Store, changed: (now: Settings) => void): CurrentSettings {
  let value = settings.read()
  changed(value)
  return {
    get value() {
      return value
    },
    reload() {
      value = settings.read()
      changed(value)
    },
  }
}

export interface DataDependencies {
  host: Host
  opening: OpeningReport
  transfers: Transfers
  store: Store
  settings: CurrentSettings
}

/** Keychain accounts of all connections and MCP servers. */
const keychainAccounts = (store: Store): string[] => [
  ...store.profiles.all().flatMap(({ id, keyKept }) => (keyKept === 'keychain' ? [id] : [])),
  ...store.mcpServers
    .list()
    .flatMap(({ id, transport }) => [
      ...secretAccounts(id, transport),
      ...(store.mcpServers.oauthIssuer(id) === null ? [] : grantAccounts(id)),
    ]),
]

/** Backup, restore and deletion of the folder that this core runs in. */
export function composeData({ host, opening, transfers, store, settings }: DataDependencies): DataFeature {
  return createData({
    dataDir: host.dataDir,
    version: host.version,
    transfers,
    problem: opening.problem,
    secrets: host.secrets,
    accounts: () => keychainAccounts(store),
    feed: (read) => new StateFeed<DataState>({ everyMs: 200, read, observe: () => () => undefined }),
    settings: () => settings.value,
    log: host.log,
  })
}
