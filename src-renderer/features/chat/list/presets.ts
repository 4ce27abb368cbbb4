import type { Preset } from '../../../../src-preload/contract/library.ts'
import { i18n } from '../../../i18n/index.ts'
import { libraryStore, useLibrary } from '../../../stores/library.ts'
import { attempt } from '../client.ts'
import { offerUndo } from './undo.tsx'

/** Parameters under a name, by name. */
export const usePresets = (): readonly Preset[] => useLibrary((store) => store.presets)

/** Keeps a preset; with `id` it takes the place of that one (rename, save over). Answers its id, or null where the core refused. */
export async function savePreset(preset: Omit<Preset, 'id' | 'updatedAt'> & { id?: string }): Promise<string | null> {
  const saved = await attempt((client) => client.library.savePreset(preset))
  return saved?.id ?? null
}

/** Deletes it, and offers the way back. */
export async function removePreset(id: string): Promise<void> {
  const preset = libraryStore.getState().presets.find((one) => one.id === id)
  const done = await attempt((client) => client.library.removePreset({ id }))
  if (!done || !preset) return
  const { name, model, instructions, params } = preset
  offerUndo(i18n.t('library:presetRemoved', { name }), () => void savePreset({ name, model, instructions, params }))
}
