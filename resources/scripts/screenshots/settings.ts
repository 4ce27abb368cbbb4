import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { sectionNames } from '../../../src-renderer/features/settings/sections.ts'
import { newDataDir, openWebHost } from '../../../tests/e2e/hosts.ts'
import { askModel, connectTo } from '../../../tests/e2e/journey.ts'
import { startHttp } from '../../../tests/helpers/mcp/http.ts'
import { windowText } from '../../../tests/helpers/windowText.ts'
import type { Camera } from './camera.ts'
import { type Connected, loaded, open, openPage, type Studio, shootDialog, showParts } from './scene.ts'

/** Every section of Settings, and the dialogs that open from them. */
export async function settings(studio: Studio): Promise<void> {
  await showParts(studio, everySection, chatDialogs, servers, sync, backup)
}

async function everySection(world: Connected): Promise<void> {
  const { page, camera } = world
  await askModel(page, 'mirror', 'Before the backup')
  for (const section of sectionNames) {
    await open(page, `settings/${section}`)
    await page.locator(`[data-settings="${section}"]`).waitFor()
    await loaded(page)
    await camera.shoot(page, section)
    await shootRest(world, section)
  }
  await open(page, 'settings/connection')
  await shootDialog(world, windowText('settings:connection.add'), 'add-connection')
}

/** Pictures of what is below the first screen of a section. */
async function shootRest({ page, camera }: Connected, section: string): Promise<void> {
  const stage = page.locator(`[data-settings="${section}"]`)
  // A list of one kind of lines looks the same on each screen.
  const screens = section === 'shortcuts' ? 1 : await stage.evaluate(screensOf)
  for (let screen = 2; screen <= screens; screen += 1)
    await camera.shoot(page, `${section}-${screen}`, { ready: () => stage.evaluate(scrollTo, screen - 1) })
  await stage.evaluate(scrollTo, 0)
}

/** Number of screens of the element that scrolls around this one. Runs in the page. */
function screensOf(inner: Element): number {
  let box: Element | null = inner
  while (box && !['auto', 'scroll'].includes(getComputedStyle(box).overflowY)) box = box.parentElement
  return box ? Math.ceil(box.scrollHeight / box.clientHeight - 0.1) : 1
}

/** Scrolls by this number of screens. Runs in the page. */
function scrollTo(inner: Element, screens: number): void {
  let box: Element | null = inner
  while (box && !['auto', 'scroll'].includes(getComputedStyle(box).overflowY)) box = box.parentElement
  if (box) box.scrollTop = box.clientHeight * screens
}

async function chatDialogs(world: Connected): Promise<void> {
  const { page, camera } = world
  await open(page, 'settings/chat')
  await shootDialog(world, windowText('textActions:settings.add'), 'add-text-action')
  await open(page, 'settings/about')
  await page.getByRole('button', { name: windowText('settings:about.showReport') }).click()
  await page.getByRole('textbox', { name: windowText('settings:about.report') }).waitFor()
  await camera.shoot(page, 'diagnostics')
}

/** The gallery of MCP servers, one of its servers, and the warning before a server starts. */
async function servers({ page, camera }: Connected): Promise<void> {
  await open(page, 'settings/tools')
  await page.getByRole('button', { name: windowText('chatTools:settings.servers.gallery') }).click()
  const gallery = page.getByRole('dialog', { name: windowText('chatTools:settings.gallery.title') })
  await gallery.getByRole('listitem').nth(5).waitFor()
  await camera.shoot(page, 'mcp-gallery')
  await gallery.getByRole('button', { name: /^Filesystem/ }).click()
  await page
    .getByRole('textbox', { name: windowText('chatTools:settings.gallery.fields.folders') })
    .fill('/home/ada/notes')
  await camera.shoot(page, 'mcp-gallery-server')
  await page.getByRole('button', { name: windowText('chatTools:settings.gallery.addOff') }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page
    .getByRole('switch', { name: windowText('chatTools:settings.servers.switch', { name: 'Filesystem' }) })
    .click()
  await page.getByRole('dialog').waitFor()
  await camera.shoot(page, 'mcp-warning')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: windowText('chatTools:settings.servers.add') }).click()
  await page.getByRole('dialog').waitFor()
  await camera.shoot(page, 'mcp-add')
  await serverDetails(page, camera)
}

/** A server that runs, with its details, from the dialog that adds it. */
async function serverDetails(page: Page, camera: Camera): Promise<void> {
  const mcp = await startHttp('sessions')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(windowText('chatTools:settings.form.name'), { exact: true }).first().fill('Notes')
  await dialog.getByRole('radio', { name: windowText('chatTools:settings.server.http') }).click()
  await dialog.getByLabel(windowText('chatTools:settings.server.url')).fill(mcp.url)
  await dialog.getByRole('button', { name: windowText('chatTools:settings.form.add'), exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('switch', { name: windowText('chatTools:settings.servers.switch', { name: 'Notes' }) }).click()
  await dialog.getByRole('button', { name: windowText('chatTools:settings.servers.confirmTurnOn') }).click()
  const card = page.locator('[data-server="Notes"]')
  await card
    .getByText(windowText('chatTools:settings.servers.state.ready'), { exact: true })
    .waitFor({ timeout: 60_000 })
  await card.getByRole('button', { name: /^Notes/ }).click()
  await card.scrollIntoViewIfNeeded()
  await camera.shoot(page, 'mcp-details')
  await mcp.close()
}

async function sync({ page, camera }: Connected): Promise<void> {
  await open(page, 'settings/data')
  const group = page.getByRole('region', { name: windowText('data:sync.title') })
  await group.getByLabel(windowText('data:sync.folder')).fill(mkdtempSync(join(tmpdir(), 'shared-')))
  await page.keyboard.press('Enter')
  await group.getByRole('status').waitFor()
  await group.scrollIntoViewIfNeeded()
  await camera.shoot(page, 'sync')
}

/** The question before everything is deleted, a backup, the question before it is restored, and what follows the restart. */
async function backup({ browser, camera, sandbox }: Connected): Promise<void> {
  // With a key for this session only, which a restart forgets.
  const host = await openWebHost(newDataDir())
  const page = await openPage(browser)
  await page.goto(host.url)
  await connectTo(page, sandbox.baseUrl, sandbox.apiKey)
  await askModel(page, 'mirror', 'Before the backup')
  await open(page, 'settings/data')
  await page.getByRole('button', { name: windowText('data:eraseAll.open') }).click()
  await page.getByRole('alertdialog').waitFor()
  await camera.shoot(page, 'delete-everything')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: windowText('data:backup.save') }).click()
  const tar = await (await saved).path()
  await page.getByLabel(windowText('data:restore.file')).setInputFiles(tar)
  const dialog = page.getByRole('dialog', { name: windowText('data:restore.askTitle') })
  await dialog.waitFor()
  await camera.shoot(page, 'restore')
  await dialog.getByRole('button', { name: windowText('data:restore.restart') }).click()
  await page
    .getByRole('status')
    .filter({ hasText: windowText('data:restored.title') })
    .first()
    .waitFor()
  await loaded(page)
  await camera.shoot(page, 'restored')
  await page.close()
}
