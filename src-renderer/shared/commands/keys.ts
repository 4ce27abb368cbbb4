/**
 * Keys as text, for example `Mod+Shift+F`: modifiers in the order Mod, Ctrl, Alt, Shift, then the key. Mod is Cmd on a Mac and Ctrl
 * elsewhere. Ctrl means only a Mac's control key. Letters, digits and F keys include Shift. Other characters are named by the character
 * itself, so that `?` is `?` on every keyboard layout.
 */
export type Press = Pick<KeyboardEvent, 'key' | 'code' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'> & {
  getModifierState?: (key: string) => boolean
}

const modifierKeys = new Set([
  'Control',
  'Shift',
  'Alt',
  'Meta',
  'AltGraph',
  'CapsLock',
  'Fn',
  'NumLock',
  'Dead',
  'Process',
])

/** The characters of a US keyboard, for keys that produce another character with a modifier. */
const onTheKey: Record<string, string> = {
  Comma: ',',
  Period: '.',
  Slash: '/',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  BracketLeft: '[',
  BracketRight: ']',
  Minus: '-',
  Equal: '=',
  Backquote: '`',
}

/** The text of a key press. Null for a modifier alone, for AltGr (which types characters), and for unknown keys. */
export function keysOfPress(press: Press, mac: boolean): string | null {
  if (modifierKeys.has(press.key) || press.getModifierState?.('AltGraph')) return null
  const named = nameOf(press)
  if (named === null) return null
  const { key, carriesShift } = named
  const mod = mac ? press.metaKey : press.ctrlKey
  // The Windows key belongs to the system.
  if (!mac && press.metaKey) return null
  const parts = [
    mod && 'Mod',
    mac && press.ctrlKey && 'Ctrl',
    press.altKey && 'Alt',
    press.shiftKey && (carriesShift || press.altKey) && 'Shift',
    key,
  ]
  return parts.filter(Boolean).join('+')
}

function nameOf({ key, code, altKey }: Press): { key: string; carriesShift: boolean } | null {
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(code)?.[1]
  if (digit !== undefined) return { key: digit, carriesShift: true }
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  // On a Mac, Alt changes the character of a letter key, and other scripts have no Latin letters. The physical key decides then.
  if (letter !== undefined && (altKey || !/^[a-z]$/i.test(key))) return { key: letter, carriesShift: true }
  if (/^[a-z]$/i.test(key)) return { key: key.toUpperCase(), carriesShift: true }
  if (altKey && onTheKey[code] !== undefined) return { key: onTheKey[code], carriesShift: true }
  if (key === ' ') return { key: 'Space', carriesShift: true }
  if (key === '+') return { key: 'Plus', carriesShift: false }
  if (key.length > 1) return { key, carriesShift: true }
  return key.length === 1 ? { key, carriesShift: false } : null
}

/** `Alt+Shift+K` for `Mod+K`, because browsers reserve some Mod combinations such as Mod+N. Null when there is no replacement. */
export function spareOf(keys: string): string | null {
  const single = /^Mod\+([^+]+)$/.exec(keys)?.[1]
  return single === undefined ? null : `Alt+Shift+${single}`
}

const macSigns: Record<string, string> = {
  Mod: '⌘',
  Ctrl: '⌃',
  Alt: '⌥',
  Shift: '⇧',
}
const signs: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Delete: 'Del',
  Plus: '+',
  Enter: '↵',
}

/** Formats keys in the style of the platform: `⇧⌘F` or `Ctrl+Shift+F`. */
export function showKeys(keys: string, mac: boolean): string {
  const parts = keys.split('+').map((part) => part || '+')
  const last = parts.at(-1) ?? ''
  const key = signs[last] ?? last
  const mods = parts.slice(0, -1)
  if (!mac) return [...mods.map((mod) => (mod === 'Mod' ? 'Ctrl' : mod)), key].join('+')
  const order = ['Ctrl', 'Alt', 'Shift', 'Mod']
  return [...order.filter((mod) => mods.includes(mod)).map((mod) => macSigns[mod] ?? mod), key].join('')
}

/** Combinations that edit text or that every program uses. They cannot be reassigned. */
const kept = new Set([
  'Mod+C',
  'Mod+V',
  'Mod+X',
  'Mod+A',
  'Mod+Z',
  'Mod+Shift+Z',
  'Mod+Y',
  'Tab',
  'Shift+Tab',
  'Enter',
  'Space',
])
/** Whether the combination is reserved for typing and editing, so that no shortcut can use it. */
export const isKept = (keys: string): boolean =>
  kept.has(keys) || /^(Shift\+)?([A-Z0-9]|Backspace|Delete|Arrow\w+)$/.test(keys)

/** Whether the combination works while a person types: it has a modifier, or is Escape or an F key. */
export const worksInFields = (keys: string): boolean =>
  /^(Mod|Ctrl|Alt)\+/.test(keys) || /^(Shift\+)?(Escape|F\d+)$/.test(keys)
