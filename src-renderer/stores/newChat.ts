import { create } from 'zustand'
import type { Settings } from '../../src-preload/contract/app.ts'
import type { Folder } from '../../src-preload/contract/library.ts'

/** The folder that the next new chat goes to. Null: none. */
export const useNewChat = create<{ folderId: string | null }>(() => ({ folderId: null }))

/** The source of a default value of a new chat. */
export type DefaultSource = { from: 'folder'; name: string } | { from: 'settings' }

/** The initial value of a setting in a new chat. Null: no default is set. */
export type Default = { value: string; source: DefaultSource } | null

/** The defaults of new chats in a folder: the folder's defaults, otherwise those of the settings. */
export function defaultsIn(
  folder: Folder | null | undefined,
  settings: Pick<Settings, 'newChatModel' | 'newChatInstructions'> | undefined,
): { model: Default; instructions: Default } {
  const of = (own: string | null | undefined, general: string | null | undefined): Default => {
    if (own && folder) return { value: own, source: { from: 'folder', name: folder.name } }
    return general ? { value: general, source: { from: 'settings' } } : null
  }
  return {
    model: of(folder?.model, settings?.newChatModel),
    instructions: of(folder?.instructions, settings?.newChatInstructions),
  }
}
