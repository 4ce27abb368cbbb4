import type { GlobalShortcut } from 'electron'
import type { DesktopState } from '../../../src-preload/contract/desktop.ts'

type ShortcutState = DesktopState['shortcut']

/** Electron's names of keys that have another name in the page. */
const keyNames: Record<string, string> = {
  ...{ ArrowUp: 'Up', ArrowDown: 'Down', ArrowLeft: 'Left', ArrowRight: 'Right', Enter: 'Return', Escape: 'Escape' },
  ...{ Mod: 'CommandOrControl', Ctrl: 'Control' },
}
const namedKey = /^(Space|Plus|Tab|Backspace|Delete|Insert|Home|End|PageUp|PageDown|F([1-9]|1\d|2[0-4]))$/

/**
 * The accelerator of a combination such as `Alt+Shift+Space`, or null for one that would take a key of normal writing from every program:
 * it needs Mod, Ctrl or Alt, or is an F key.
 */
export function acceleratorOf(keys: string): string | null {
  const parts = keys.split('+')
  const key = parts.at(-1) ?? ''
  const modifiers = parts.slice(0, -1)
  const isKnown = namedKey.test(key) || key in keyNames || /^[A-Z0-9]$/.test(key) || /^[!-*,-/:-@[-`{-~]$/.test(key)
  if (!isKnown || modifiers.some((one) => !['Mod', 'Ctrl', 'Alt', 'Shift'].includes(one))) return null
  if (new Set(modifiers).size !== modifiers.length || key === 'Mod' || key === 'Ctrl') return null
  if (!modifiers.some((one) => one !== 'Shift') && !/^F\d/.test(key)) return null
  return parts.map((part) => keyNames[part] ?? part).join('+')
}

/** The global shortcut of the quick prompt: registered at most once, and again when the setting changes. */
export class QuickShortcut {
  readonly #registrar: Pick<GlobalShortcut, 'register' | 'unregister'>
  readonly #pressed: () => void
  #accelerator: string | null = null
  #state: ShortcutState = { keys: '', state: 'off' }

  constructor(registrar: Pick<GlobalShortcut, 'register' | 'unregister'>, pressed: () => void) {
    this.#registrar = registrar
    this.#pressed = pressed
  }

  get state(): ShortcutState {
    return this.#state
  }

  /**
   * Registers a combination in place of the last one. An empty one removes it. A combination that was taken is tried again, because the
   * other program may have ended.
   */
  apply(keys: string): void {
    if (keys === this.#state.keys && this.#state.state === 'active') return
    this.close()
    this.#state = { keys, state: keys === '' ? 'off' : this.#register(keys) }
  }

  close(): void {
    if (this.#accelerator !== null) this.#registrar.unregister(this.#accelerator)
    this.#accelerator = null
  }

  #register(keys: string): ShortcutState['state'] {
    const accelerator = acceleratorOf(keys)
    if (accelerator === null) return 'invalid'
    try {
      if (!this.#registrar.register(accelerator, this.#pressed)) return 'taken'
    } catch {
      return 'invalid' // Electron does not know the key
    }
    this.#accelerator = accelerator
    return 'active'
  }
}
