import { expect, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { allowClipboard, type ChatWorld, expectAccessible, openChatWorld, takePictures, turns } from './chatWorld.ts'
import { pickModel, settled } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

const prompt = (page: Page) => page.getByRole('textbox', { name: windowText('quick:prompt') })
const reply = (page: Page) => page.getByRole('region', { name: windowText('quick:reply') })
const requests = () => world.sandbox.observe.requests().filter(({ path }) => path === '/v1/chat/completions').length

async function openQuick(page: Page): Promise<void> {
  await world.enter(page)
  await pickModel(page, 'mirror')
  await page.setViewportSize({ width: 640, height: 400 })
  await page.goto(new URL('/app/quick/index.html', world.host.url).href)
  await expect(prompt(page)).toBeFocused()
}

test('a prompt with the clipboard is sent once the person sends it, by keyboard alone, and continues in the studio', {
  tag: '@long',
}, async ({ page }) => {
  await allowClipboard(page)
  await openQuick(page)
  await expectAccessible(page, 'html')
  await takePictures(page, 'quick-empty')
  await page.evaluate(() => navigator.clipboard.writeText('## Copied\n\n- one\n- two'))
  await page.keyboard.type('Repeat:')
  await page.keyboard.press('ControlOrMeta+Shift+V')
  await expect(page.getByRole('list', { name: windowText('quick:attached') })).toContainText(
    windowText('quick:clipboard', { count: 22 }),
  )
  await expectAccessible(page, 'html')
  await takePictures(page, 'quick-attached')
  const before = requests()
  // Attaching sends nothing, and neither does leaving the page and coming back.
  expect(before).toBe(0)
  await page.keyboard.press('Enter')
  await expect(page.locator('.quick-reply')).toHaveAttribute('data-status', 'complete')
  await expect(reply(page).getByRole('heading', { name: 'Copied' })).toBeVisible()
  expect(requests()).toBe(before + 1)
  await expectAccessible(page)
  await takePictures(page, 'quick-reply')

  // A second prompt continues the same chat.
  await expect(prompt(page)).toBeFocused()
  await page.keyboard.type('And again')
  await page.keyboard.press('Enter')
  await expect(reply(page)).toContainText('And again')
  await page.keyboard.press('ControlOrMeta+O')
  await page.setViewportSize({ width: 1200, height: 800 })
  await settled(page, 'complete')
  await expect(turns(page).last()).toContainText('And again')
  expect(page.url()).toMatch(/#\/chat\/./)
})

test('a running reply can be stopped, and another prompt starts with an empty window', { tag: '@long' }, async ({
  page,
}) => {
  await openQuick(page)
  await page.getByRole('combobox', { name: windowText('quick:model') }).selectOption('writer-large')
  await prompt(page).fill('Write at length about lighthouses.')
  await prompt(page).press('Enter')
  await expect(page.locator('.quick-reply[data-status="streaming"] .md')).not.toBeEmpty()
  await page.getByRole('button', { name: windowText('quick:stop') }).click()
  await expect(reply(page)).toContainText(windowText('quick:stopped'))
  await page.getByRole('button', { name: windowText('quick:newPrompt') }).click()
  await expect(prompt(page)).toBeFocused()
  await expect(page.locator('.quick-reply')).toHaveCount(0)
})

test('About has a report without the key, which can be read and copied', { tag: '@long' }, async ({ page }) => {
  await allowClipboard(page)
  await world.enter(page)
  await page.evaluate(() => location.assign('#/settings/about'))
  await page.getByRole('button', { name: windowText('settings:about.showReport') }).click()
  const report = page.getByRole('textbox', { name: windowText('settings:about.report') })
  await expect(report).toHaveValue(/## Versions\nnode: /)
  expect(await report.inputValue()).not.toContain('sk-chat-world')
  await expectAccessible(page, '[data-settings]')
  await takePictures(page, 'about', true)
  await page.getByRole('button', { name: windowText('settings:about.copyReport') }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(await report.inputValue())
})
