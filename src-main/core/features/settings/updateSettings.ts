import type { Settings } from '../../../../src-preload/contract/app.ts'
import { StudioError } from '../../errors.ts'
import { originToAllow } from '../../shared/origin.ts'
import type { Store } from '../../store/store.ts'

type Changes = { [K in keyof Settings]?: Settings[K] | undefined }

/** Stores the given settings and returns all settings. @throws StudioError `bad_input` for an invalid origin */
export function updateSettings({ settings }: Store, changes: Changes): Settings {
  const { proxyOrigins } = changes
  settings.write(proxyOrigins ? { ...changes, proxyOrigins: [...new Set(proxyOrigins.map(checkedOrigin))] } : changes)
  return settings.read()
}

function checkedOrigin(text: string): string {
  const origin = originToAllow(text)
  if (origin !== null) return origin
  throw new StudioError(
    'bad_input',
    `“${text.slice(0, 80)}” is not the origin of a page, such as http://localhost:3000.`,
  )
}
