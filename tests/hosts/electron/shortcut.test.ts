import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { acceleratorOf, QuickShortcut } from '../../../src-main/hosts/electron/shortcut.ts'
import { tries } from '../../helpers/effort.ts'

describe('a global shortcut', () => {
  test.each([
    ['Alt+Shift+Space', 'Alt+Shift+Space'],
    ['Mod+K', 'CommandOrControl+K'],
    ['Mod+Ctrl+ArrowUp', 'CommandOrControl+Control+Up'],
    ['Alt+,', 'Alt+,'],
    ['Mod+Plus', 'CommandOrControl+Plus'],
    ['F9', 'F9'],
    ['Shift+F9', 'Shift+F9'],
  ])('%s is %s for Electron', (keys, accelerator) => {
    expect(acceleratorOf(keys)).toBe(accelerator)
  })

  test.each(['A', 'Shift+A', 'Enter', 'Space'])('%s would take a key from every program', (keys) => {
    expect(acceleratorOf(keys)).toBeNull()
  })

  test.each(['', 'Mod', 'Mod+', 'Mod+Mod+A', 'Hyper+A', 'Alt+Ä', 'Mod+F25', 'Alt+MediaPlay'])(
    '%j is no shortcut',
    (keys) => {
      expect(acceleratorOf(keys)).toBeNull()
    },
  )

  test('of any text is null or has a modifier other than Shift, or an F key', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Mod', 'Alt', 'Shift', 'Ctrl', 'A', '1', 'F5', 'Space', '', '+', 'é')),
        (parts) => {
          const accelerator = acceleratorOf(parts.join('+'))
          if (accelerator !== null)
            expect(accelerator).toMatch(/^(.*(CommandOrControl|Alt|Control)\+.+|(Shift\+)?F\d+)$/)
        },
      ),
      { numRuns: tries(500, 5000) },
    )
  })

  const registrar = (taken: string[] = []) => ({
    register: vi.fn((accelerator: string) => !taken.includes(accelerator)),
    unregister: vi.fn(),
  })

  test('replaces the one before, and an empty one removes it', () => {
    const system = registrar()
    const shortcut = new QuickShortcut(system as never, vi.fn())
    expect(shortcut.state).toEqual({ keys: '', state: 'off' })
    shortcut.apply('Alt+1')
    shortcut.apply('Alt+1')
    expect([shortcut.state.state, system.register.mock.calls.length]).toEqual(['active', 1])
    shortcut.apply('Alt+2')
    expect(system.unregister).toHaveBeenCalledExactlyOnceWith('Alt+1')
    shortcut.apply('')
    expect(system.unregister).toHaveBeenLastCalledWith('Alt+2')
    expect(shortcut.state).toEqual({ keys: '', state: 'off' })
  })

  test('that another program has is reported, and can be tried again', () => {
    const taken = ['Alt+1']
    const system = registrar(taken)
    const shortcut = new QuickShortcut(system as never, vi.fn())
    shortcut.apply('Alt+1')
    expect(shortcut.state).toEqual({ keys: 'Alt+1', state: 'taken' })
    shortcut.close()
    expect(system.unregister).not.toHaveBeenCalled()
    taken.length = 0
    shortcut.apply('Alt+1')
    expect(shortcut.state.state).toBe('active')
  })

  test('that Electron does not know, or that has no modifier, is invalid', () => {
    const system = registrar()
    system.register.mockImplementation(() => {
      throw new TypeError('conversion failure')
    })
    const shortcut = new QuickShortcut(system as never, vi.fn())
    shortcut.apply('Alt+1')
    expect(shortcut.state.state).toBe('invalid')
    shortcut.apply('A')
    expect([shortcut.state.state, system.register.mock.calls.length]).toEqual(['invalid', 1])
  })
})
