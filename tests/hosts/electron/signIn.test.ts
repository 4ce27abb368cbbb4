// @long Starts the desktop application for each test. tests/e2e/mcp-sign-in.spec.ts signs in at the same servers.
// @module-tag chromium

import { type Page, expect as playwright } from '@playwright/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pageTimeout } from '../../helpers/effort.ts'
import type { Desktop } from '../../helpers/electron/launch.ts'
import {
  decideInBrowser,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../helpers/mcp/authorizationServer.ts'
import { startHttp } from '../../helpers/mcp/http.ts'
import { windowText } from '../../helpers/windowText.ts'
import { launchConnected, openedOutside, tidy, watchOutside } from './fixtures.ts'

const expectPage = playwright.configure({ timeout: pageTimeout })

let authorization: TestAuthorizationServer
let mcp: Awaited<ReturnType<typeof startHttp>>

beforeEach(async () => {
  authorization = await startAuthorizationServer()
  mcp = await startHttp('modern', authorization.protect())
})
afterEach(async () => {
  await tidy()
  await Promise.all([mcp, authorization].map((server) => server.close()))
})

const button = (name: string) => ({ name, exact: true })

/** Adds the server and turns it on. Returns its card, which asks for a sign-in. */
async function addServer(page: Page) {
  await page.evaluate(() => location.assign('#/settings/tools'))
  const servers = page.getByRole('region', { name: windowText('chatTools:settings.servers.title') })
  await servers.getByRole('button', button(windowText('chatTools:settings.servers.add'))).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(windowText('chatTools:settings.server.name'), { exact: true }).first().fill('Notes')
  await dialog.getByRole('radio', { name: windowText('chatTools:settings.server.http') }).press('Space')
  await dialog.getByLabel(windowText('chatTools:settings.server.url')).fill(mcp.url)
  await dialog.getByRole('button', button(windowText('chatTools:settings.server.add'))).click()
  const card = servers.locator('[data-server="Notes"]')
  await card.getByRole('switch').press('Space')
  await dialog.getByRole('button', button(windowText('chatTools:settings.servers.confirmTurnOn'))).click()
  await expectPage(card.getByRole('note')).toContainText(windowText('chatTools:settings.signIn.needed'))
  return card
}

/** The only address opened since the last call, once there is one. */
async function openedAddress(desktop: Desktop): Promise<string> {
  const opened: string[] = []
  await expect.poll(async () => opened.push(...(await openedOutside(desktop)))).toBeGreaterThan(0)
  expect(opened).toHaveLength(1)
  return opened[0] ?? ''
}

test("a sign-in opens its page once, in the system's browser and in no window, and ends with the server's tools", async () => {
  const { desktop } = await launchConnected()
  const { page } = desktop
  await watchOutside(desktop)
  const card = await addServer(page)
  expect(await openedOutside(desktop)).toEqual([])
  await card.getByRole('button', button(windowText('chatTools:settings.signIn.start'))).click()
  const address = await openedAddress(desktop)
  expect(new URL(address).origin).toBe(authorization.issuer)
  expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256')
  await expectPage(card.getByRole('status')).toContainText(windowText('chatTools:settings.signIn.waiting'))
  // The link opens the same page again, for a browser that was closed by mistake.
  await card.getByRole('link', { name: windowText('chatTools:settings.signIn.open') }).click()
  expect(await openedAddress(desktop)).toBe(address)
  expect(await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
  expect(page.url()).not.toContain(authorization.issuer)

  const last = await decideInBrowser(address, 'allow')
  expect(last.status).toBe(200)
  await expectPage(card).toContainText(windowText('chatTools:settings.servers.state.ready'))
  expect(await page.content()).not.toMatch(/access_|refresh_|code_/)
})

test("a sign-in whose page the system can't open says so, and its link still works", async () => {
  const { desktop } = await launchConnected()
  const { page } = desktop
  await desktop.evaluate(({ shell }) => {
    shell.openExternal = () => Promise.reject(new Error('No application is registered for this address'))
  })
  const card = await addServer(page)
  await card.getByRole('button', button(windowText('chatTools:settings.signIn.start'))).click()
  await expectPage(page.getByRole('region', { name: windowText('common:notification') })).toContainText(
    windowText('chatTools:settings.signIn.notOpened', { reason: '' }).slice(0, 30),
  )
  await watchOutside(desktop)
  await card.getByRole('link', { name: windowText('chatTools:settings.signIn.open') }).click()
  const last = await decideInBrowser(await openedAddress(desktop), 'allow')
  expect(last.status).toBe(200)
  await expectPage(card).toContainText(windowText('chatTools:settings.servers.state.ready'))
})
