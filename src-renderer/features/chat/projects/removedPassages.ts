import * as z from 'zod'
import { create } from 'zustand'
import { maxRemovedPassages, type PassagePlace, passagePlace } from '../../../../src-preload/contract/projects.ts'
import { localStore } from '../../../shared/storage.ts'

/** Passages that the person removed from the message in the composer, by chat id, or `newChat`. Read with `removedPassages`. */
export const useRemovedPassages = create<{ byDraft: Readonly<Record<string, readonly PassagePlace[]>> }>(() => ({
  byDraft: {},
}))

const storageKey = (draft: string): string => `chat.removedPassages.${draft}`
const storedList = z.array(passagePlace).max(maxRemovedPassages)

/** The passages that were removed from a draft. They stay removed while its text changes, and after a reload. */
export function removedPassages(draft: string): readonly PassagePlace[] {
  const known = useRemovedPassages.getState().byDraft[draft]
  if (known) return known
  const stored = storedList.safeParse(localStore.getJson(storageKey(draft)))
  const list = stored.success ? stored.data : []
  useRemovedPassages.setState(({ byDraft }) => ({ byDraft: { ...byDraft, [draft]: list } }))
  return list
}

export function addRemovedPassage(draft: string, { mediaId, part, start }: PassagePlace): void {
  change(draft, [...removedPassages(draft), { mediaId, part, start }].slice(-maxRemovedPassages))
}

/** Restores all passages of a draft. Call it also when the message was sent. */
export function forgetRemovedPassages(draft: string): void {
  if (removedPassages(draft).length > 0) change(draft, [])
}

function change(draft: string, list: readonly PassagePlace[]): void {
  useRemovedPassages.setState(({ byDraft }) => ({ byDraft: { ...byDraft, [draft]: list } }))
  if (list.length === 0) localStore.remove(storageKey(draft))
  else localStore.setJson(storageKey(draft), list)
}
