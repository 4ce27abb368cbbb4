import { appStore } from '../../stores/app.ts'
import { isComposing } from '../isComposing.ts'
import { closeDrawers } from '../listRegion.ts'
import { isMac } from '../ui/platform.ts'
import { bindings, type Shortcuts } from './bindings.ts'
import { keysOfPress, worksInFields } from './keys.ts'
import { type Command, commandStore, isPossible } from './registry.ts'

const none: Shortcuts = {}
let made: { commands: unknown; shortcuts: Shortcuts; keys: Map<string, string[]> } | null = null

/** The current bindings, computed again only when a command or a setting changes. */
function current(): Map<string, string[]> {
  const { commands } = commandStore.getState()
  const shortcuts = appStore.getState().app?.settings.shortcuts ?? none
  if (made?.commands !== commands || made.shortcuts !== shortcuts) {
    made = { commands, shortcuts, keys: bindings(commands, shortcuts) }
  }
  return made.keys
}

/** The only place where key presses run commands. Code that handles a press itself calls `preventDefault`. */
export function followKeys(signal: AbortSignal): void {
  addEventListener(
    'keydown',
    (event) => {
      const command = commandFor(event)
      if (!command) return
      event.preventDefault()
      // While the keys are held, the browser must not run its own command, such as Print, on top.
      if (!event.repeat) runOutsideDrawers(command.run, command.keepsDrawers)
    },
    { signal },
  )
}

function commandFor(event: KeyboardEvent): Command | null {
  if (event.defaultPrevented || isComposing(event)) return null
  const keys = keysOfPress(event, isMac)
  if (keys === null || (writes(event.target) && !worksInFields(keys))) return null
  const { commands } = commandStore.getState()
  const meant = (current().get(keys) ?? []).flatMap((id) => commands.get(id) ?? [])
  const command = meant.find(isPossible)
  if (!command) return null
  if (command.inDialogs || !document.querySelector('dialog[open]')) return command
  // Shortcuts do nothing behind a question. Escape closes a drawer and does nothing else.
  return document.querySelector('dialog[open]:not([data-drawer])') || keys === 'Escape' ? null : command
}

/** Runs an action. Closes open drawers first, because they make the stage inert, and returns the focus from them. */
export function runOutsideDrawers(run: () => void, keepsDrawers = false): void {
  if (keepsDrawers || !document.querySelector('dialog[data-drawer][open]')) {
    run()
    return
  }
  closeDrawers()
  setTimeout(run)
}

/** Whether letters are text there: in fields, and in menus, which are searched by typing. */
function writes(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, [role="menu"], [role="listbox"]') !== null)
  )
}
