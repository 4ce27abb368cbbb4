import { expect, type Locator, type Page, test } from '@playwright/test'
import { settings } from '../../src-renderer/i18n/en/settings.ts'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, fromMenu, line, openChatWorld, takePictures } from './chatWorld.ts'
import { composer, pickModel, send, settled } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

const palette = (page: Page): Locator => page.getByRole('dialog', { name: /^Search commands/ })
const focused = (page: Page): Locator => page.locator(':focus')

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await palette(page).getByRole('combobox').fill(text)
}

test.describe('the command palette', () => {
  test('starts with Go to, then with what was used last, and changes the theme', { tag: '@long' }, async ({ page }) => {
    await page.keyboard.press('Control+k')
    await expect(palette(page).locator('.palette-heading').first()).toHaveText('Go to')
    await expectAccessible(page)
    await takePictures(page, 'palette', true)
    await page.keyboard.press('Escape')
    await search(page, 'theme dark')
    await page.keyboard.press('Enter')
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
    await search(page, 'theme')
    await expect(palette(page).getByRole('option', { name: 'Theme: Dark' })).toHaveCount(0)
    await palette(page).getByRole('option', { name: 'Theme: System' }).click()
    await expect(page.locator('html')).not.toHaveAttribute('data-theme', 'dark')
    await page.keyboard.press('Control+k')
    await expect(palette(page).locator('.palette-heading').first()).toHaveText('Recent')
    await expect(palette(page).locator('.palette-heading').nth(1)).toHaveText('Go to')
  })

  test('stays open when it is opened again right after Escape', { tag: '@long' }, async ({ page }) => {
    await page.keyboard.press('Control+k')
    await expect(palette(page)).toBeVisible()
    // In one task, before the browser's event of the closed dialog, as on a busy computer.
    await page.evaluate(async () => {
      document.querySelector('dialog.palette')?.dispatchEvent(new Event('cancel', { cancelable: true }))
      for (let n = 0; n < 20; n += 1) await Promise.resolve()
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true }),
      )
      for (let n = 0; n < 3; n += 1) await new Promise(requestAnimationFrame)
    })
    await expect(palette(page)).toBeVisible()
    await page.keyboard.type('theme')
    await expect(palette(page).getByRole('combobox')).toHaveValue('theme')
  })

  test('every setting is one search away, and has the focus then', { tag: '@long' }, async ({ page }) => {
    // Where a setting is a group of controls, its first control has the focus.
    const places: [setting: string, focus: RegExp][] = [
      ['Theme', /System|Light|Dark/],
      ['Density', /./],
      ['Send messages with', /./],
      ['Model of new chats', /^Model of new chats$/],
      ['Instructions of new chats', /^Instructions of new chats$/],
      ['Titles written by', /^Titles written by$/],
      ['Port', /^Port$/],
      [settings.proxy.ipv6, /^Also listen on IPv6/],
      ['Allowed web origins', /^Origin$/],
      [settings.proxy.bodyDays, new RegExp(`^${settings.proxy.bodyDays}$`)],
      ['Language', /^Language$/],
      ['Folder', /./],
      ['Add connection', /^Add connection$/],
      ['Base URL', /^More for /],
      ['Add tool', /^Add tool$/],
      ['MCP servers', /^Add from the gallery|^Add server|^Paste configuration/],
      ['Older than', /^Older than$/],
      ['Delete by age: Images', /^Images$/],
      ['Delete by age: Logged request bodies', /^Logged request bodies$/],
      ['Delete old log entries automatically', /^Delete old log entries automatically$/],
      ['Delete everything', /^Delete everything…$/],
    ]
    // On a slow computer the palette gives the focus back while the section still loads.
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    for (const [setting, focus] of places) {
      await search(page, setting)
      // Its section may have the same name.
      await palette(page)
        .getByRole('option')
        .filter({
          has: page.locator('.palette-title', { hasText: new RegExp(`^${setting.replaceAll(/[()]/g, '\\$&')}$`) }),
        })
        .filter({ hasNot: page.locator('.palette-beside', { hasText: /^Settings$/ }) })
        .click()
      await expect(page.locator('[data-settings]').locator(':focus'), setting).toBeVisible()
      await expect(focused(page), setting).toHaveAccessibleName(focus)
      await expect(focused(page)).toBeInViewport()
    }
  })

  test('knows each control of the settings that has a name of its own', { tag: '@long' }, async ({ page }) => {
    await page.getByRole('link', { name: windowText('settings:title'), exact: true }).click()
    const sections = page.getByRole('navigation', { name: windowText('settings:parts') }).getByRole('link')
    const names = new Set<string>()
    // A section that loads has its controls later.
    await expect(async () => {
      for (const section of await sections.all()) {
        await section.click()
        const shown = page.locator('[data-settings]')
        await expect(shown).toHaveAttribute('aria-label', await section.innerText())
        const controls = shown.locator('[role="switch"], [role="radiogroup"], input:not([type=file]), select, textarea')
        for (const control of await controls.all()) {
          const name = await control.evaluate(
            (element: HTMLInputElement) => element.ariaLabel ?? element.labels?.[0]?.textContent.trim() ?? '',
          )
          if (name !== '') names.add(name)
        }
      }
      expect(names.size).toBeGreaterThan(25)
    }).toPass()
    // The field of a list, to which “Allowed web origins” leads, and the search of the list of shortcuts.
    for (const name of ['settings:proxy.originAdd', 'palette:findCommand'] as const) names.delete(windowText(name))
    await page.keyboard.press('Control+k')
    for (const name of names) {
      await palette(page).getByRole('combobox').fill(name)
      await expect(palette(page).locator('.palette-title').getByText(name).first(), name).toBeVisible()
    }
  })
})

