import { useStore } from 'zustand'
import { useApp } from '../../stores/app.ts'
import { isMac } from '../ui/platform.ts'
import { keysOf, type Shortcuts } from './bindings.ts'
import { showKeys } from './keys.ts'
import { commandStore } from './registry.ts'

const none: Shortcuts = {}

/** The person's own shortcuts, by command id. */
export const useShortcuts = (): Shortcuts => useApp(({ app }) => app?.settings.shortcuts ?? none)

/** The displayed shortcut of a command, for example `Ctrl+K`. Empty when there is none. */
export function useKeysOf(id: string): string {
  const shortcuts = useShortcuts()
  const command = useStore(commandStore, ({ commands }) => commands.get(id))
  const [keys] = command ? keysOf(command, shortcuts) : []
  return keys === undefined ? '' : showKeys(keys, isMac)
}
