import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { appStore, useApp } from '../stores/app.ts'
import { shortcut } from './ui/platform.ts'

/** Whether a key press in a field of several lines sends it, as chosen in Settings. Never while an input method composes text. */
export function isSendKey(event: KeyboardEvent): boolean {
  const { key, keyCode, shiftKey, altKey, ctrlKey, metaKey, nativeEvent } = event
  // 229: the key that ends a composition in Safari and some input methods, where isComposing is already false.
  if (key !== 'Enter' || shiftKey || altKey || nativeEvent.isComposing || keyCode === 229) return false
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
