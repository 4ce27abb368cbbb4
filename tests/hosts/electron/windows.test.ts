import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { cascaded } from '../../../src-main/hosts/electron/windowState.ts'
import { MainWindows } from '../../../src-main/hosts/electron/windows.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { composer, connectTo, lastReply, pickModel, send, settled } from '../../e2e/journey.ts'
import { tries } from '../../helpers/effort.ts'
import { type Desktop, launchDesktop, real } from '../../helpers/electron/launch.ts'
import { windowText } from '../../helpers/windowText.ts'
import { newDataDir, tidy } from './fixtures.ts'

afterEach(tidy)

const fake = () => new EventEmitter() as never as BrowserWindow

describe('the main windows', () => {
  test('are used in the order of their last focus, with the lowest free number, and report when the last has closed', () => {
    const closed = vi.fn()
    const windows = new MainWindows<BrowserWindow>(closed)
    const [a, b, c] = [fake(), fake(), fake()] as const
    for (const window of [a, b, c]) windows.add(window, windows.freeNumber)
    expect(windows.last()).toBe(c)
    a.emit('focus')
    expect(windows.last()).toBe(a)
    b.emit('closed')
    expect([windows.count, windows.freeNumber, windows.has(b)]).toEqual([2, 1, false])
    a.emit('closed')
    expect([windows.last(), closed.mock.calls.length]).toEqual([c, 0])
    c.emit('closed')
    expect([windows.last(), closed.mock.calls.length]).toEqual([null, 1])
  })

  test('of any order of openings, focuses and closings: numbers are unique, and the last focused one is last', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('open', 'focus', 'close'), fc.nat(5))), (steps) => {
        let ends = 0
        const windows = new MainWindows<never>(() => {
          ends++
        })
        // The model: open windows in the order of their last focus.
        let open: { window: EventEmitter; number: number }[] = []
        let expectedEnds = 0
        for (const [step, at] of steps) {
          const chosen = open[at % Math.max(1, open.length)]
          if (step === 'open') {
            const entry = { window: new EventEmitter(), number: windows.freeNumber }
            expect(open.map(({ number }) => number)).not.toContain(entry.number)
            expect(entry.number).toBeLessThanOrEqual(open.length)
            windows.add(entry.window as never, entry.number)
            open.push(entry)
          } else if (chosen) {
            open = open.filter((one) => one !== chosen)
            if (step === 'focus') open.push(chosen)
            else if (open.length === 0) expectedEnds++
            chosen.window.emit(step === 'focus' ? 'focus' : 'closed')
          }
          expect(windows.last()).toBe(open.at(-1)?.window ?? null)
          expect([windows.count, ends]).toEqual([open.length, expectedEnds])
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
  test('two windows share one core: a reply appears in both, closing one leaves the other, and each has its own position', async () => {
    const sandbox = await startSandbox({ apiKey: 'sk-two', paces: { 'writer-small': 2000 } })
    const desktop = await launchDesktop(newDataDir(), { answers: [{ response: 1 }] })
    const { page, evaluate, errors } = desktop
    await connectTo(page, sandbox.baseUrl, 'sk-two')
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
    await sandbox.close()
  })

  test('a backup shows its progress in the taskbar, and removes it at the end', async () => {
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
