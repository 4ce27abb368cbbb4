import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { root } from '../../resources/scripts/ready.mjs'
import { startHttp } from '../helpers/mcp/http.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openWebHost } from './hosts.ts'
import { addToMessage, composer, lastReply, pressInDialog, send, settled } from './journey.ts'

// What a newcomer meets: the sandbox's own model, the guide in the window, and each thing that is proposed.

test.afterAll(closeHosts)

const help = (page: Page): Locator => page.getByRole('dialog', { name: windowText('help:title') })
const linkOf = (page: Page, name: string): Locator => lastReply(page).getByRole('link', { name, exact: true })

async function ask(page: Page, text: string): Promise<void> {
  await send(page, text)
  await settled(page, 'complete')
}

test('a newcomer gets an answer from the guide, opens its page, and every proposal works', async ({ page }) => {
  const host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await page.getByRole('button', { name: windowText('shell:welcome.sandbox.button') }).click()
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText('I search, and quote what I find')
  await expect(page.getByRole('button', { name: /^Model/ })).toContainText('guide')
  // Its price is known from the account, so the first reply has a cost.
  await expect(page.getByText(/^Chat [\d.]+ SC( est\.)?$/)).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'guide-hello', true)

  await ask(page, 'Where is my API key stored?')
  await linkOf(page, 'First steps › Where the API key is stored').click()
  await expect(help(page).getByRole('heading', { name: 'Where the API key is stored' })).toBeInViewport()
  await expectAccessible(page)
  await takePictures(page, 'guide-help', true)
  // Another page, by a link of the guide and by the list.
  await help(page).getByRole('link', { name: 'your data' }).click()
  await expect(help(page).getByRole('heading', { name: 'Your data' })).toBeInViewport()
  await help(page)
    .getByRole('combobox', { name: windowText('help:page') })
    .selectOption('Chat')
  await expect(help(page).getByRole('heading', { name: 'Chat', exact: true })).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect(help(page)).toBeHidden()

  // A prompt is filled in, not sent. Enter sends it.
  await ask(page, 'hi')
  const proposals = lastReply(page).getByRole('link')
  let prompt = ''
  // The last words of a reply may be drawn a little after its status.
  await expect
    .poll(async () => {
      prompt = (await proposals.allInnerTexts()).find((name) => name.endsWith('?')) ?? ''
      return prompt
    })
    .not.toBe('')
  await linkOf(page, prompt).click()
  await expect(composer(page)).toHaveValue(prompt)
  await composer(page).press('Enter')
  await expect(lastReply(page)).toContainText('From Local API › Set a budget or a limit for an app')
  await expect(lastReply(page)).toHaveAttribute('data-status', 'complete')
})

test('the hint for the key that sends disappears after the first three messages', async ({ page }) => {
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(host.url)
  const hint = page.locator('.chat-hint')
  for (let sent = 0; sent < 3; sent += 1) {
    await expect(hint).toHaveText(/^Enter to send/)
    await ask(page, 'hi')
  }
  await expect(hint).toBeEmpty()
  await page.reload()
  await expect(composer(page)).toBeVisible()
  await expect(hint).toBeEmpty()
})

test('the address of a page of the guide opens it over the page that is shown', async ({ page }) => {
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(host.url)
  await expect(composer(page)).toBeVisible()
  await page.evaluate(() => {
    location.hash = '#/usage'
  })
  await page.evaluate(() => {
    location.hash = '#/help/start%23where-the-api-key-is-stored'
  })
  await expect(help(page).getByRole('heading', { name: 'Where the API key is stored' })).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect(help(page)).toBeHidden()
  await expect(page).toHaveURL(/#\/usage$/)
})

test('each page that is proposed opens', async ({ page }) => {
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(host.url)
  await expect(composer(page)).toBeVisible()
  const seen = new Set<string>()
  // The proposals change from message to message.
  for (let turn = 0; turn < 4; turn += 1) {
    await ask(page, 'hi')
    const found = await lastReply(page).getByRole('link').all()
    for (const link of found) seen.add(`${await link.getAttribute('title')}`)
  }
  const pages = [...seen].filter((address) => address.includes('//page/')).sort()
  expect(pages).toEqual([
    'inference-studio://page/images',
    'inference-studio://page/proxy',
    'inference-studio://page/settings/tools',
    'inference-studio://page/speech',
  ])
  const chat = page.url()
  for (const address of pages) {
    await page.goto(chat)
    const link = page
      .getByRole('link')
      .and(page.locator(`[title="${address}"]`))
      .last()
    // A chat that opens scrolls to its end and gives the message field the focus, so one press could miss.
    await expect(async () => {
      await link.press('Enter')
      await expect(page).toHaveURL(new RegExp(`#/${address.split('//page/')[1]}$`), { timeout: 2000 })
    }).toPass()
  }
})

test('an attached document is quoted with its page', async ({ page }) => {
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(host.url)
  await expect(composer(page)).toBeVisible()
  await composer(page).evaluate(
    (field, base64) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], 'report.pdf'))
      field.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    },
    readFileSync(join(root, 'tests/fixtures/documents/report-libreoffice.pdf')).toString('base64'),
  )
  await expect(page.getByRole('list', { name: windowText('documents:toSend') })).toContainText('3 pages')
  await ask(page, 'What does the third page do with the report?')
  await expect(lastReply(page)).toContainText('From report.pdf, Page 3:')
  await expect(lastReply(page)).toContainText('The third page ends the report.')
})

