import type { AppState, InstallationCheck } from '../../../src-preload/contract/app.ts'
import { StudioError } from '../errors.ts'
import { updateSettings } from '../features/settings/updateSettings.ts'
import type { Host } from '../host.ts'
import type { StateFeed } from '../shared/stateFeed.ts'
import type { StorageWatcher } from '../store/storageWatcher.ts'
import type { Store } from '../store/store.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

interface AppDependencies {
  /** The diagnostics report as plain text. */
  diagnostics(): string
  store: Store
  state: StateFeed<AppState>
  storage: StorageWatcher
  /** Called after new settings are stored. */
  settingsChanged(): void
}

/** Procedures about the program as a whole: its state, its settings, links to the web. */
export const appHandlers = (
  os: Implementer['app'],
  host: Host,
  { store, state, storage, settingsChanged, diagnostics }: AppDependencies,
) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, state.watch(signal))),
  checkStorage: os.checkStorage.handler(() => done(storage.check())),
  checkForUpdates: os.checkForUpdates.handler(() => done(checkForUpdates(host))),
  updateSettings: os.updateSettings.handler(({ input }) => {
    const settings = updateSettings(store, input)
    settingsChanged()
    return settings
  }),
  openExternal: os.openExternal.handler(({ input }) => openExternal(host, input)),
  diagnostics: os.diagnostics.handler(() => ({ report: diagnostics() })),
  checkInstallation: os.checkInstallation.handler(({ signal }) => guarded(host, checkInstallation(host, signal))),
})

/** Hosts whose check runs now. Two at once would wait for each other's processor time, and report failures that are none. */
const checking = new WeakSet<Host>()

/** @throws StudioError `bad_input`, `busy` */
async function* checkInstallation(
  host: Host,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<InstallationCheck, undefined, void> {
  if (!host.checkInstallation) throw new StudioError('bad_input', 'This program can’t check its installation.')
  if (checking.has(host))
    throw new StudioError('busy', 'A check of this installation is running, perhaps in another window.')
  checking.add(host)
  try {
    yield* host.checkInstallation(signal)
  } finally {
    checking.delete(host)
  }
}

/** @throws StudioError `bad_input` for a program without an update feed */
async function checkForUpdates({ updates }: Host): Promise<void> {
  if (!updates) throw new StudioError('bad_input', 'This program has no update feed.')
  await updates.check()
}

/**
 * Opens a web or mail address in the system's browser.
 * @throws StudioError `bad_input` for any other scheme and for an address with credentials
 */
async function openExternal(host: Host, { url }: { url: string }): Promise<{ opened: boolean }> {
  const address = URL.canParse(url) ? new URL(url) : null
  const isOpenable = address && ['http:', 'https:', 'mailto:'].includes(address.protocol)
  if (!isOpenable || address.username !== '' || address.password !== '') {
    throw new StudioError('bad_input', 'Only web and mail addresses without credentials can be opened.')
  }
  await host.openExternal(address.href)
  return { opened: true }
}