test.describe('the list column', () => {
  test('collapses and returns with Ctrl+B or a button, on every page, and stays so after a reload', {
    tag: '@long',
  }, async ({ page }) => {
    const list = page.getByRole('complementary', { name: windowText('shell:list') })
    await expect(list).toBeVisible()
    await page.keyboard.press('Control+b')
    await expect(list).toHaveCount(0)
    await takePictures(page, 'list-collapsed')
    await expectAccessible(page)
    for (const name of ['Usage', 'Keys', 'Settings', 'Images']) {
      await page.getByRole('link', { name, exact: true }).click()
      await expect(page.getByRole('button', { name: windowText('common:showList') })).toBeVisible()
      await expect(list).toHaveCount(0)
    }
    await page.reload()
    await page.getByRole('button', { name: windowText('common:showList') }).click()
    await expect(list).toBeVisible()
    await page.getByRole('button', { name: windowText('common:hideList') }).click()
    await expect(list).toHaveCount(0)
    await expect(page.getByRole('button', { name: windowText('common:showList') })).toBeFocused()
    // Searching the chats needs the list.
    await page.keyboard.press('Control+Shift+f')
    await expect(list.getByRole('combobox', { name: windowText('palette:commands.search') })).toBeFocused()
    // Hiding the list that has the focus leaves the focus at its button.
    await page.keyboard.press('Control+b')
    await expect(page.getByRole('button', { name: windowText('common:showList') })).toBeFocused()
    await page.keyboard.press('Control+b')
    await expect(composer(page)).toBeVisible()
  })

  test('in a narrow window, Ctrl+B opens it over the page', { tag: '@long' }, async ({ page }) => {
    await page.setViewportSize({ width: 700, height: 800 })
    await expect(page.getByRole('button', { name: windowText('common:showList') })).toBeVisible()
    await page.keyboard.press('Control+b')
    await expect(page.getByRole('dialog', { name: windowText('shell:list') })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', { name: windowText('shell:list') })).toHaveCount(0)
  })
})

test('without a pointer that hovers, the menu button of a chat does not cover the title', { tag: '@long' }, async ({
  browser,
}) => {
  const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 1200, height: 800 } })
  const page = await context.newPage()
  await world.enter(page)
  await pickModel(page, 'mirror')
  const title = 'A title that is as long as titles are'
  await send(page, title)
  await settled(page, 'complete')
  const button = page.getByRole('button', { name: `More for ${title}`, exact: true })
  const [text, more] = await Promise.all([line(page, title).locator('b').boundingBox(), button.boundingBox()])
  expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual(more?.x ?? 0)
  await takePictures(page, 'list-touch')
  await fromMenu(page, title, 'Pin')
  const [pin, after] = await Promise.all([
    line(page, title)
      .getByRole('img', { name: windowText('library:pinned') })
      .boundingBox(),
    button.boundingBox(),
  ])
  expect((pin?.x ?? 0) + (pin?.width ?? 0)).toBeLessThanOrEqual(after?.x ?? 0)
  await context.close()
})
