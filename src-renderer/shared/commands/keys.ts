/**
 * Keys as text, such as `Mod+Shift+F`: modifiers in the order Mod, Ctrl, Alt, Shift, then the key. Mod is Cmd on a Mac and Ctrl elsewhere;
 * Ctrl is a Mac's control key alone. Letters, digits and F keys carry Shift; other characters are named by what they write, so that `?` is
 * `?` on every keyboard, however it is typed there.
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

/** What stands on a key of the usual board where a modifier writes something else there. */
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

/** The text of a press; null for a modifier alone, for AltGr (which writes), and for what can't be told. */
export function keysOfPress(press: Press, mac: boolean): string | null {
  if (modifierKeys.has(press.key) || press.getModifierState?.('AltGraph')) return null
  const named = nameOf(press)
  if (named === null) return null
  const { key, carriesShift } = named
  const mod = mac ? press.metaKey : press.ctrlKey
  // Windows' and Linux's own key belongs to the system.
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
  // With Alt a letter writes something else (on a Mac), and other scripts have no Latin letter: then the place on the board counts.
  if (letter !== undefined && (altKey || !/^[a-z]$/i.test(key))) return { key: letter, carriesShift: true }
  if (/^[a-z]$/i.test(key)) return { key: key.toUpperCase(), carriesShift: true }
  if (altKey && onTheKey[code] !== undefined) return { key: onTheKey[code], carriesShift: true }
  if (key === ' ') return { key: 'Space', carriesShift: true }
  if (key === '+') return { key: 'Plus', carriesShift: false }
  if (key.length > 1) return { key, carriesShift: true }
  return key.length === 1 ? { key, carriesShift: false } : null
}

/** `Alt+Shift+K` for `Mod+K`: a browser keeps some Mod combinations, such as Mod+N, for itself. Null where there is no such thing. */
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

/** As this machine's people write it: `⇧⌘F` or `Ctrl+Shift+F`. */
export function showKeys(keys: string, mac: boolean): string {
  const parts = keys.split('+').map((part) => part || '+')
  const last = parts.at(-1) ?? ''
  const key = signs[last] ?? last
  const mods = parts.slice(0, -1)
  if (!mac) return [...mods.map((mod) => (mod === 'Mod' ? 'Ctrl' : mod)), key].join('+')
  const order = ['Ctrl', 'Alt', 'Shift', 'Mod']
  return [...order.filter((mod) => mods.includes(mod)).map((mod) => macSigns[mod] ?? mod), key].join('')
}

/** Keys that edit text or belong to every program; nobody wants them to do something else. */
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
export const isKept = (keys: string): boolean =>
  kept.has(keys) || /^(Shift\+)?([A-Z0-9]|Backspace|Delete|Arrow\w+)$/.test(keys)

/** Has a modifier or is Esc or an F key, and so can be meant while a person writes. */
export const worksInFields = (keys: string): boolean =>
  /^(Mod|Ctrl|Alt)\+/.test(keys) || /^(Shift\+)?(Escape|F\d+)$/.test(keys)
