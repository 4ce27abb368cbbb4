import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shellCommands } from '../../../../src-renderer/app/shell/shortcuts.ts'
import { i18n } from '../../../../src-renderer/i18n/index.ts'
import {
  bindings,
  holdersOf,
  keysOf,
  withKeys,
  withoutOwnKeys,
} from '../../../../src-renderer/shared/commands/bindings.ts'
import {
  isKept,
  keysOfPress,
  type Press,
  showKeys,
  worksInFields,
} from '../../../../src-renderer/shared/commands/keys.ts'
import { type Command, isPossible } from '../../../../src-renderer/shared/commands/registry.ts'
import { type PageName, pageNames, routeStore } from '../../../../src-renderer/stores/route.ts'

const none: Press = { key: '', code: '', metaKey: false, ctrlKey: false, altKey: false, shiftKey: false }
const press = (key: string, code: string, over: Partial<Press> = {}) => ({ ...none, key, code, ...over })
const command = (id: string, keys?: string): Command => ({
  id,
  title: id,
  group: 'view',
  run: () => undefined,
  ...(keys === undefined ? {} : { keys }),
})
const of = (...commands: Command[]) => new Map(commands.map((one) => [one.id, one]))

describe('a key press', () => {
  it('is named by its modifiers and its character, on every keyboard layout', () => {
    const cases: [string, Press, boolean, string | null][] = [
      ['Ctrl is Mod', press('k', 'KeyK', { ctrlKey: true }), false, 'Mod+K'],
      ['Cmd is Mod on a Mac', press('k', 'KeyK', { metaKey: true }), true, 'Mod+K'],
      ['Ctrl on a Mac is another key', press('k', 'KeyK', { ctrlKey: true }), true, 'Ctrl+K'],
      ['the system’s own key is not ours', press('k', 'KeyK', { metaKey: true }), false, null],
      ['letters carry Shift', press('F', 'KeyF', { ctrlKey: true, shiftKey: true }), false, 'Mod+Shift+F'],
      ['a letter is where its own board has it', press('a', 'KeyQ', { ctrlKey: true }), false, 'Mod+A'],
      ['other scripts go by the place', press('л', 'KeyK', { ctrlKey: true }), false, 'Mod+K'],
      ['a Mac’s Alt writes signs', press('˜', 'KeyN', { altKey: true, shiftKey: true }), true, 'Alt+Shift+N'],
      ['digits go by the place', press('&', 'Digit1', { ctrlKey: true }), false, 'Mod+1'],
      ['a question mark is one however it is typed', press('?', 'Slash', { shiftKey: true }), false, '?'],
      ['also on a German board', press('/', 'Digit7', { ctrlKey: true, shiftKey: true }), false, 'Mod+Shift+7'],
      [
        'AltGr writes',
        press('@', 'KeyQ', { ctrlKey: true, altKey: true, getModifierState: (key) => key === 'AltGraph' }),
        false,
        null,
      ],
      ['a modifier alone is nothing yet', press('Shift', 'ShiftLeft', { shiftKey: true }), false, null],
      ['Esc', press('Escape', 'Escape'), false, 'Escape'],
      ['F keys', press('F2', 'F2', { shiftKey: true }), false, 'Shift+F2'],
      ['plus is a word, since it joins', press('+', 'Equal', { ctrlKey: true, shiftKey: true }), false, 'Mod+Plus'],
    ]
    for (const [what, one, mac, keys] of cases) expect(keysOfPress(one, mac), what).toBe(keys)
  })
  it('is displayed as on this platform', () => {
    expect(showKeys('Mod+Shift+F', true)).toBe('⇧⌘F')
    expect(showKeys('Mod+Shift+F', false)).toBe('Ctrl+Shift+F')
    expect(showKeys('Escape', false)).toBe('Esc')
    expect(showKeys('?', true)).toBe('?')
  })
  it('runs a command while typing only with Mod, Alt, or as Escape or an F key', () => {
    for (const keys of ['Mod+K', 'Alt+Shift+N', 'Escape', 'F2']) expect(worksInFields(keys), keys).toBe(true)
    for (const keys of ['?', 'K', 'Shift+K', 'Enter', 'Delete']) expect(worksInFields(keys), keys).toBe(false)
  })
  it('that types or edits cannot become a shortcut', () => {
    for (const keys of ['A', 'Shift+A', '7', 'Mod+C', 'Mod+V', 'Enter', 'Tab', 'Backspace', 'ArrowDown'])
      expect(isKept(keys), keys).toBe(true)
    for (const keys of ['Mod+K', '?', 'Alt+A', 'F5', 'Mod+Backspace']) expect(isKept(keys), keys).toBe(false)
  })
})

