import { expect, type Page, test } from '@playwright/test'
import { startAuthorizationServer, type TestAuthorizationServer } from '../helpers/mcp/authorizationServer.ts'
import { startHttp } from '../helpers/mcp/http.ts'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures } from './chatWorld.ts'

let world: ChatWorld
let authorization: TestAuthorizationServer
let mcp: Awaited<ReturnType<typeof startHttp>>
const client = { id: 'entered-client', secret: 'entered-secret' }
let registers: TestAuthorizationServer
let byHand: Awaited<ReturnType<typeof startHttp>>

test.beforeAll(async () => {
  authorization = await startAuthorizationServer({ scopes: ['notes:read', 'notes:write'] })
  mcp = await startHttp('modern', authorization.protect())
  registers = await startAuthorizationServer({ registers: false, client })
  byHand = await startHttp('modern', registers.protect())
  world = await openChatWorld()
})
test.afterAll(async () => {
  await world.close()
  await Promise.all([mcp, byHand, authorization, registers].map((server) => server.close()))
})

const servers = (page: Page) => page.getByRole('region', { name: windowText('chatTools:settings.servers.title') })
const button = (name: string) => ({ name, exact: true })
const signInButton = button(windowText('chatTools:settings.signIn.start'))

/** Adds a server and turns it on, by keyboard. Returns its card. */
async function addServer(page: Page, name: string, url: string) {
  await page.evaluate(() => location.assign('#/settings/tools'))
  await servers(page)
    .getByRole('button', { name: windowText('chatTools:settings.servers.add') })
    .press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(windowText('chatTools:settings.server.name'), { exact: true }).first().fill(name)
  await dialog.getByRole('radio', { name: windowText('chatTools:settings.server.http') }).press('Space')
  await dialog.getByLabel(windowText('chatTools:settings.server.url')).fill(url)
  await dialog.getByRole('button', button(windowText('chatTools:settings.server.add'))).press('Enter')
  await expect(dialog).toHaveCount(0)
  const card = servers(page).locator(`[data-server="${name}"]`)
  await card.getByRole('switch').press('Space')
  await page
    .getByRole('dialog')
    .getByRole('button', button(windowText('chatTools:settings.servers.confirmTurnOn')))
    .press('Enter')
  await expect(card.getByRole('note')).toContainText(windowText('chatTools:settings.signIn.needed'))
  return card
}

test('a server asks for a sign-in; a new tab opens its page, and the tools are listed after Allow', {
  tag: '@long',
}, async ({ page }) => {
  await world.enter(page)
  const card = await addServer(page, 'Notes', mcp.url)
  await expect(card).toContainText('notes:read')
  // Nothing was asked before the yes.
  expect(authorization.seen).toEqual([])
  await expectAccessible(page)
  await takePictures(page, 'mcp-sign-in-needed', true)

  const opened = page.context().waitForEvent('page')
  await card.getByRole('button', signInButton).press('Enter')
  const tab = await opened
  await expect(tab.getByRole('heading')).toHaveText('Allow Inference Studio?')
  expect(await tab.evaluate(() => window.opener)).toBeNull()
  await expect(card.getByRole('status')).toContainText(windowText('chatTools:settings.signIn.waiting'))
  await expect(card.getByRole('link', { name: windowText('chatTools:settings.signIn.open') })).toHaveAttribute(
    'rel',
    'noopener noreferrer',
  )
  await page.bringToFront()
  await expectAccessible(page)
  await takePictures(page, 'mcp-sign-in-waiting', true)

  await tab.bringToFront()
  await tab.getByRole('button', { name: 'Allow' }).press('Enter')
  await expect(tab.getByRole('heading')).toHaveText('Go back to Inference Studio')
  // Its policy forbids scripts, so axe cannot run in it.
  await expect(tab.getByRole('main')).toBeVisible()
  await expect(tab).toHaveTitle('Go back to Inference Studio')
  await takePictures(tab, 'mcp-sign-in-last-page')
  await page.bringToFront()
  await expect(card).toContainText(windowText('chatTools:settings.servers.state.ready'))
  const details = card.getByRole('button', { name: /^Notes/ })
  // Speech control finds a button by its visible text.
  await expect(details).toHaveAccessibleName((await details.innerText()).replaceAll(/\s+/g, ' '))
  await details.press('Enter')
  await expect(
    card.getByRole('region', { name: windowText('chatTools:settings.servers.toolsOf', { name: 'Notes' }) }),
  ).toContainText('echo')
  await expectAccessible(page, 'html')
  // The page tests run without a keychain.
  const host = new URL(authorization.issuer).host
  await expect(card).toContainText(windowText('chatTools:settings.signIn.session', { host }))
  await takePictures(page, 'mcp-signed-in', true)
  expect(await page.content()).not.toMatch(/access_|refresh_|code_/)

  await card
    .getByRole('button', { name: windowText('chatTools:settings.servers.more', { name: 'Notes' }) })
    .press('Enter')
  await page.getByRole('menuitem', { name: windowText('chatTools:settings.signIn.signOut') }).press('Enter')
  await expect(card.getByRole('note')).toContainText(windowText('chatTools:settings.signIn.needed'))
  expect(authorization.grants.every(({ refresh }) => refresh === null)).toBe(true)
})

