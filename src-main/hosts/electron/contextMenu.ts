import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron'
import { externalAddress } from './address.ts'

/** The facts of a right click that the menu uses. */
export type Clicked = Pick<
  ContextMenuParams,
  | 'isEditable'
  | 'selectionText'
  | 'linkURL'
  | 'mediaType'
  | 'srcURL'
  | 'misspelledWord'
  | 'dictionarySuggestions'
  | 'editFlags'
>

/** What the entries do that have no role. */
export interface ContextActions {
  replaceMisspelling(word: string): void
  learnWord(word: string): void
  openLink(url: string): void
  copyText(text: string): void
  copyImage(): void
  saveImage(url: string): void
}

/** Most spelling suggestions. */
const maxSuggestions = 5

/** The menu of a right click. Empty when nothing can be done there. */
export function contextMenu(clicked: Clicked, actions: ContextActions): MenuItemConstructorOptions[] {
  const groups = [spelling(clicked, actions), link(clicked, actions), image(clicked, actions), editing(clicked)]
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, at): MenuItemConstructorOptions[] => (at === 0 ? group : [{ type: 'separator' }, ...group]))
}

function spelling({ misspelledWord, dictionarySuggestions, isEditable }: Clicked, actions: ContextActions) {
  if (!isEditable || misspelledWord === '') return []
  const suggestions: MenuItemConstructorOptions[] = dictionarySuggestions
    .slice(0, maxSuggestions)
    .map((word) => ({ label: word, click: () => actions.replaceMisspelling(word) }))
  const none: MenuItemConstructorOptions = { label: 'No suggestions', enabled: false }
  const learn: MenuItemConstructorOptions = {
    label: 'Add to dictionary',
    click: () => actions.learnWord(misspelledWord),
  }
  return [...(suggestions.length > 0 ? suggestions : [none]), learn]
}

function link({ linkURL }: Clicked, actions: ContextActions): MenuItemConstructorOptions[] {
  const url = externalAddress(linkURL)
  if (url === null) return []
  return [
    { label: 'Open link in browser', click: () => actions.openLink(url) },
    { label: 'Copy link', click: () => actions.copyText(url) },
  ]
}

function image({ mediaType, srcURL }: Clicked, actions: ContextActions): MenuItemConstructorOptions[] {
  if (mediaType !== 'image' || srcURL === '') return []
  return [
    { label: 'Copy image', click: () => actions.copyImage() },
    { label: 'Save image…', click: () => actions.saveImage(srcURL) },
  ]
}

function editing({ isEditable, selectionText, editFlags }: Clicked): MenuItemConstructorOptions[] {
  if (isEditable) {
    return [
      { role: 'undo', enabled: editFlags.canUndo },
      { role: 'redo', enabled: editFlags.canRedo },
      { type: 'separator' },
      { role: 'cut', enabled: editFlags.canCut },
      { role: 'copy', enabled: editFlags.canCopy },
      { role: 'paste', enabled: editFlags.canPaste },
      { role: 'selectAll', enabled: editFlags.canSelectAll },
    ]
  }
  return selectionText.trim() === '' ? [] : [{ role: 'copy', enabled: editFlags.canCopy }]
}
