import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron'
import { externalAddress } from './address.ts'
import { system } from './menu.ts'
import { t } from './words.ts'

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
  const none: MenuItemConstructorOptions = { label: t('desktop:context.noSuggestions'), enabled: false }
  const learn: MenuItemConstructorOptions = {
    label: t('desktop:context.learn'),
    click: () => actions.learnWord(misspelledWord),
  }
  return [...(suggestions.length > 0 ? suggestions : [none]), learn]
}

function link({ linkURL }: Clicked, actions: ContextActions): MenuItemConstructorOptions[] {
  const url = externalAddress(linkURL)
  if (url === null) return []
  return [
    { label: t('desktop:context.openLink'), click: () => actions.openLink(url) },
    { label: t('desktop:context.copyLink'), click: () => actions.copyText(url) },
  ]
}

function image({ mediaType, srcURL }: Clicked, actions: ContextActions): MenuItemConstructorOptions[] {
  if (mediaType !== 'image' || srcURL === '') return []
  return [
    { label: t('desktop:context.copyImage'), click: () => actions.copyImage() },
    { label: t('desktop:context.saveImage'), click: () => actions.saveImage(srcURL) },
  ]
}

function editing({ isEditable, selectionText, editFlags }: Clicked): MenuItemConstructorOptions[] {
  if (isEditable) {
    return [
      { ...system('undo'), enabled: editFlags.canUndo },
      { ...system('redo'), enabled: editFlags.canRedo },
      { type: 'separator' },
      { ...system('cut'), enabled: editFlags.canCut },
      { ...system('copy'), enabled: editFlags.canCopy },
      { ...system('paste'), enabled: editFlags.canPaste },
      { ...system('selectAll'), enabled: editFlags.canSelectAll },
    ]
  }
  return selectionText.trim() === '' ? [] : [{ ...system('copy'), enabled: editFlags.canCopy }]
}
