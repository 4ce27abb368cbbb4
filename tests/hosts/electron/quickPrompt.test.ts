// @long Starts the desktop application for each test. tests/e2e/quick-prompt.spec.ts shows the same window.
// @module-tag chromium

import type { Page } from '@playwright/test'
import { afterEach, describe, expect, test } from 'vitest'
import type { Sandbox } from '../../../src-main/sandbox/sandbox.ts'
import { expectAccessible, takePictures, turns } from '../../e2e/chatWorld.ts'
import { composer, lastReply, pickModel, replies } from '../../e2e/journey.ts'
import { type Desktop, real } from '../../helpers/electron/launch.ts'
import type { Modes } from '../../helpers/electron/modes.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, tidy } from './fixtures.ts'

let sandbox: Sandbox
afterEach(tidy)

const quickAddress = /\/app\/quick\//
const press = ({ evaluate }: Desktop, keys = 'Alt+Shift+Space') =>
  evaluate(
    (_, accelerator) => (globalThis as unknown as { pressShortcut(of: string): void }).pressShortcut(accelerator),
    keys,
  )
/** State of the small window: the only one that is always on top. */
const small = ({ evaluate }: Desktop) =>
  evaluate(({ BrowserWindow }) => {
    const window = BrowserWindow.getAllWindows().find((one) => one.isAlwaysOnTop())
    return window ? { visible: window.isVisible(), focused: window.isFocused() } : null
  })
const prompt = (page: Page) => page.getByRole('textbox', { name: windowText('quick:prompt') })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: false })
const chatRequests = () => sandbox.observe.requests().filter(({ path }) => path === '/v1/chat/completions')

async function start(modes: Modes = {}): Promise<Desktop> {
  const opened = await launchConnected({ paces: { 'writer-small': 2000, mirror: 4000 } }, modes)
  sandbox = opened.sandbox
  await pickModel(opened.desktop.page, 'mirror')
  return opened.desktop
}

