import type { Preset } from '../../../../src-preload/contract/library.ts'
import { i18n } from '../../../i18n/index.ts'
import { libraryStore, useLibrary } from '../../../stores/library.ts'
import { attempt } from '../client.ts'
import { offerUndo } from './undo.tsx'

/** Presets, by name. */
export const usePresets = (): readonly Preset[] => useLibrary((store) => store.presets)

/** Saves a preset. With `id` it replaces that one. Returns its id, or null when the core refused. */
export async function savePreset(preset: Omit<Preset, 'id' | 'updatedAt'> & { id?: string }): Promise<string | null> {
  const saved = await attempt((client) => client.library.savePreset(preset))
  return saved?.id ?? null
}

/** Deletes a preset, with undo. */
export async function removePreset(id: string): Promise<void> {
  const preset = libraryStore.getState().presets.find((one) => one.id === id)
  const done = await attempt((client) => client.library.removePreset({ id }))
  if (!done || !preset) return
  const { name, model, instructions, params } = preset
  offerUndo(i18n.t('library:presetRemoved', { name }), () => void savePreset({ name, model, instructions, params }))
}
