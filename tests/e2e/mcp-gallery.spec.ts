import { expect, test } from '@playwright/test'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())

test('a server of the gallery is added by keyboard, with the exact command shown first and nothing started', async ({
  page,
}) => {
  await world.enter(page)
  await page.evaluate(() => location.assign('#/settings/tools'))
  const servers = page.getByRole('region', { name: windowText('chatTools:settings.servers.title') })
  await servers.getByRole('button', { name: windowText('chatTools:settings.servers.gallery') }).press('Enter')
  const gallery = page.getByRole('dialog', { name: windowText('chatTools:settings.gallery.title') })
  await expect(gallery.getByRole('listitem')).toHaveCount(6)
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'mcp-gallery', true)
  await gallery.getByRole('button', { name: /^Filesystem/ }).press('Enter')
  const add = page.getByRole('dialog', {
    name: windowText('chatTools:settings.gallery.addTitle', { name: 'Filesystem' }),
  })
  const addOff = add.getByRole('button', { name: windowText('chatTools:settings.gallery.addOff') })
  const folders = add.getByRole('textbox', { name: windowText('chatTools:settings.gallery.fields.folders') })
  await addOff.press('Enter')
  await expect(folders).toBeFocused()
  await expect(add).toContainText(windowText('chatTools:settings.gallery.fault.empty'))
  await page.keyboard.type('/srv/my notes')
  await expect(add).not.toContainText(windowText('chatTools:settings.gallery.fault.empty'))
  await expect(add.getByRole('region', { name: windowText('chatTools:settings.gallery.exact') })).toContainText(
    "npx -y @modelcontextprotocol/server-filesystem@2026.8.31 '/srv/my notes'",
  )
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'mcp-gallery-add', true)
  await addOff.press('Enter')
  await expect(add).toHaveCount(0)
  const added = servers.locator('[data-server="Filesystem"]')
  await expect(added).toContainText(windowText('chatTools:settings.servers.state.off'))
  await expect(added.getByRole('switch')).not.toBeChecked()
})
