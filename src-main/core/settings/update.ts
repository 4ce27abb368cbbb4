import type { Settings } from '../../../src-preload/contract/app.ts'
import type { Store } from '../store/store.ts'

type Changes = { [K in keyof Settings]?: Settings[K] | undefined }

/** Writes what is given and answers all settings. */
export function updateSettings({ settings }: Store, changes: Changes): Settings {
  settings.write(changes)
  return settings.read()
}
