// @module-tag chromium
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MenuItemConstructorOptions } from 'electron'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { node24, root } from '../../../resources/scripts/ready.mjs'
import { type Clicked, contextMenu } from '../../../src-main/hosts/electron/contextMenu.ts'
import { appMenu } from '../../../src-main/hosts/electron/menu.ts'
import { composer } from '../../e2e/journey.ts'
import { launchDesktop, real } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

const named = (items: MenuItemConstructorOptions[]): string[] =>
  items.map(({ label, role, type }) => role ?? label ?? type ?? '')
const submenu = (menu: MenuItemConstructorOptions[], label: string): MenuItemConstructorOptions[] => {
  const found = menu.find((item) => item.label === label)?.submenu
  return Array.isArray(found) ? found : []
}

const menuActions = () => ({ go: vi.fn(), newWindow: vi.fn(), quickPrompt: vi.fn(), print: vi.fn(), showLogs: vi.fn() })
const fileEntries = ['New chat', 'New window', 'Quick prompt', 'Recent chats', 'separator', 'Print…', 'separator']

describe('the application menu', () => {
  const menuOf = (platform: NodeJS.Platform, devTools = false) => appMenu(menuActions(), { devTools, platform })

  test('of macOS has About, Settings and Quit in the application’s own menu', () => {
    const menu = menuOf('darwin')
    expect(named(menu)).toEqual(['Inference Studio', 'File', 'editMenu', 'View', 'windowMenu', 'help'])
    const own = named(submenu(menu, 'Inference Studio'))
    expect(own.slice(0, 3)).toEqual(['About Inference Studio', 'separator', 'Settings…'])
    expect(own.at(-1)).toBe('quit')
    expect(named(submenu(menu, 'File'))).toEqual([...fileEntries, 'close'])
  })

  test.each(['win32', 'linux'] as const)('of %s has Settings and Quit in File, and About in Help', (platform) => {
    const menu = menuOf(platform)
    expect(named(menu)).toEqual(['File', 'editMenu', 'View', 'windowMenu', 'help'])
    expect(named(submenu(menu, 'File'))).toEqual([...fileEntries, 'Settings…', 'separator', 'close', 'quit'])
    expect(named(submenu(menu, 'Help'))).toEqual([
      'Guide',
      'Keyboard shortcuts',
      'Show logs',
      'Check this installation',
      'separator',
      'About Inference Studio',
    ])
  })

  test.each(['darwin', 'win32', 'linux'] as const)(
    'of %s has a label of its own for every entry with a role',
    (platform) => {
      const all = (items: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
        items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? all(item.submenu) : [])])
      const shown = all(menuOf(platform, true)).filter(({ type, visible }) => type !== 'separator' && visible !== false)
      expect(shown.length).toBeGreaterThan(30)
      expect(shown.filter(({ label }) => label === undefined)).toEqual([])
      // Electron replaces a menu with such a role only where it has no entries.
      expect(named(submenu(menuOf(platform), 'Edit')).slice(0, 3)).toEqual(['undo', 'redo', 'separator'])
      expect(named(submenu(menuOf(platform), 'Window'))[0]).toBe('minimize')
    },
  )

  test('zooms in also without Shift, on the key "=" and on the key "+" of other keyboards', () => {
    const zooms = submenu(menuOf('linux'), 'View').filter(({ role }) => role === 'zoomIn')
    expect(zooms.map(({ accelerator, visible }) => [accelerator, visible])).toEqual([
      [undefined, undefined],
      ['CmdOrCtrl+=', false],
    ])
  })

  test('has the developer tools in a development version only', () => {
    expect(named(submenu(menuOf('linux', true), 'View'))).toContain('toggleDevTools')
    expect(named(submenu(menuOf('linux'), 'View'))).not.toContain('toggleDevTools')
  })

  test('lists recent chats with titles that are safe as labels', () => {
    const actions = menuActions()
    const recent = [
      { id: 'a', title: 'Q&A\nabout \u202ebidi' },
      { id: 'b', title: null },
      { id: 'c', title: 'x'.repeat(200) },
      { id: 'd', title: `${'é'.repeat(58)}👩‍👧 and more` },
    ]
    const entries = submenu(submenu(appMenu(actions, { devTools: false, recent }), 'File'), 'Recent chats')
    expect(named(entries)).toEqual([
      ...['Q&&A about bidi', 'Untitled chat', `${'x'.repeat(59)}…`, `${'é'.repeat(58)}👩‍👧…`],
    ])
    entries[1]?.click?.({} as never, undefined, {} as never)
    expect(actions.go).toHaveBeenCalledWith({ page: 'chat', id: 'b' })
    const none = submenu(submenu(appMenu(actions, { devTools: false }), 'File'), 'Recent chats')
    expect(none).toEqual([{ label: 'No chats yet', enabled: false }])
  })

  test('opens pages of the window', { tags: 'long' }, async () => {
    const { page, evaluate } = await launchDesktop(newDataDir())
    const choose = (menu: string, label: string) =>
      evaluate(
        ({ Menu }, [of, wanted]) => {
          const items = Menu.getApplicationMenu()?.items.find((item) => item.label === of)?.submenu?.items
          items?.find((item) => item.label === wanted)?.click()
        },
        [menu, label] as const,
      )
    const isMac = process.platform === 'darwin'
    await choose(isMac ? 'Inference Studio' : 'Help', 'About Inference Studio')
    await page.waitForFunction(() => location.hash === '#/settings/about')
    await page.getByText(windowText('settings:about.licenceLine')).waitFor()
    await choose('File', 'New chat')
    await page.waitForFunction(() => location.hash === '#/chat')
  })
})

