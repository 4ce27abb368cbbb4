// Takes screenshots of every state, light and dark, wide and narrow, and reports axe violations:
//   node tests/renderer/harness/shoot.mjs FOLDER [name of a state] [theme]
import { fileURLToPath } from 'node:url'
import { takeScreenshots } from './screenshots.ts'
import { buildSite, serveSite } from './site.ts'

const out = process.argv[2] ?? 'test-results/harness'
const only = process.argv[3]
const onlyTheme = process.argv[4]
const fillConnect = async (page) => {
  await page.getByLabel('Base URL').fill('http://api.example.com/v1')
  await page.getByRole('checkbox').check()
  await page.getByLabel('API key').fill('sk-not-a-key')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('The service rejected this API key').first().waitFor()
}
const log = (page) => page.getByRole('grid', { name: 'Requests' }).waitFor()
const pick = async (page, status) => {
  await page.getByRole('row').filter({ hasText: status }).first().click()
  await page.getByRole('region', { name: 'Request details' }).getByText('Usage').waitFor()
}
/** A scene of the page Local API. */
const proxy = (name, act, query = 'state=connected') => [name, query, '#/proxy', act]

/** @type {[name: string, query: string, hash: string, act?: (page: import("@playwright/test").Page) => Promise<unknown>][]} */
const scenes = [
  ['welcome', 'state=first', '#/chat'],
  [
    'welcome-connect',
    'state=first',
    '#/chat',
    async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'Connect' }).click()
      await fillConnect(page)
    },
  ],
  ['chat', 'state=connected', '#/chat'],
  ['usage', 'state=connected', '#/usage'],
  ['speech', 'state=connected', '#/speech'],
  ['settings', 'state=connected', '#/settings'],
  ['settings-refused', 'state=refused', '#/settings'],
  [
    'settings-disconnect',
    'state=connected',
    '#/settings',
    (page) => page.getByRole('button', { name: 'Disconnect' }).click(),
  ],
  ['settings-nokeychain', 'state=first', '#/settings/data'],
  ['proxy', 'state=connected', '#/proxy', log],
  proxy('proxy-live', log, 'state=connected&rows=100000&live=1'),
  ['proxy-empty', 'state=refused&apps=none&rows=0', '#/proxy'],
  proxy('proxy-moved', log, 'state=moved&link=lost'),
  proxy('proxy-off', log, 'state=off'),
  proxy('proxy-held', log, 'state=held'),
  proxy('proxy-paused', log, 'state=connected&apps=paused'),
  proxy('proxy-detail', (page) => pick(page, 'streaming')),
  proxy('proxy-detail-retried', (page) => pick(page, '429 → 200')),
  proxy('proxy-detail-refused', (page) => pick(page, '402')),
  proxy('proxy-body', async (page) => {
    await pick(page, 'streaming')
    await page.getByRole('button', { name: 'Enlarge request body' }).click()
  }),
  proxy('proxy-no-match', async (page) => {
    await log(page)
    await page.getByRole('searchbox', { name: /^Filter by/ }).fill('zebra')
    await page.getByText('No requests found').waitFor()
  }),
  proxy(
    'proxy-scrolled',
    async (page) => {
      await log(page)
      await page
        .locator('main > div')
        .last()
        .evaluate((box) => box.scrollTo(0, 1_600_000))
      await page.getByText('Loading…').first().waitFor({ state: 'detached' })
    },
    'state=connected&rows=100000',
  ),
  proxy('proxy-keys', async (page) => {
    await log(page)
    await page.getByRole('grid', { name: 'Requests' }).focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'PageDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    const detail = page.getByRole('region', { name: 'Request details' })
    await detail.waitFor()
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
    await page.getByRole('grid', { name: 'Requests' }).focus()
    await page.keyboard.press('End')
  }),
  proxy(
    'proxy-away',
    async (page) => {
      await log(page)
      const following = page.getByRole('button', { name: 'Following', pressed: true })
      await following.waitFor()
      await page
        .locator('main > div')
        .last()
        .evaluate((box) => box.scrollTo(0, 9_000))
      const fresh = page.getByRole('button', { name: /^[0-9]+ new$/ })
      await fresh.waitFor()
      await page.screenshot({ path: join(out, 'proxy-away-pill.png') })
      await fresh.click()
      await following.waitFor()
    },
    'state=connected&rows=3000&live=1',
  ),
  proxy('proxy-to-chat', async (page) => {
    await pick(page, 'streaming')
    await page.getByRole('button', { name: 'Open in Chat' }).click()
    const composer = page.getByRole('textbox', { name: 'Message' })
    await composer.and(page.locator(':not(:empty)')).waitFor()
  }),
  ['settings-proxy', 'state=tried', '#/settings/proxy'],
  proxy('proxy-menu', (page) => page.getByRole('button', { name: 'More for opencode' }).click()),
  proxy('proxy-edit', async (page) => {
    await page.getByRole('button', { name: 'More for release-notes' }).click()
    await page.getByRole('menuitem', { name: 'Edit name and limits…' }).click()
    await page.getByRole('dialog').getByLabel('Requests per minute').fill('many')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('A whole number from 1').waitFor()
  }),
  proxy('proxy-revoke', async (page) => {
    await page.getByRole('button', { name: 'More for notebook' }).click()
    await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  }),
  proxy('proxy-connect', (page) => page.getByRole('button', { name: 'Connect an app' }).first().click()),
  proxy('proxy-connect-key', async (page) => {
    await page.getByRole('button', { name: 'Connect an app' }).first().click()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('textbox', { name: 'App key' }).waitFor()
  }),
  proxy('proxy-refusals', (page) => page.getByRole('button', { name: /^Refused requests of/ }).click(), 'state=tried'),
  proxy(
    'proxy-allow',
    async (page) => {
      await page.getByRole('button', { name: /^Refused requests of/ }).click()
      await page.getByRole('button', { name: 'Allow this origin…' }).first().click()
    },
    'state=tried',
  ),
  ['locked', 'state=connected&link=unauthorized', '#/chat'],
]

const root = fileURLToPath(new URL('../../../out/harness', import.meta.url))
const csp =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'"
await buildSite(new URL('./main.tsx', import.meta.url), root)
const site = await serveSite(root, { headers: { 'content-security-policy': csp } })
await takeScreenshots(
  site.url,
  scenes
    .filter(([name]) => !only || name.includes(only))
    .map(([name, query, hash, act]) => ({ name, query, hash, act })),
  { folder: out, height: 800, ...(onlyTheme ? { themes: [onlyTheme] } : {}) },
)
site.close()
