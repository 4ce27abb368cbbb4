import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, fromMenu, openChatWorld } from './chatWorld.ts'
import { composer, connectApp, goToPage, openRawView, pickModel, settled } from './journey.ts'
import { type Line, scripted, startScripted } from './scripted.ts'

// What a screen reader says, as scripts: one file of `heard` for each step, with roles, names and states in their order, and what Tab reaches.
// A changed file is a changed script: read it as a person hears it. `npm run -s browser -- screen-reader --update-snapshots=changed` writes
// changed steps anew. Take what differs from run to run out of them.

/** Settings, section Chat. The rail has a link of the same name. */
async function openChatSettings(page: Page): Promise<void> {
  await goToPage(page, windowText('settings:title'))
  const list = page.getByRole('complementary', { name: windowText('shell:list') })
  await list.getByRole('link', { name: windowText('settings:chat.title'), exact: true }).click()
}

const heard = (place: Locator, step: string): Promise<void> =>
  expect(place).toMatchAriaSnapshot({ name: `${step}.aria.yml` })

/** Expects what Tab reaches from `start` on, in the order of the script. */
async function tabs(page: Page, start: Locator, presses: number, step: string): Promise<void> {
  await start.focus()
  const order: string[] = []
  for (let press = 0; press < presses; press += 1) {
    await page.keyboard.press('Tab')
    const [line = ''] = (await page.locator(':focus').ariaSnapshot()).split('\n')
    order.push(line.replace(/^- '?/, '').replace(/'?(:.*)?$/, ''))
  }
  expect(`${order.join('\n')}\n`).toMatchSnapshot(`${step}.txt`)
}

/** Starts to collect what live regions announce, or those that the selector `live` finds. The returned function waits until `last` was announced. */
async function listen(
  page: Page,
  live = '[role="status"], [role="alert"], [role="log"], [aria-live="polite"], [aria-live="assertive"]',
): Promise<(last: RegExp) => Promise<string[]>> {
  await page.evaluate((regions) => {
    const said: string[] = []
    Object.assign(globalThis, { said })
    const say = (node: Node) => {
      const element = node instanceof Element ? node : node.parentElement
      const text = element?.closest(regions) ? node.textContent?.trim() : null
      if (text) said.push(text)
    }
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes)
        if (type === 'characterData') say(target)
        else for (const node of addedNodes) say(node)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  }, live)
  const said = () => page.evaluate(() => (globalThis as unknown as { said: string[] }).said)
  return async (last) => {
    await expect.poll(async () => (await said()).at(-1)).toMatch(last)
    return said()
  }
}

const main = (page: Page): Locator => page.getByRole('main')
const dialog = (page: Page): Locator => page.getByRole('dialog').last()

const reply =
  '## Times\n\nThe **first** ferry leaves at `7`:\n\n- slow\n- [cheap](https://a.example)\n\n```ts\nrun()\n```\n'

test.describe('a scripted model', () => {
  let world: ChatWorld
  let service: Awaited<ReturnType<typeof startScripted>>
  let line: Line = { text: 'Yes.' }

  test.beforeAll(async () => {
    world = await openChatWorld(async ({ baseUrl }) => {
      service = await startScripted(baseUrl, () => line)
      return service.baseUrl
    })
  })
  test.afterAll(async () => {
    await service.close()
    await world.close()
  })
  test.beforeEach(({ page }) => world.enter(page))

  test('chat: regions, the order of Tab, a heading for each turn, and a reply that is announced once', async ({
    page,
  }) => {
    await heard(page.locator('body'), 'chat-1-new')
    await tabs(page, composer(page), 4, 'chat-2-tab')
    await pickModel(page, scripted)
    line = { text: reply }
    const said = await listen(page, '[role="log"]')
    await page.keyboard.type('When does it leave?')
    await page.keyboard.press('Enter')
    await settled(page, 'complete')
    const announced = await said(/^scripted replied/)
    expect(announced.join('\n')).toBe(
      'scripted replied: Times. The first ferry leaves at 7: slow. cheap. Code block, ts.',
    )
    await heard(page.getByRole('region', { name: windowText('chat:conversation') }), 'chat-3-reply')
  })

  test('a reply is announced by sentences while it arrives, where Settings say so, and its end', {
    tag: '@long',
  }, async ({ page }) => {
    await openChatSettings(page)
    const setting = page.getByRole('switch', { name: windowText('settings:chat.readSentences') })
    await setting.click()
    await expect(setting).toBeChecked()
    await goToPage(page, windowText('shell:pages.chat'))
    await pickModel(page, scripted)
    const rest = Promise.withResolvers<void>()
    async function* parts() {
      yield '# Ferries\n\nThe **first** one is slow. The second'
      await rest.promise
      yield ' one is not. The end'
    }
    line = { text: parts() }
    const said = await listen(page, '[role="log"]')
    await composer(page).fill('Tell me.')
    await page.keyboard.press('Enter')
    // Before the reply has ended.
    await expect(page.getByRole('log')).toHaveText('scripted replied: Ferries. The first one is slow.')
    rest.resolve()
    const announced = (await said(/has finished\.$/)).join(' ')
    expect(announced).toBe(
      'scripted replied: Ferries. The first one is slow. The second one is not. The end. scripted has finished.',
    )
    await openChatSettings(page)
    await setting.click()
  })

  test('dialogs', { tag: '@long' }, async ({ page }) => {
    await page.keyboard.press('ControlOrMeta+/')
    await heard(dialog(page), 'dialogs-1-shortcuts')
    await page.keyboard.press('Escape')
    line = { text: 'Yes.' }
    await pickModel(page, scripted)
    await composer(page).fill('A chat to move')
    await page.keyboard.press('Enter')
    await settled(page, 'complete')
    await fromMenu(page, 'A chat to move', windowText('library:move'))
    await heard(dialog(page), 'dialogs-2-move')
    await page.keyboard.press('Escape')
    await openRawView(page)
    await heard(dialog(page), 'dialogs-3-raw')
  })
})