// The stand-in is a script for Node. As the file of an AppImage, it starts the program again as Electron's binary does.
describe.runIf(!real && process.platform === 'linux')('Help > Check this installation', () => {
  test('opens the section and lists what each part of the desktop program did', { tags: 'long' }, async () => {
    const folder = newDataDir()
    const program = join(folder, 'program')
    const standIn = join(root, 'tests/helpers/electron/run.mjs')
    writeFileSync(program, `#!/bin/sh\nexec '${node24()}' '${standIn}' "$@"\n`, { mode: 0o755 })
    const env = { APPIMAGE: program, APPDIR: dirname(realpathSync(node24())) }
    const { page, evaluate } = await launchDesktop(join(folder, 'data'), { env })
    await evaluate(({ Menu }) => {
      const help = Menu.getApplicationMenu()?.items.find((item) => item.label === 'Help')?.submenu?.items
      help?.find((item) => item.label === 'Check this installation')?.click()
    })
    await page.waitForFunction(() => location.hash === '#/settings/about')
    const check = page.getByRole('region', { name: windowText('settings:about.check') })
    await check.getByRole('button', { name: windowText('settings:about.copyCheck') }).waitFor({ timeout: 120_000 })
    const lines = await check.getByRole('listitem').allInnerTexts()
    expect(lines).toHaveLength(20)
    expect(lines).toContainEqual(expect.stringMatching(/^OK\s+Icons of the tray and the windows\s+can be read$/))
    expect(lines.filter((line) => line.startsWith('Failed'))).toEqual([])
  })
})

