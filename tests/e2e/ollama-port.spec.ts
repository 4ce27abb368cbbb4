import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from '@playwright/test'
import { Ollama } from 'ollama'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, expectAccessibleInDark, takePictures } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox, type WebHost } from './hosts.ts'
import { connectApp, goToPage, quick } from './journey.ts'

let host: WebHost

test.beforeEach(async ({ page }) => {
  host = await openConnectedHost(await openSandbox({ paces: quick }))
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(host.url)
  await goToPage(page, windowText('shell:pages.proxy'))
})
test.afterEach(closeHosts)

test('the address with key is shown beside the key, and works in a program that sends none', async ({ page }) => {
  await connectApp(page, 'Notes')
  await page.getByRole('button', { name: windowText('proxy:apps.menu.name', { name: 'Notes' }) }).click()
  await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.rotate') }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: windowText('proxy:connect.createKey') }).click()
  const address = await dialog.getByRole('textbox', { name: windowText('proxy:connect.keyAddress') }).inputValue()
  await expectAccessible(page, 'dialog[open]')
  await expectAccessibleInDark(page, 'ollama-1-address')
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/app\/isk_/)
  const reply = await new Ollama({ host: address }).chat({
    model: 'mirror',
    messages: [{ role: 'user', content: 'Good morning' }],
  })
  expect(reply.message.content).toContain('Good morning')
})

test('Ollama’s port is chosen for an app with a budget, and says when the port is taken', async ({ page }) => {
  // Whoever has the port, this test or another program, it is taken.
  const other = createServer()
  other.on('error', () => undefined)
  other.listen(11_434, '127.0.0.1')
  await Promise.race([once(other, 'listening'), once(other, 'error')])
  try {
    await connectApp(page, 'Unlimited')
    await page.goto(`${new URL(page.url()).origin}/#/settings/proxy`)
    const select = page.getByRole('combobox', { name: windowText('settings:proxy.ollama') })
    await expect(page.getByText(windowText('settings:proxy.ollamaNoApp'))).toBeVisible()
    await expect(select.getByRole('option')).toHaveText([windowText('settings:proxy.ollamaOff')])
    await page.goto(`${new URL(page.url()).origin}/#/proxy`)
    await connectApp(page, 'Notes', async (dialog) => {
      await dialog.getByLabel(windowText('proxy:form.budgetDay')).fill('2')
    })
    await page.goto(`${new URL(page.url()).origin}/#/settings/proxy`)
    await expect(select.getByRole('option')).toHaveText([windowText('settings:proxy.ollamaOff'), 'Notes'])
    await select.selectOption('Notes')
    await expect(page.getByText('Port 11434 is in use, probably by Ollama. Quit it and try again.')).toBeVisible()
    await expectAccessible(page, 'main')
    await takePictures(page, 'ollama-2-taken', true)
    await page.getByRole('button', { name: windowText('settings:proxy.ollamaRetry') }).click()
    await expect(page.getByText('Port 11434 is in use')).toBeVisible()
    await select.selectOption(windowText('settings:proxy.ollamaOff'))
    await expect(page.getByText('Port 11434 is in use')).toBeHidden()
    await expectAccessible(page)
    await takePictures(page, 'ollama-3-off', true)
  } finally {
    other.close()
  }
})