describe('a shortcut', () => {
  const find = command('find', 'Mod+F')
  const help = command('help', 'Mod+/ ?')
  const bare = command('bare')
  const all = of(find, help, bare)

  it('runs the command that has it as a default, each of several', () => {
    const keys = bindings(all, {})
    expect([keys.get('Mod+F'), keys.get('Mod+/'), keys.get('?')]).toEqual([['find'], ['help'], ['help']])
  })
  it("prefers the person's own choice", () => {
    const keys = bindings(all, { bare: 'Mod+F', help: '' })
    expect([keys.get('Mod+F'), keys.get('Mod+/'), keys.get('?')]).toEqual([['bare', 'find'], undefined, undefined])
  })
  it('works with Alt+Shift instead of Mod, after commands that have that combination', () => {
    expect(bindings(all, {}).get('Alt+Shift+F')).toEqual(['find'])
    expect(bindings(all, { bare: 'Alt+Shift+F' }).get('Alt+Shift+F')).toEqual(['bare', 'find'])
  })
  it('can belong to several commands of which one is available, and pages do not conflict', () => {
    const onPage = (id: string, page: PageName) => ({ ...command(id, 'Escape'), page })
    const [stop, cancel, close] = [onPage('stop', 'chat'), onPage('cancel', 'images'), command('close', 'Escape')]
    expect(bindings(of(stop, cancel), {}).get('Escape')).toEqual(['cancel', 'stop'])
    expect(holdersOf('Escape', stop, of(stop, cancel), {})).toEqual([])
    expect(holdersOf('Escape', stop, of(stop, cancel, close), {})).toEqual([close])
    expect(withKeys(stop, 'F4', of(stop, cancel), {})).toEqual({ stop: 'F4' })
    routeStore.setState({ route: { page: 'images', id: null } })
    expect([stop, cancel, close].map(isPossible)).toEqual([false, true, true])
  })
  it('moves to another command, which removes only this one from the first', () => {
    const after = withKeys(find, 'Mod+/', all, {})
    expect(after).toEqual({ find: 'Mod+/', help: '?' })
    expect(holdersOf('Mod+/', find, all, after)).toEqual([])
  })
  it('resets for one command, without duplicates', () => {
    const taken = withKeys(bare, 'Mod+F', all, {})
    expect(taken).toEqual({ find: '', bare: 'Mod+F' })
    const back = withoutOwnKeys(find, all, taken)
    expect(keysOf(find, back)).toEqual(['Mod+F'])
    expect(keysOf(bare, back)).toEqual([])
  })
  it('never belongs to two conflicting commands, however they are changed', () => {
    const commands = [find, help, bare]
    const step = fc.record({
      which: fc.constantFrom(...commands),
      keys: fc.constantFrom('', 'Mod+F', 'Mod+/', '?', 'Mod+J'),
      reset: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let shortcuts = {}
        for (const { which, keys, reset } of steps) {
          shortcuts = reset ? withoutOwnKeys(which, all, shortcuts) : withKeys(which, keys, all, shortcuts)
          if (!reset) expect(keysOf(which, shortcuts)).toEqual(keys === '' ? [] : [keys])
        }
        const held = commands.flatMap((one) => keysOf(one, shortcuts))
        expect(new Set(held).size).toBe(held.length)
      }),
    )
  })
})

describe("the window's shortcuts", () => {
  it('open every page by its number and Settings by the comma, with Alt+Shift for reserved combinations', async () => {
    await i18n.init({ lng: 'en', resources: {} })
    const keys = bindings(of(...shellCommands()), {})
    pageNames.forEach((page, at) => {
      expect(keys.get(`Mod+${at + 1}`)).toEqual([`go.${page}`])
      expect(keys.get(`Alt+Shift+${at + 1}`)).toEqual([`go.${page}`])
    })
    expect(keys.get('Mod+,')).toEqual(['go.settings'])
    expect(keys.get('Mod+.')).toEqual(['view.inspector'])
    expect(keys.get('Mod+N')).toEqual(['chat.new'])
    for (const [spare, id] of [
      ['Comma', 'go.settings'],
      ['Period', 'view.inspector'],
      ['KeyN', 'chat.new'],
    ] as const) {
      const pressed = keysOfPress(press('¯', spare, { altKey: true, shiftKey: true }), false)
      expect(keys.get(pressed ?? ''), spare).toEqual([id])
    }
    expect(keys.get('Mod+K')).toEqual(['view.palette'])
    expect(keys.get('?')).toEqual(['view.shortcuts'])
  })
})
