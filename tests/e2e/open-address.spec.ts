import { expect, type Page, test } from '@playwright/test'
import { shell } from '../../src-renderer/i18n/en/shell.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openWebHost, tellingBrowser } from './hosts.ts'

// The address that `serve --open` gives to the browser has a code, because every user of the computer can read a command line.

test.afterEach(closeHosts)

/** A web host that has opened its page, with the opened address. */
async function openHost() {
  const opener = tellingBrowser()
  const host = await openWebHost(newDataDir(), ['--open'], opener.env)
  return { host, address: await opener.address() }
}

const expectStudio = async (page: Page): Promise<void> => {
  await expect(page.getByRole('heading', { name: windowText('shell:welcome.title') })).toBeVisible()
  expect(page.url()).not.toMatch(/code=|token=/)
}

test('the opened address works once: reload and a second tab keep working, another browser gets the way in', async ({
  page,
  browser,
}) => {
  const { host, address } = await openHost()
  expect(address).not.toContain(new URL(host.url).hash.slice('#token='.length))
  await page.goto(address)
  await expectStudio(page)
  await page.reload()
  await expectStudio(page)
  const tab = await page.context().newPage()
  await tab.goto(address)
  await expectStudio(tab)

  const context = await browser.newContext()
  const stranger = await context.newPage()
  await stranger.goto(address)
  await expect(stranger.getByRole('heading', { name: shell.status.unauthorizedTitle })).toBeVisible()
  await expect(stranger.getByText(shell.status.unauthorizedAbout)).toBeVisible()
  await expectAccessible(stranger)
  await takePictures(stranger, 'used-address', true)
  const field = stranger.getByRole('textbox', { name: shell.locked.address })
  await field.fill(address)
  await stranger.getByRole('button', { name: shell.locked.open }).click()
  await expect(stranger.getByText(shell.locked.wrong)).toBeVisible()
  await field.fill(`Inference Studio  ${host.url}`)
  await field.press('Enter')
  await expectStudio(stranger)
  await context.close()
})
