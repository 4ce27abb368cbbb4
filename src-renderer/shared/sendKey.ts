import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { appStore, useApp } from '../stores/app.ts'
import { isComposing } from './isComposing.ts'
import { shortcut } from './ui/platform.ts'

/** Whether a key press in a field of several lines sends it, as chosen in Settings. Never while an input method composes text. */
export function isSendKey(event: KeyboardEvent): boolean {
  const { key, shiftKey, altKey, ctrlKey, metaKey } = event
  if (key !== 'Enter' || shiftKey || altKey || isComposing(event)) return false
  return appStore.getState().app?.settings.sendKey === 'mod-enter' ? ctrlKey || metaKey : true
}

/** The display name of the key that sends, and the hint below a composer. `verb`: the action of the key. */
export function useSendKey(): { keys: string; hint: (verb: 'send' | 'generate') => string } {
  const { t } = useTranslation('common')
  const needsMod = useApp(({ app }) => app?.settings.sendKey === 'mod-enter')
  const keys = needsMod ? shortcut('Enter') : 'Enter'
  const newLine = needsMod ? 'Enter' : 'Shift+Enter'
  return { keys, hint: (verb) => t(`sendKey.${verb}`, { keys, newLine }) }
}
