// @module-tag chromium
import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { storeOpenWindows, takeOpenWindows } from '../../../src-main/hosts/electron/openWindows.ts'
import { cascaded } from '../../../src-main/hosts/electron/windowState.ts'
import { MainWindows } from '../../../src-main/hosts/electron/windows.ts'
import { composer, lastReply, pickModel, send, settled } from '../../e2e/journey.ts'
import { tries } from '../../helpers/effort.ts'
import { type Desktop, launchDesktop, real } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

type FakeWindow = EventEmitter
const fakeWindows = (allClosed: () => void) => new MainWindows(allClosed as never) as unknown as MainWindows<never>

/** Real and expected windows side by side. */
class Compared {
  ends = 0
  expectedEnds = 0
  /** Open windows in the order of their last focus. */
  open: FakeWindow[] = []
  readonly windows = fakeWindows(() => {
    this.ends++
  })
  readonly numbers = new Map<FakeWindow, number>()

  add(): void {
    const window = new EventEmitter()
    const number = this.windows.freeNumber
    expect(this.open.map((one) => this.numbers.get(one))).not.toContain(number)
    expect(number).toBeLessThanOrEqual(this.open.length)
    this.windows.add(window as never, number)
    this.numbers.set(window, number)
    this.open.push(window)
  }

  focus(window: FakeWindow): void {
    this.open = [...this.open.filter((one) => one !== window), window]
    window.emit('focus')
  }

  close(window: FakeWindow): void {
    this.open = this.open.filter((one) => one !== window)
    if (this.open.length === 0) this.expectedEnds++
    window.emit('closed')
  }
}

describe('the main windows', () => {
  test('of any order of openings, focuses and closings: numbers are unique, the last focused one is last, the last close is reported', () => {
    const step = fc.tuple(fc.constantFrom('add', 'focus', 'close'), fc.nat(5))
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const compared = new Compared()
        for (const [what, at] of steps) {
          const chosen = compared.open[at % Math.max(1, compared.open.length)]
          if (what === 'add') compared.add()
          else if (chosen) compared[what](chosen)
          expect(compared.windows.last()).toBe(compared.open.at(-1) ?? null)
          expect([compared.windows.count, compared.ends]).toEqual([compared.open.length, compared.expectedEnds])
        }
      }),
      { numRuns: tries(200, 2000) },
    )
  })

  test('open beside the last one, unless that would be off every screen', () => {
    const screens = [{ x: 0, y: 0, width: 1000, height: 800 }]
    expect(cascaded({ x: 10, y: 20, width: 800, height: 600 }, screens)).toMatchObject({ x: 38, y: 48, width: 800 })
    expect(cascaded({ x: 890, y: 20, width: 800, height: 600 }, screens)).toBeNull()
    expect(cascaded(null, screens)).toBeNull()
  })
})

describe('the windows of the last run', () => {
  const file = () => {
    const folder = newDataDir()
    mkdirSync(folder, { recursive: true })
    return join(folder, 'windows.json')
  }
  const page = 'app://studio/index.html'

  test('are returned once, without the text of a link; one window alone needs no list', () => {
    const list = file()
    storeOpenWindows(list, [
      { number: 1, address: `${page}#/chat/abc%20d` },
      { number: 0, address: `${page}#/chat?prompt=secret` },
      { number: 2, address: '' },
    ])
    expect(readFileSync(list, 'utf8')).not.toContain('secret')
    expect(takeOpenWindows(list)).toEqual([
      { number: 1, hash: '#/chat/abc%20d' },
      { number: 0, hash: '#/chat' },
      { number: 2, hash: '' },
    ])
    expect(takeOpenWindows(list)).toEqual([])
    storeOpenWindows(list, [{ number: 0, address: page }])
    expect(existsSync(list)).toBe(false)
  })

  test('a window whose entry is not valid is left out, and the others are returned', () => {
    const list = file()
    storeOpenWindows(list, [
      { number: 0, address: `${page}#/keys/${'k'.repeat(600)}` },
      { number: 1, address: `${page}#/keys/${encodeURIComponent("team's (1)!*")}` },
    ])
    expect(takeOpenWindows(list)).toEqual([{ number: 1, hash: "#/keys/team's%20(1)!*" }])
  })

  test.each(['', '{}', '[{"number":0,"hash":"https://a.example"}]', '[{"number":-1,"hash":""}]'])(
    'a damaged or foreign list %j opens nothing',
    (text) => {
      const list = file()
      writeFileSync(list, text)
      expect(takeOpenWindows(list)).toEqual([])
    },
  )

  test('a list that can’t be written does not stop the end of the program', () => {
    const address = `${page}#/usage`
    const open = [0, 1].map((number) => ({ number, address }))
    expect(() => storeOpenWindows('/dev/null/windows.json', open)).not.toThrow()
  })
})

const chooseInFile = ({ evaluate }: Desktop, label: string, inner?: string) =>
  evaluate(
    ({ Menu }, [wanted, below]) => {
      const file = Menu.getApplicationMenu()?.items.find((item) => item.label === 'File')?.submenu?.items
      const entry = file?.find((item) => item.label === wanted)
      const chosen = below === null ? entry : entry?.submenu?.items.find((item) => item.label.startsWith(below))
      chosen?.click()
      return chosen !== undefined
    },
    [label, inner ?? null] as const,
  )
const windowCount = ({ evaluate }: Desktop) => evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

