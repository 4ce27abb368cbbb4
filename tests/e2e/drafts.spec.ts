import { expect, test } from '@playwright/test'
import { type ChatWorld, openChatWorld, turns } from './chatWorld.ts'
import { askModel, composer, goToPage } from './journey.ts'

// Drafts are saved, and typing works even if the browser refuses storage.

let world: ChatWorld
const faults: string[] = []
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => {
  faults.length = 0
  page.on('pageerror', (thrown) => faults.push(String(thrown)))
})
test.afterEach(() => expect(faults).toEqual([]))

test('an example of the empty chat becomes a draft', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  const example = page.locator('.chat-welcome').getByRole('button').first()
  const text = await example.innerText()
  await example.click()
  await expect(composer(page)).toHaveValue(text)
  await expect(composer(page)).toBeFocused()
  await page.reload()
  await expect(composer(page)).toHaveValue(text)
  await composer(page).fill('')
})

/** Breaks the browser's storage. Runs before the page's scripts. */
const browsers: Record<string, () => void> = {
  'takes nothing more': () => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    }
  },
  'blocks every access': () => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
    }
  },
}

for (const [what, how] of Object.entries(browsers)) {
  test(`with a browser that ${what} every field takes what is typed, and that is said once`, { tag: '@long' }, async ({
    page,
  }) => {
    await page.addInitScript(how)
    await world.enter(page)
    const said = page.getByText('The browser’s storage for this page is full.')
    await composer(page).pressSequentially('A draft of a new chat')
    await expect(composer(page)).toHaveValue('A draft of a new chat')
    await expect(said).toHaveCount(1)
    await goToPage(page, 'Speech')
    const speech = page.getByRole('textbox', { name: 'Text' })
    await speech.pressSequentially('To be spoken')
    await expect(speech).toHaveValue('To be spoken')
    await goToPage(page, 'Images')
    const prompt = page.getByRole('textbox', { name: 'Prompt', exact: true })
    await prompt.pressSequentially('To be drawn')
    await expect(prompt).toHaveValue('To be drawn')
    await goToPage(page, 'Usage')
    await goToPage(page, 'Transcribe')
    await goToPage(page, 'Chat')
    await expect(composer(page)).toHaveValue('A draft of a new chat')
    await expect(said).toHaveCount(1)
    await askModel(page, 'mirror', 'It is sent.')
    await expect(turns(page)).toHaveCount(1)
    // The main process stores the draft of an existing chat.
    await composer(page).fill('A draft in a conversation')
    await expect(async () => {
      await page.reload()
      await expect(composer(page)).toHaveValue('A draft in a conversation', { timeout: 3_000 })
    }).toPass()
  })
}
