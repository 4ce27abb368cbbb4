import { navigate } from '../navigation.ts'
import { appStore } from '../stores/app.ts'
import { rooms } from '../stores/route.ts'
import { isMac } from '../ui/platform.ts'

type Press = Pick<KeyboardEvent, 'key' | 'code' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'>
export type Command = { go: (typeof rooms)[number] } | 'settings' | 'new_chat' | 'inspector'

/**
 * The command of a key press, or null. Mod is Cmd on a Mac and Ctrl elsewhere. Alt+Shift does the same: a browser keeps some Mod
 * combinations, such as Mod+N, for itself.
 */
export function commandOf(press: Press, mac: boolean): Command | null {
  const mod =
    (mac ? press.metaKey && !press.ctrlKey : press.ctrlKey && !press.metaKey) && !press.altKey && !press.shiftKey
  const spare = press.altKey && press.shiftKey && !press.ctrlKey && !press.metaKey
  if (!mod && !spare) return null
  const room = rooms[Number(/^Digit([1-8])$/.exec(press.code)?.[1]) - 1]
  if (room) return { go: room }
  if (press.key === ',' || (spare && press.code === 'Comma')) return 'settings'
  if (press.key === '.' || (spare && press.code === 'Period')) return 'inspector'
  if (press.key.toLowerCase() === 'n' || (spare && press.code === 'KeyN')) return 'new_chat'
  return null
}

export function followShortcuts(signal: AbortSignal): void {
  addEventListener(
    'keydown',
    (event) => {
      if (event.defaultPrevented || event.repeat) return
      const command = commandOf(event, isMac)
      // Behind a modal dialog the window does nothing.
      if (!command || document.querySelector('dialog[open]')) return
      event.preventDefault()
      if (command === 'settings') navigate({ room: 'settings', id: null })
      else if (command === 'new_chat') navigate({ room: 'chat', id: null })
      else if (command === 'inspector') appStore.setState(({ inspectorShown }) => ({ inspectorShown: !inspectorShown }))
      else navigate({ room: command.go, id: null })
    },
    { signal },
  )
}