// A real global shortcut can't be pressed by a test, and a real screen needs a display.
describe.runIf(!real)('the quick prompt', () => {
  test('opens by the global shortcut, streams the reply, continues in the main window, and sends nothing by itself', async () => {
    const desktop = await start()
    await press(desktop)
    const quick = await desktop.pageAt(quickAddress)
    await expect.poll(() => small(desktop)).toEqual({ visible: true, focused: true })
    await prompt(quick).waitFor()
    await desktop.evaluate(({ clipboard }) => clipboard.writeText('First line of the clipboard\nsecond'))
    await prompt(quick).fill('Repeat this:')
    await quick.keyboard.press('ControlOrMeta+Shift+V')
    await quick.getByText(windowText('quick:clipboard', { count: 34 })).waitFor()
    await quick.keyboard.press('ControlOrMeta+Shift+S')
    await quick
      .getByRole('listitem')
      .filter({ hasText: windowText('quick:screenshot') })
      .waitFor()
    // The picture shows the screen without the window: the replacement refuses one with it.
    await expect.poll(() => small(desktop)).toEqual({ visible: true, focused: true })
    expect(chatRequests()).toEqual([])
    await expectAccessible(quick, 'html')
    await takePictures(quick, 'desktop-quick-attached')

    await prompt(quick).press('Enter')
    const reply = quick.getByRole('region', { name: windowText('quick:reply') })
    await quick.locator('.quick-reply[data-status="complete"]').waitFor()
    expect(await reply.innerText()).toContain('First line of the clipboard')
    expect(chatRequests().length).toBe(1)
    await takePictures(quick, 'desktop-quick-reply')

    await button(quick, windowText('quick:continue')).click()
    await expect.poll(() => small(desktop)).toEqual({ visible: false, focused: false })
    await desktop.page.waitForFunction(() => /^#\/chat\/./.test(location.hash))
    await lastReply(desktop.page).waitFor()
    expect(await turns(desktop.page).innerText()).toContain('Repeat this:\n\nFirst line of the clipboard\nsecond')
    expect(await turns(desktop.page).getByRole('img').count()).toBe(1)
    // The small window starts again with an empty prompt.
    await press(desktop)
    await expect.poll(() => small(desktop)).toEqual({ visible: true, focused: true })
    expect(await prompt(quick).inputValue()).toBe('')
    expect(await quick.locator('.quick-reply').count()).toBe(0)
  })

  test('draws a diagram of a reply', async () => {
    const desktop = await start()
    await press(desktop)
    const quick = await desktop.pageAt(quickAddress)
    await prompt(quick).fill('```mermaid\nflowchart LR\n  a[Start] --> b[End]\n```')
    await prompt(quick).press('Enter')
    await quick.locator('.quick-reply[data-status="complete"]').waitFor()
    await button(quick, windowText('markdown:draw')).click()
    await quick.frameLocator('iframe').getByText('Start', { exact: true }).waitFor()
  })

  test('Escape closes it and keeps what was typed; the shortcut hides it too; it keeps no main window and no program open', async () => {
    const desktop = await start({ answers: [{ response: 1 }] })
    await press(desktop)
    const quick = await desktop.pageAt(quickAddress)
    await prompt(quick).fill('half a thought')
    await quick.keyboard.press('Escape')
    await expect.poll(() => small(desktop)).toEqual({ visible: false, focused: false })
    await press(desktop)
    await expect.poll(() => small(desktop)).toEqual({ visible: true, focused: true })
    expect(await prompt(quick).inputValue()).toBe('half a thought')
    await press(desktop)
    await expect.poll(() => small(desktop)).toEqual({ visible: false, focused: false })
    // Its draft is not the draft of a new chat.
    expect(await composer(desktop.page).inputValue()).toBe('')
    await desktop.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find((one) => !one.isAlwaysOnTop())
        ?.close(),
    )
    expect(await desktop.ended).toBe(0)
  })

  test('says why there is no screenshot, and that another program has the shortcut, which can be tried again or changed', async () => {
    const desktop = await start({ screenRefused: true, takenShortcuts: ['Alt+Shift+Space'] })
    const { page } = desktop
    await page.evaluate(() => location.assign('#/settings/shortcuts'))
    const notice = page.getByRole('alert').filter({ hasText: 'Alt+Shift+Space' })
    await notice.getByRole('button', { name: windowText('quick:tryAgain') }).click()
    await notice.waitFor()
    await expectAccessible(page, '[data-settings]')
    await takePictures(page, 'desktop-shortcut-taken')
    await page.getByRole('button', { name: windowText('quick:change') }).click()
    await page.keyboard.press('Alt+Shift+K')
    await notice.waitFor({ state: 'detached' })
    await expect
      .poll(() => desktop.evaluate(({ globalShortcut }) => globalShortcut.isRegistered('Alt+Shift+K')))
      .toBe(true)
    await press(desktop, 'Alt+Shift+K')
    const quick = await desktop.pageAt(quickAddress)
    await button(quick, windowText('quick:addScreenshot')).click()
    await quick
      .getByRole('alert')
      .getByText(/The screen could not be captured\./)
      .first()
      .waitFor()
    expect(await quick.getByRole('list', { name: windowText('quick:attached') }).count()).toBe(0)
  })

  test('reads the clipboard and the screen for the focused quick prompt only', async () => {
    const desktop = await start()
    const { page, evaluate } = desktop
    await evaluate(({ clipboard }) => clipboard.writeText('a secret'))
    // A message as a page of the studio would send it, from a main window.
    const answer = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          addEventListener('message', (event) => {
            const [port] = event.ports
            if (event.data !== 'inference-studio:port' || !port) return
            port.onmessage = ({ data }) => resolve(typeof data === 'string' ? data : JSON.stringify(data))
            port.postMessage(JSON.stringify({ i: '1', p: { u: '/desktop/readClipboard', m: 'POST', h: {}, b: {} } }))
          })
          postMessage('inference-studio:want-port', location.origin)
        }),
    )
    expect(answer).toContain('Only the quick prompt can do this')
    expect(answer).not.toContain('a secret')
    expect(await replies(page).count()).toBe(0)
  })
})
