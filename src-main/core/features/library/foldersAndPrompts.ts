import { randomUUID } from 'node:crypto'
import type { Preset } from '../../../../src-preload/contract/library.ts'
import { StudioError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'

/** Of each kind; a bound against a page gone wild, far from what a person keeps. */
const most = 1000

export type FoldersAndPrompts = ReturnType<typeof foldersAndPrompts>

/** Folders, prompts and presets: made without an id, changed with one. */
export function foldersAndPrompts(store: Pick<Store, 'folders' | 'prompts' | 'presets'>) {
  const { folders, prompts, presets } = store
  const now = (): string => new Date().toISOString()

  return {
    /** @throws StudioError `no_such_item`, `bad_input` beyond 1,000 */
    saveFolder({ id, name }: { id?: string | undefined; name: string }): { id: string } {
      if (id !== undefined) return { id: changed(folders.rename(id, name), id, 'folder') }
      feature(folders.count(), 'folders')
      const folder = { id: randomUUID(), name, createdAt: now() }
      folders.insert(folder)
      return { id: folder.id }
    },
    removeFolder: ({ id }: { id: string }): void => void changed(folders.remove(id), id, 'folder'),
    savePrompt({ id, ...input }: { id?: string | undefined; name: string; text: string }): { id: string } {
      const prompt = { ...input, id: id ?? randomUUID(), updatedAt: now() }
      if (id !== undefined) return { id: changed(prompts.save(prompt), id, 'prompt') }
      feature(prompts.count(), 'prompts')
      prompts.insert(prompt)
      return { id: prompt.id }
    },
    removePrompt: ({ id }: { id: string }): void => void changed(prompts.remove(id), id, 'prompt'),
    savePreset({ id, ...input }: { id?: string | undefined } & Omit<Preset, 'id' | 'updatedAt'>): { id: string } {
      const preset = { ...input, id: id ?? randomUUID(), updatedAt: now() }
      if (id !== undefined) return { id: changed(presets.save(preset), id, 'preset') }
      feature(presets.count(), 'presets')
      presets.insert(preset)
      return { id: preset.id }
    },
    removePreset: ({ id }: { id: string }): void => void changed(presets.remove(id), id, 'preset'),
  }
}

function changed(done: boolean, id: string, what: string): string {
  if (!done) throw new StudioError('no_such_item', `That ${what} does not exist any more.`)
  return id
}

function feature(count: number, what: string): void {
  if (count >= most) throw new StudioError('bad_input', `There are ${most} ${what} already, which is all there can be.`)
}
