import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, expectAccessibleInDark, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openConnectedHost, openSandbox, type WebHost } from './hosts.ts'
import { connectApp, goToPage, openInspector, quick } from './journey.ts'

let host: WebHost

test.beforeEach(async ({ page }) => {
  host = await openConnectedHost(await openSandbox({ paces: quick }))
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(host.url)
  await goToPage(page, windowText('shell:pages.proxy'))
})
test.afterEach(closeHosts)

const form = (page: Page): Locator => page.getByRole('dialog', { name: 'Edit harbour' })

async function openForm(page: Page): Promise<void> {
  await page
    .getByRole('article', { name: 'harbour' })
    .getByRole('button', { name: /^Actions|More/ })
    .click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.edit') }).click()
}
const save = (page: Page): Promise<void> =>
  form(page)
    .getByRole('button', { name: windowText('proxy:form.save') })
    .click()

test('tools are allowed in the form of an app, with folders that are checked, and what its agent makes is marked with the app', async ({
  page,
}) => {
  const key = await connectApp(page, 'harbour')
  const folder = join(newDataDir(), 'results')
  mkdirSync(folder)
  await openForm(page)
  const allow = form(page).getByRole('switch', { name: windowText('proxy:form.toolsOn') })
  const output = form(page).getByLabel(windowText('proxy:form.toolOutput'))
  const inputs = form(page).getByLabel(windowText('proxy:form.toolInputs'))
  await expect(allow).not.toBeChecked()
  await expect(output).toHaveCount(0)
  await allow.click()
  await output.scrollIntoViewIfNeeded()
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'app-tools-1-form', true)
  await output.fill('results')
  await inputs.fill(`${folder}\n../notes`)
  await save(page)
  await expect(form(page)).toContainText(windowText('proxy:form.bad.folder'))
  await expect(output).toBeFocused()
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'app-tools-2-bad', true)
  await output.fill(folder)
  await inputs.fill(`${folder}\n`)
  await save(page)
  await expect(form(page)).toHaveCount(0)
  await openForm(page)
  await expect(allow).toBeChecked()
  await expect(output).toHaveValue(folder)
  await expect(inputs).toHaveValue(folder)
  await form(page)
    .getByRole('button', { name: windowText('proxy:form.cancel') })
    .click()

  const agent = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${key}` }
  const address = new URL('/mcp', host.ready.proxy?.baseUrl)
  await agent.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
  const call = (name: string, args: Record<string, unknown>) => agent.callTool({ name, arguments: args })
  try {
    expect(await call('generate_image', { prompt: 'A lighthouse' })).not.toMatchObject({ isError: true })
    expect(await call('speak', { text: 'The harbour is quiet.', format: 'wav' })).not.toMatchObject({ isError: true })
    const spoken = join(folder, 'The harbour is quiet.wav')
    expect(await call('transcribe', { path: spoken })).not.toMatchObject({ isError: true })
    expect(readdirSync(folder)).toHaveLength(2)
  } finally {
    await agent.close()
  }

  await goToPage(page, windowText('shell:pages.images'))
  // An image of the person, which has no mark.
  const prompt = page.getByRole('textbox', { name: windowText('images:details.prompt'), exact: true })
  await prompt.fill('A boat of mine')
  await prompt.press('Enter')
  const mark = windowText('common:madeBy', { app: 'harbour' })
  const pictures = page.getByRole('option')
  await expect(pictures).toHaveCount(2)
  await expect(page.getByRole('option', { name: mark })).toHaveCount(1)
  await expect(pictures.filter({ hasText: 'harbour' })).toHaveCount(1)
  await expectAccessible(page)
  await takePictures(page, 'app-tools-3-images', true)
  await page.getByRole('option', { name: mark }).click()
  await page.keyboard.press('Escape')
  await openInspector(page)
  const inspector = page.getByRole('complementary', { name: windowText('common:inspector') })
  await expect(inspector).toContainText(windowText('common:creator'))
  await expect(inspector).toContainText('harbour')
  await expectAccessibleInDark(page, 'app-tools-4-image')
  const search = page.getByRole('textbox', { name: windowText('images:search') })
  await search.fill('harbour')
  await expect(pictures).toHaveCount(1)
  await search.fill('')

  for (const [name, go, row] of [
    ['app-tools-5-speech', windowText('shell:pages.speech'), 'The harbour is quiet.'],
    ['app-tools-6-transcript', windowText('shell:pages.transcribe'), 'The harbour is quiet.wav'],
  ] as const) {
    await goToPage(page, go)
    const item = page.getByRole('listitem').filter({ hasText: row })
    await expect(item).toContainText(mark)
    await item.getByRole('button').first().click()
    await openInspector(page)
    await expect(inspector).toContainText(windowText('common:creator'))
    await expectAccessibleInDark(page, name)
  }
})
