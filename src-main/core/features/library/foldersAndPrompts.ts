import { randomUUID } from 'node:crypto'
import type { Preset } from '../../../../src-preload/contract/library.ts'
import { defaultWholeTokens } from '../../../../src-preload/contract/projects.ts'
import { StudioError } from '../../errors.ts'
import type { FolderChanges } from '../../store/folders.ts'
import type { Store } from '../../store/store.ts'

/** Maximum number of each kind, far above what a person creates. */
const maxItems = 1000

export type FoldersAndPrompts = ReturnType<typeof foldersAndPrompts>

/** Folders, prompts and presets. A `save` call without an id creates an item; with an id, it changes one. */
export function foldersAndPrompts(store: Pick<Store, 'folders' | 'prompts' | 'presets'>) {
  const { folders, prompts, presets } = store
  const now = (): string => new Date().toISOString()

  return {
    /** @throws StudioError `no_such_item`, `bad_input` if 1,000 exist already */
    saveFolder({ id, ...changes }: { id?: string | undefined } & FolderChanges): { id: string } {
      if (id !== undefined) return { id: mustExist(folders.update(id, changes), id, 'folder') }
      checkCount(folders.count(), 'folders')
      const { name, model = null, instructions = null, params = null, wholeTokens = defaultWholeTokens } = changes
      const folder = { id: randomUUID(), name, model, instructions, params, wholeTokens, createdAt: now() }
      folders.insert(folder)
      return { id: folder.id }
    },
    removeFolder: ({ id }: { id: string }): void => void mustExist(folders.remove(id), id, 'folder'),
    savePrompt({ id, ...input }: { id?: string | undefined; name: string; text: string }): { id: string } {
      return saveItem(prompts, { ...input, id: id ?? randomUUID(), updatedAt: now() }, id !== undefined, 'prompt')
    },
    removePrompt: ({ id }: { id: string }): void => void mustExist(prompts.remove(id), id, 'prompt'),
    savePreset({ id, ...input }: { id?: string | undefined } & Omit<Preset, 'id' | 'updatedAt'>): { id: string } {
      return saveItem(presets, { ...input, id: id ?? randomUUID(), updatedAt: now() }, id !== undefined, 'preset')
    },
    removePreset: ({ id }: { id: string }): void => void mustExist(presets.remove(id), id, 'preset'),
  }
}

interface ItemTable<Item> {
  /** False when the item does not exist. */
  save(item: Item): boolean
  insert(item: Item): void
  count(): number
}

function saveItem<Item extends { id: string }>(
  table: ItemTable<Item>,
  item: Item,
  exists: boolean,
  what: string,
): { id: string } {
  if (exists) mustExist(table.save(item), item.id, what)
  else {
    checkCount(table.count(), `${what}s`)
    table.insert(item)
  }
  return { id: item.id }
}

function mustExist(done: boolean, id: string, what: string): string {
  if (!done) throw new StudioError('no_such_item', `That ${what} does not exist any more.`)
  return id
}

function checkCount(count: number, what: string): void {
  if (count >= maxItems)
    throw new StudioError('bad_input', `There are ${maxItems} ${what} already, which is the maximum.`)
}