describe.runIf(!real)('with the replacement of Electron', () => {
  test('two windows share one core: a reply appears in both, closing one leaves the other, and each has its own position', {
    tags: 'long',
  }, async () => {
    const { desktop } = await launchConnected({ paces: { 'writer-small': 2000 } }, { answers: [{ response: 1 }] })
    const { page, evaluate, errors } = desktop
    await chooseInFile(desktop, 'New window')
    await expect.poll(() => windowCount(desktop)).toBe(2)
    const bounds = await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((one) => one.getBounds().x))
    expect(bounds[1]).toBe((bounds[0] ?? 0) + 28)
    await expect.poll(() => page.context().pages().length).toBe(2)
    const other = page
      .context()
      .pages()
      .find((one) => one !== page)
    if (!other) throw new Error('no second page')
    await pickModel(page, 'writer-small')
    await send(page, 'Write about two lighthouses.')
    await settled(page, 'complete')
    await page.waitForFunction(() => /#\/chat\/./.test(location.hash))
    const hash = await page.evaluate(() => location.hash)
    await other.evaluate((to) => location.assign(to), hash)
    await settled(other, 'complete')
    expect(await lastReply(other).innerText()).toBe(await lastReply(page).innerText())

    // The menu has the chat, and opens it in the window that was used last.
    await other.evaluate(() => location.assign('#/usage'))
    await expect.poll(() => chooseInFile(desktop, 'Recent chats', 'Write about two')).toBe(true)
    await other.waitForFunction((to) => location.hash === to, hash)

    // Closing one asks nothing, because the other one stays.
    await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[1]?.close())
    await expect.poll(() => windowCount(desktop)).toBe(1)
    expect(errors()).not.toContain('question:')
    await composer(page).fill('still here')
    await chooseInFile(desktop, 'New window')
    await expect.poll(() => windowCount(desktop)).toBe(2)
    const again = await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[1]?.getBounds().x)
    expect(again).toBe(bounds[1])

    // The last one decides whether the program goes on: here the answer is "Quit".
    await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[1]?.close())
    await expect.poll(() => windowCount(desktop)).toBe(1)
    await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close()).catch(() => undefined)
    expect(await desktop.ended).toBe(0)
    expect(errors().match(/question:/g)?.length).toBe(1)
  })

  test('twelve windows follow the theme without a warning of Node about a leak', { tags: 'long' }, async () => {
    const desktop = await launchDesktop(newDataDir())
    for (let count = 2; count <= 12; count++) {
      await chooseInFile(desktop, 'New window')
      await expect.poll(() => windowCount(desktop)).toBe(count)
    }
    const colours = () =>
      desktop.evaluate(({ BrowserWindow }) => [
        ...new Set(BrowserWindow.getAllWindows().map((window) => window.getBackgroundColor())),
      ])
    await desktop.evaluate(({ nativeTheme }) => {
      nativeTheme.themeSource = 'dark'
    })
    expect(await colours()).toEqual(['#161618'])
    expect(desktop.errors()).not.toContain('MaxListenersExceededWarning')
  })

  test('quitting with two windows opens both again, each with its page and position', { tags: 'long' }, async () => {
    const dataDir = newDataDir()
    const first = await launchDesktop(dataDir)
    await chooseInFile(first, 'New window')
    await expect.poll(() => windowCount(first)).toBe(2)
    await expect.poll(() => first.page.context().pages().length).toBe(2)
    for (const [at, place] of ['#/usage', '#/settings/about'].entries()) {
      const one = first.page.context().pages()[at]
      await one?.waitForFunction(() => document.querySelector('nav') !== null)
      await one?.evaluate((to) => location.assign(to), place)
    }
    const facts = ({ evaluate }: Desktop) =>
      evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()
          .map((one) => [one.webContents.getURL().split('#')[1], one.getBounds().x] as const)
          .toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
      )
    const places = ['/settings/about', '/usage']
    await expect.poll(async () => (await facts(first)).map(([place]) => place)).toEqual(places)
    const before = await facts(first)
    expect(await first.quit()).toBe(0)

    const second = await launchDesktop(dataDir)
    await expect.poll(() => facts(second)).toEqual(before)
  })

  test('choosing the page that is open already does not load the window again', { tags: 'long' }, async () => {
    const { desktop } = await launchConnected()
    const { page, evaluate } = desktop
    await page.evaluate(() => location.assign('#/usage'))
    await chooseInFile(desktop, 'New chat')
    await page.waitForFunction(() => location.hash === '#/chat')
    await page.evaluate(() => Object.assign(window, { sameDocument: true }))
    await chooseInFile(desktop, 'New chat')
    await page.evaluate(() => location.assign('#/usage'))
    await chooseInFile(desktop, 'New chat')
    await page.waitForFunction(() => location.hash === '#/chat')
    expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true)
    expect(await evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getURL())).toBe(
      'app://studio/index.html#/chat',
    )
  })

  test('a backup shows its progress in the taskbar, and removes it at the end', { tags: 'long' }, async () => {
    const desktop = await launchDesktop(newDataDir())
    const { page, evaluate } = desktop
    await page.getByRole('button', { name: /Try the sandbox/ }).click()
    await composer(page).waitFor()
    await evaluate(({ BrowserWindow }) => {
      const seen: number[] = []
      Object.assign(globalThis, { bars: seen })
      for (const window of BrowserWindow.getAllWindows()) window.setProgressBar = (value) => void seen.push(value)
    })
    const bars = () => evaluate(() => (globalThis as unknown as { bars: number[] }).bars)
    await page.evaluate(() => location.assign('#/settings/data'))
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: windowText('data:backup.save') }).click()
    await (await coming).path()
    await expect.poll(async () => (await bars()).at(-1)).toBe(-1)
    const values = await bars()
    expect(values.length).toBeGreaterThan(1)
    expect(values.slice(0, -1).every((value) => value >= 0 && value <= 2)).toBe(true)
  })
})