test('the list of models shows guide, and the test models behind a button, with numbers that add up; a chosen one is asked [CHAT-01]', async ({
  page,
}) => {
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(host.url)
  await page.getByRole('button', { name: /^Model/ }).click()
  const list = page.getByRole('listbox', { name: windowText('chat:pickModel') })
  await expect(list.getByRole('option')).toHaveCount(1)
  await expect(list.getByRole('option')).toHaveAttribute('aria-setsize', '1')
  const foot = page.locator('.chat-models-foot')
  const [, shown, all] = /(\d+) of (\d+) models/.exec(await foot.innerText()) ?? []
  const left = [...(await foot.innerText()).matchAll(/\((\d+)\)/g)].map(([, count]) => Number(count))
  expect(Number(shown) + left.reduce((sum, count) => sum + count, 0)).toBe(Number(all))
  await expectAccessible(page)
  await takePictures(page, 'guide-models', true)
  await foot.getByRole('button', { name: /More test models/ }).click()
  await expect(list.getByRole('option', { name: 'writer-large' })).toBeVisible()
  await expect(foot.getByRole('button', { name: windowText('models:hideTests') })).toBeVisible()
  await list.getByRole('option', { name: 'writer-large' }).click()
  await ask(page, 'Hello.')
  await expect(lastReply(page)).toHaveAttribute('aria-label', 'writer-large')
})

test('a proposed tool can be added, is called when it is asked for by name, and waits for the person', async ({
  page,
}) => {
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(`${host.url}`)
  await expect(composer(page)).toBeVisible()
  await page.evaluate(() => {
    location.hash = '#/settings/tools'
  })
  await page.getByRole('button', { name: windowText('chatTools:settings.functions.add') }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel(windowText('chatTools:settings.form.name')).fill('get_tide')
  await form.getByLabel(windowText('chatTools:settings.form.description')).fill('Returns the next high tide.')
  await form
    .getByRole('combobox', { name: windowText('chatTools:settings.form.start') })
    .selectOption({ label: windowText('chatTools:settings.form.example.text') })
  await form.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await expect(form).toBeHidden()
  await page.evaluate(() => {
    location.hash = '#/chat'
  })
  await page.getByRole('button', { name: windowText('composer:addMenu') }).click()
  await page.getByRole('menuitem', { name: windowText('composer:addTools'), exact: true }).click()
  await page.getByRole('switch', { name: windowText('chatTools:pick.switch', { name: 'get_tide' }) }).click()
  await page.keyboard.press('Escape')
  // With the tool switched on, the first proposal is to call it.
  await ask(page, 'hi')
  await linkOf(page, 'Call get_tide').click()
  await composer(page).press('Enter')
  await expect(page.locator('[data-tool-call][data-state="by_hand"]')).toBeVisible()
})

test('a tool of an MCP server is called after the person allows it, and the guide says what it returned', async ({
  page,
}) => {
  const mcp = await startHttp('sessions')
  const host = await openWebHost(newDataDir(), ['--sandbox'])
  await page.goto(host.url)
  await expect(composer(page)).toBeVisible()
  await page.evaluate(() => {
    location.hash = '#/settings/tools'
  })
  await page.getByRole('button', { name: windowText('chatTools:settings.servers.add') }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel(windowText('chatTools:settings.form.name'), { exact: true }).first().fill('remote')
  await form.getByRole('radio', { name: windowText('chatTools:settings.server.http') }).click()
  await form.getByLabel(windowText('chatTools:settings.server.url')).fill(mcp.url)
  await form.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await page.getByRole('switch', { name: 'Turn on remote' }).click()
  await pressInDialog(page, windowText('chatTools:settings.servers.confirmTurnOn'))
  await page.evaluate(() => {
    location.hash = '#/chat'
  })
  await addToMessage(page, 'Tools…')
  await page.getByRole('switch', { name: 'Use remote_add', exact: true }).setChecked(true)
  await page.keyboard.press('Escape')
  await send(page, 'Call remote_add')
  const call = page.locator('[data-tool-call]')
  await expect(call).toHaveAttribute('data-state', 'awaiting')
  expect(mcp.state.called).toEqual([])
  await call.getByRole('button', { name: windowText('chatTools:ask.once') }).click()
  await expect(lastReply(page)).toContainText('"sum":')
  await settled(page, 'complete')
  expect(mcp.state.called).toEqual(['add'])
  await mcp.close()
})