test('a sign-in can be cancelled, and a refusal is explained', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  const card = await addServer(page, 'Refused', mcp.url)
  let opened = page.context().waitForEvent('page')
  await card.getByRole('button', signInButton).press('Enter')
  await (await opened).close()
  const cancel = card.getByRole('button', button(windowText('chatTools:settings.signIn.cancel')))
  // The focus stays in the notice, whose first button was replaced.
  await expect(cancel).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(card.getByRole('button', signInButton)).toBeFocused()
  opened = page.context().waitForEvent('page')
  await page.keyboard.press('Enter')
  const tab = await opened
  await tab.getByRole('button', { name: 'Deny' }).press('Enter')
  await expect(tab.getByRole('heading')).toHaveText('Not signed in')
  await tab.close()
  await expect(card.getByRole('alert')).toContainText(windowText('chatTools:settings.signIn.failed'))
  await expectAccessible(page)
  await takePictures(page, 'mcp-sign-in-denied', true)
})

test('a client ID can be entered, and the address of the last page pasted', { tag: '@long' }, async ({ page }) => {
  await world.enter(page)
  const card = await addServer(page, 'By hand', byHand.url)
  await card.getByRole('button', signInButton).press('Enter')
  const id = card.getByLabel(windowText('chatTools:settings.signIn.clientId'))
  await expect(id).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'mcp-sign-in-client', true)
  await card.getByRole('button', signInButton).press('Enter')
  await expect(card).toContainText(windowText('chatTools:settings.signIn.clientIdEmpty'))
  await id.fill(client.id)
  await card.getByLabel(windowText('chatTools:settings.signIn.clientSecret')).fill(client.secret)
  // As if the browser were on another computer: it cannot reach the redirect address.
  let last = ''
  registers.controls.redirect = (url) => {
    last = url.href
    return new URL('/elsewhere', registers.issuer)
  }
  const opened = page.context().waitForEvent('page')
  await card.getByRole('button', signInButton).press('Enter')
  const tab = await opened
  await tab.getByRole('button', { name: 'Allow' }).press('Enter')
  await tab.waitForURL('**/elsewhere')
  await tab.close()
  await card.getByText(windowText('chatTools:settings.signIn.elsewhere')).press('Enter')
  const address = card.getByLabel(windowText('chatTools:settings.signIn.address'))
  await address.fill('https://example.com')
  await page.keyboard.press('Enter')
  await expect(card).toContainText('This is not the address of the last page')
  await expectAccessible(page)
  await takePictures(page, 'mcp-sign-in-elsewhere', true)
  await address.fill(last)
  await page.keyboard.press('Enter')
  await expect(card).toContainText(windowText('chatTools:settings.servers.state.ready'))
  expect(await page.content()).not.toContain(client.secret)
})