test.describe('the sandbox', () => {
  let world: ChatWorld

  test.beforeAll(async () => {
    world = await openChatWorld()
  })
  test.afterAll(() => world.close())
  test.beforeEach(({ page }) => world.enter(page))

  test('model picker', { tag: '@long' }, async ({ page }) => {
    await page.getByRole('button', { name: /^Model/ }).press('Enter')
    const search = dialog(page).getByRole('combobox')
    await expect(search).toBeFocused()
    // Otherwise the first model would be read in place of the field.
    await expect(search).not.toHaveAttribute('aria-activedescendant')
    await heard(dialog(page), 'models-1-open')
    await search.fill('writer')
    await expect(search).toHaveAttribute('aria-activedescendant', /./)
    await heard(dialog(page), 'models-2-found')
    await page.keyboard.press('Escape')
    await expect(composer(page)).toBeFocused()
  })

  test('palette', { tag: '@long' }, async ({ page }) => {
    await page.keyboard.press('ControlOrMeta+k')
    const field = dialog(page).getByRole('combobox')
    await expect(field).not.toHaveAttribute('aria-activedescendant')
    await heard(dialog(page), 'palette-1-open')
    const said = await listen(page)
    await field.fill('speech')
    expect(await said(/\d/)).toEqual(['4 results'])
    await expect(field).toHaveAttribute('aria-activedescendant', /./)
    await heard(dialog(page), 'palette-2-found')
    await field.press('Escape')
  })

  test('local API', { tag: '@long' }, async ({ page }) => {
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
    const said = await listen(page)
    await page.keyboard.press('ControlOrMeta+7')
    expect(await said(/^Local API$/)).toContain('Local API')
    await heard(main(page), 'local-api-1-empty')
    await tabs(page, page.getByRole('button', { name: windowText('proxy:copyAddress') }), 6, 'local-api-2-tab')
    await page.getByRole('button', { name: 'Connect an app' }).first().click()
    await heard(dialog(page), 'local-api-3-connect')
    await page.keyboard.press('Escape')
    await connectApp(page, 'Editor')
    await heard(page.getByRole('region', { name: 'Apps', exact: true }), 'local-api-4-app')
  })

  test('images', { tag: '@long' }, async ({ page }) => {
    await goToPage(page, windowText('images:title'))
    await heard(main(page), 'images-1-empty')
    const prompt = page.getByRole('textbox', { name: windowText('images:details.prompt'), exact: true })
    await prompt.fill('A lighthouse')
    await prompt.press('Enter')
    await expect(page.getByRole('listbox', { name: windowText('images:gallery.label') })).toBeVisible()
    await heard(main(page), 'images-2-made')
    await tabs(page, prompt, 2, 'images-3-tab')
  })

  test('speech', { tag: '@long' }, async ({ page }) => {
    await goToPage(page, windowText('speech:title'))
    await heard(main(page), 'speech-1-empty')
    await tabs(page, page.getByRole('textbox', { name: 'Text' }), 6, 'speech-2-tab')
  })

  test('transcription', { tag: '@long' }, async ({ page }) => {
    await goToPage(page, windowText('transcribe:title'))
    await heard(main(page), 'transcribe-1-empty')
    await tabs(page, page.getByRole('button', { name: 'Try an example' }), 3, 'transcribe-2-tab')
  })

  test('usage', { tag: '@long' }, async ({ page }) => {
    await goToPage(page, windowText('usage:title'))
    await expect(page.getByRole('slider', { name: /by day/ })).toHaveAttribute('data-state', 'drawn')
    await heard(main(page), 'usage-1-overview')
    await tabs(page, page.getByRole('combobox', { name: 'Range' }), 4, 'usage-2-tab')
  })

  test('settings', { tag: '@long' }, async ({ page }) => {
    await openChatSettings(page)
    await expect(page.getByRole('heading', { level: 1, name: windowText('settings:chat.title') })).toBeVisible()
    // The models of the service.
    await expect(main(page).getByRole('option', { name: 'citer' }).first()).toBeAttached()
    await heard(main(page), 'settings-1-chat')
  })
})
