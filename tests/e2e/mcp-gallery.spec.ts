import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { node24 } from '../../resources/scripts/ready.mjs'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'
import { newDataDir } from './hosts.ts'

const realServer = fileURLToPath(new URL('../helpers/mcp/stdio.ts', import.meta.url))
/** File with the arguments of everything that was started as npx. */
let started = ''

let world: ChatWorld
test.beforeAll(async () => {
  const programs = newDataDir()
  started = join(programs, 'arguments.txt')
  // In place of npx, which would download a package: notes its arguments and starts a real server from this repository.
  writeFileSync(
    join(programs, 'npx'),
    `#!/bin/sh\nprintf '%s\\n' "$@" >> '${started}'\nexec '${node24()}' '${realServer}' good\n`,
    { mode: 0o755 },
  )
  world = await openChatWorld(undefined, { PATH: `${programs}${delimiter}${process.env.PATH}` })
})
test.afterAll(() => world.close())

test('a server of the gallery is added by keyboard, with the exact command shown first and nothing started', {
  tag: '@long',
}, async ({ page }) => {
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

test('“Add and turn on” starts exactly the command that was shown, and lists the tools', { tag: '@long' }, async ({
  page,
}) => {
  await world.enter(page)
  await page.evaluate(() => location.assign('#/settings/tools'))
  const servers = page.getByRole('region', { name: windowText('chatTools:settings.servers.title') })
  await servers.getByRole('button', { name: windowText('chatTools:settings.servers.gallery') }).press('Enter')
  const gallery = page.getByRole('dialog', { name: windowText('chatTools:settings.gallery.title') })
  await gallery.getByRole('button', { name: /^Filesystem/ }).press('Enter')
  const add = page.getByRole('dialog', {
    name: windowText('chatTools:settings.gallery.addTitle', { name: 'Filesystem' }),
  })
  await add
    .getByRole('textbox', { name: windowText('chatTools:settings.gallery.fields.folders') })
    .fill('/srv/a b\n/srv/$HOME')
  const shown = add.getByRole('region', { name: windowText('chatTools:settings.gallery.exact') })
  const name = /@modelcontextprotocol\/server-filesystem@[\d.]+/.exec(await shown.innerText())?.[0]
  expect(() => readFileSync(started)).toThrow(/ENOENT/)
  await add.getByRole('button', { name: windowText('chatTools:settings.gallery.addOn') }).press('Enter')
  await expect(add).toHaveCount(0)
  const added = servers.locator('[data-server^="Filesystem"]').last()
  // The server was confirmed in the gallery, so no second question follows.
  await expect(added).toContainText(windowText('chatTools:settings.servers.state.ready'))
  await expect(added.getByRole('switch')).toBeChecked()
  expect(readFileSync(started, 'utf8').trim().split('\n')).toEqual(['-y', name, '/srv/a b', '/srv/$HOME'])
  await added.getByRole('button', { name: /^Filesystem/ }).press('Enter')
  const tools = windowText('chatTools:settings.servers.toolsOf', { name: 'Filesystem' })
  await expect(added.getByRole('region', { name: tools })).toContainText('echo')
  await expectAccessible(page)
  await takePictures(page, 'mcp-gallery-on', true)
  await added.getByRole('switch').press('Space')
  await expect(added).toContainText(windowText('chatTools:settings.servers.state.off'))
})