describe('the menu of a right click', () => {
  const flags = {
    canUndo: true,
    canRedo: false,
    canCut: true,
    canCopy: true,
    canPaste: true,
    canDelete: true,
    canSelectAll: true,
    canEditRichly: false,
  }
  const nothing: Clicked = {
    isEditable: false,
    selectionText: '',
    linkURL: '',
    mediaType: 'none',
    srcURL: '',
    misspelledWord: '',
    dictionarySuggestions: [],
    editFlags: flags,
  }
  const actions = () => ({
    replaceMisspelling: vi.fn(),
    learnWord: vi.fn(),
    openLink: vi.fn(),
    copyText: vi.fn(),
    copyImage: vi.fn(),
    saveImage: vi.fn(),
  })
  const of = (clicked: Partial<Clicked>) => named(contextMenu({ ...nothing, ...clicked }, actions()))

  test('is empty where nothing can be done', () => {
    expect(of({})).toEqual([])
    expect(of({ selectionText: '  \n' })).toEqual([])
  })

  test('copies a selection, and edits a field', () => {
    expect(of({ selectionText: 'text' })).toEqual(['copy'])
    expect(of({ isEditable: true })).toEqual(['undo', 'redo', 'separator', 'cut', 'copy', 'paste', 'selectAll'])
    const [undo, redo] = contextMenu({ ...nothing, isEditable: true }, actions())
    expect([undo?.enabled, redo?.enabled]).toEqual([true, false])
  })

  test('suggests spellings in a field', () => {
    const done = actions()
    const clicked = {
      ...nothing,
      isEditable: true,
      misspelledWord: 'teh',
      dictionarySuggestions: ['the', 'tea', '3', '4', '5', '6'],
    }
    const menu = contextMenu(clicked, done)
    expect(named(menu).slice(0, 7)).toEqual(['the', 'tea', '3', '4', '5', 'Add to dictionary', 'separator'])
    for (const item of [menu[0], menu[5]]) item?.click?.({} as never, undefined, {} as never)
    expect([done.replaceMisspelling.mock.calls, done.learnWord.mock.calls]).toEqual([[['the']], [['teh']]])
    expect(of({ isEditable: true, misspelledWord: 'qqq' })[0]).toBe('No suggestions')
    expect(of({ misspelledWord: 'teh' })).toEqual([])
  })

  test('opens and copies links that a browser may open, and no others', () => {
    expect(of({ linkURL: 'https://a.example/x' })).toEqual(['Open link in browser', 'Copy link'])
    for (const linkURL of [
      'app://studio/index.html#/chat',
      'javascript:1',
      'file:///etc/passwd',
      'https://a@b.example/',
    ]) {
      expect(of({ linkURL })).toEqual([])
    }
  })

  test('copies and saves an image', () => {
    expect(of({ mediaType: 'image', srcURL: 'app://studio/media/1', selectionText: 'x' })).toEqual([
      ...['Copy image', 'Save image…', 'separator', 'copy'],
    ])
  })

  // A real menu stays open until a person closes it.
  test.runIf(!real)('appears at a real right click into a field', { tags: 'long' }, async () => {
    const { page, evaluate } = await launchDesktop(newDataDir())
    await page.getByRole('button', { name: /Try the sandbox/ }).click()
    await composer(page).click({ button: 'right' })
    await expect
      .poll(() => evaluate(() => (globalThis as unknown as { shown: { menus: string[][] } }).shown.menus))
      .toEqual([['Undo', 'Redo', '-', 'Cut', 'Copy', 'Paste', 'Select all']])
  })
})

test.runIf(!real)(
  'Show logs shows the log file, which has the lines of the program and no key',
  { tags: 'long' },
  async () => {
    const { page, evaluate } = await launchDesktop(newDataDir(), {
      notificationsFail: 'refused for sk-live-1234567890',
    })
    await page.evaluate(() => location.assign('#/settings/alerts'))
    await page.getByRole('button', { name: windowText('alerts:settings.try') }).click()
    await page.getByRole('alert').waitFor()
    const path = await evaluate(async ({ Menu, shell }) => {
      const file = new Promise<string>((resolve) => {
        shell.showItemInFolder = resolve
      })
      const help = Menu.getApplicationMenu()?.items.find(({ label }) => label === 'Help')?.submenu?.items
      help?.find(({ label }) => label === 'Show logs')?.click()
      return file
    })
    expect(path).toMatch(/studio\.log$/)
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(/info Inference Studio \S+ started/)
    expect(text).toContain('warn A notification was not shown. The system says: refused for sk-…')
  },
)
