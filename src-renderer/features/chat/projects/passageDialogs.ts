import { create } from 'zustand'
import type { Passage } from '../../../../src-preload/contract/projects.ts'

/** The open dialogs about passages: a list of them (`next`: those of the message in the composer), and above it one passage in its file. */
export const usePassageDialogs = create<{ list: readonly Passage[] | 'next' | null; one: Passage | null }>(() => ({
  list: null,
  one: null,
}))

/** Name of the file and place, such as `report.pdf, Page 3`. */
export const sourceOf = ({ name, label }: Pick<Passage, 'name' | 'label'>): string =>
  label === '' ? name : `${name}, ${label}`
