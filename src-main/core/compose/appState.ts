import type { AppState } from '../../../src-preload/contract/app.ts'
import { savedProfiles } from '../features/connections/profiles.ts'
import type { Session } from '../features/connections/session.ts'
import type { LocalV1 } from '../gateway/proxy/localV1.ts'
import type { RequestScheduler } from '../gateway/scheduler/requestScheduler.ts'
import type { Host } from '../host.ts'
import { StateFeed } from '../shared/stateFeed.ts'
import { inBackground } from '../shared/unexpected.ts'
import type { StorageWatcher } from '../store/storageWatcher.ts'
import { type ComposedAccount, placeOf } from './account.ts'
import type { OpenData } from './data.ts'

export interface AppStateDependencies extends Pick<OpenData, 'settings' | 'apps'> {
  host: Host
  session: Session
  scheduler: RequestScheduler
  account: Pick<ComposedAccount, 'usage' | 'bucket'>
  proxy: LocalV1
  storage: StorageWatcher
}

/** The state that every window shows: connection, profiles, keychain, local API, rate limit and settings. */
export interface ComposedAppState {
  state: StateFeed<AppState>
  /** Asks the host whether its keychain is available now. */
  probeKeychain(): Promise<void>
}

export function composeAppState(dependencies: AppStateDependencies): ComposedAppState {
  const { host, settings, apps, session, scheduler, account, proxy, storage } = dependencies
  const { usage, bucket } = account
  let keychain: AppState['keychain'] = { available: false, reason: 'It has not answered yet.' }
  const state = new StateFeed<AppState>({
    everyMs: 50,
    read: () => ({
      host: host.name,
      version: host.version,
      dataDir: host.dataDir,
      connection: session.connection,
      profiles: savedProfiles(session, (profile) => usage.accountOf(placeOf(profile))),
      keychain,
      proxy: { ...proxy.status(), apps: apps.count() },
      bucket: bucket.value,
      storage: storage.problem,
      updates: host.updates?.state() ?? null,
      settings: settings.value,
    }),
    observe: (changed) => {
      const stops = [apps.observe(changed), bucket.watch(), scheduler.changes.add(changed)]
      if (host.updates) stops.push(host.updates.observe(changed))
      return () => {
        for (const stop of stops) stop()
      }
    },
  })
  const probeKeychain = async (): Promise<void> => {
    const { keyFile } = host.secrets
    keychain = { ...(await host.secrets.probe()), ...(keyFile && { keyFile }) }
    state.changed()
  }
  session.changes.add(state.changed)
  bucket.changes.add(state.changed)
  session.rechecks.add(() => inBackground('The keychain could not be probed', probeKeychain()))
  return { state, probeKeychain }
}
