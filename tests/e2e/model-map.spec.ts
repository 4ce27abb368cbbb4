import { expect, type Locator, type Page, test } from '@playwright/test'
import { type Sandbox, startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, openConnectedHost, type WebHost } from './hosts.ts'

let sandbox: Sandbox
let host: WebHost

test.beforeEach(async ({ page }) => {
  sandbox = await startSandbox()
  host = await openConnectedHost(sandbox)
  await page.setViewportSize({ width: 1200, height: 860 })
  await page.goto(host.url)
  await page
    .getByRole('navigation', { name: windowText('shell:pages.label') })
    .getByRole('link', { name: windowText('shell:pages.proxy') })
    .click()
})
test.afterEach(async () => {
  await closeHosts()
  await sandbox.close()
})

const wizard = (page: Page) => page.getByRole('dialog', { name: windowText('proxy:connect.title.app') })
const pattern = (dialog: Locator, number: number) => dialog.getByRole('textbox', { name: `Pattern of rule ${number}` })
const model = (dialog: Locator, number: number) => dialog.getByRole('combobox', { name: `Model of rule ${number}` })
const button = (dialog: Locator, name: string) => dialog.getByRole('button', { name, exact: true })

async function patterns(dialog: Locator): Promise<string[]> {
  return dialog
    .getByRole('textbox', { name: /^Pattern of rule/ })
    .evaluateAll((fields) => fields.map((field) => (field instanceof HTMLInputElement ? field.value : '')))
}

test('Codex CLI and Claude Code are first, with a model map that is filled in and saved with the app', {
  tag: '@long',
}, async ({ page }) => {
  await page.getByRole('button', { name: 'Connect an app' }).first().click()
  const apps = wizard(page)
    .getByRole('navigation', { name: windowText('proxy:setup.list') })
    .getByRole('button')
  await expect(apps.nth(0)).toHaveText('Codex CLI')
  await expect(apps.nth(1)).toHaveText('Claude Code')
  await expect.poll(() => patterns(wizard(page))).toEqual(['gpt-*'])
  await takePictures(page, 'model-map-1-codex', true)
  await apps.nth(1).click()
  await expect.poll(() => patterns(wizard(page))).toEqual(['*-haiku-*', 'claude-*'])
  await expect(model(wizard(page), 1)).toHaveValue('writer-small')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'model-map-2-claude', true)

  // Where Continue runs is a second line, and is found by the search.
  await wizard(page).getByRole('searchbox').fill('jetbrains')
  await apps.first().click()
  await expect(wizard(page).getByRole('textbox', { name: 'Name' })).toHaveValue('Continue')
  await takePictures(page, 'model-map-0-continue', true)
  await wizard(page).getByRole('searchbox').fill('')

  // An app that speaks chat completions needs no map.
  await button(wizard(page), 'opencode').click()
  await expect.poll(() => patterns(wizard(page))).toEqual([])
  await apps.nth(1).click()
  await model(wizard(page), 2).selectOption('mirror')
  await button(wizard(page), 'opencode').click()
  await apps.nth(1).click()
  await expect(model(wizard(page), 2)).toHaveValue('mirror')

  await pattern(wizard(page), 2).fill('')
  await button(wizard(page), 'Next').click()
  await expect(pattern(wizard(page), 2)).toBeFocused()
  await expect(wizard(page)).toContainText(windowText('proxy:form.bad.modelMap'))
  await pattern(wizard(page), 2).fill('claude-*')
  await button(wizard(page), 'Next').click()
  await takePictures(page, 'model-map-3-limits', true)
  await wizard(page).getByText(windowText('proxy:form.more')).click()
  await takePictures(page, 'model-map-4-more', true)
  await expectAccessible(page, 'dialog[open]')
  await button(wizard(page), windowText('proxy:connect.createKey')).click()
  await expect(wizard(page).getByRole('region', { name: 'Claude Code' })).toContainText('CLAUDE_CODE_MAX_RETRIES')
  await expect(wizard(page).getByRole('navigation', { name: windowText('proxy:setup.list') })).toHaveCount(0)
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'model-map-5-key', true)
  await button(wizard(page), windowText('proxy:setup.another')).click()
  await button(wizard(page), 'Codex CLI').click()
  await expect(wizard(page).getByRole('region', { name: 'Codex CLI' })).toContainText(
    'Codex CLI asks for gpt-*, but the model map of this app has no rule',
  )
  await takePictures(page, 'model-map-6-unmapped', true)
  await wizard(page)
    .getByRole('button', { name: windowText('proxy:connect.close') })
    .last()
    .click()
  await expect(page.getByRole('article', { name: 'Claude Code' })).toContainText('2 model rules')
  await takePictures(page, 'model-map-8-page', true)
})

test('a search that leaves one app picks it, so that Next never connects an app that is not in the list', async ({
  page,
}) => {
  await page.getByRole('button', { name: 'Connect an app' }).first().click()
  const name = wizard(page).getByRole('textbox', { name: 'Name' })
  await expect(name).toHaveValue('Codex CLI')
  await wizard(page).getByRole('searchbox').pressSequentially('claude')
  await expect(name).toHaveValue('Claude Code')
  // The search keeps the focus, and a search without a match keeps the app.
  await page.keyboard.type(' x')
  await expect(wizard(page).getByText('No instructions for')).toBeVisible()
  await expect(name).toHaveValue('Claude Code')
})

test('rules are added, moved and removed, with warnings about rules without effect', { tag: '@long' }, async ({
  page,
}) => {
  await page.getByRole('button', { name: 'Connect an app' }).first().click()
  await button(wizard(page), 'opencode').click()
  await button(wizard(page), 'Next').click()
  await button(wizard(page), windowText('proxy:connect.createKey')).click()
  const apiKey = await wizard(page)
    .getByRole('textbox', { name: windowText('proxy:connect.key') })
    .inputValue()
  await wizard(page)
    .getByRole('button', { name: windowText('proxy:connect.close') })
    .last()
    .click()
  const open = async () => {
    await page.getByRole('button', { name: 'More for opencode' }).click()
    await page.getByRole('menuitem', { name: windowText('proxy:apps.menu.edit') }).click()
  }
  await open()
  const dialog = page.getByRole('dialog', { name: 'Edit opencode' })
  await button(dialog, windowText('proxy:form.addRule')).click()
  await expect(pattern(dialog, 1)).toBeFocused()
  await pattern(dialog, 1).fill('claude-*')
  await model(dialog, 1).selectOption('writer-small')
  await button(dialog, windowText('proxy:form.addRule')).click()
  await pattern(dialog, 2).fill('claude-haiku-*')
  await model(dialog, 2).selectOption('mirror')
  await expect(dialog).toContainText('Never used, because rule 1 matches the same names first.')
  await dialog.getByRole('radio', { name: 'Only these' }).first().click()
  await dialog.getByRole('checkbox', { name: 'mirror', exact: true }).check()
  await expect(dialog).toContainText('This app may not use writer-small.')
  await pattern(dialog, 1).scrollIntoViewIfNeeded()
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'model-map-7-warnings', true)

  await button(dialog, 'Move rule 2 up').click()
  await expect.poll(() => patterns(dialog)).toEqual(['claude-haiku-*', 'claude-*'])
  await expect(dialog).not.toContainText('Never used')
  // The focus stays with the moved rule, which cannot move further up.
  await expect(button(dialog, 'Move rule 1 down')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect.poll(() => patterns(dialog)).toEqual(['claude-*', 'claude-haiku-*'])
  await expect(button(dialog, 'Move rule 2 up')).toBeFocused()
  await button(dialog, 'Remove rule 1').click()
  await expect(button(dialog, 'Remove rule 1')).toBeFocused()
  await button(dialog, windowText('proxy:form.save')).click()
  await expect(dialog).toHaveCount(0)
  await page.reload()
  await open()
  await expect.poll(() => patterns(dialog)).toEqual(['claude-haiku-*'])
  await expect(model(dialog, 1)).toHaveValue('mirror')
  await page.keyboard.press('Escape')

  // The log shows the model that the app asked for, and the one that was sent.
  const reply = await fetch(`${host.ready.proxy?.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude-haiku-5', messages: [{ role: 'user', content: 'Good morning' }] }),
  })
  expect(reply.status).toBe(200)
  const row = page
    .getByRole('grid', { name: windowText('proxy:log.title') })
    .getByRole('row')
    .filter({ hasText: 'opencode' })
  await expect(row.getByRole('gridcell').nth(3)).toHaveText('claude-haiku-5 → mirror')
  await takePictures(page, 'model-map-9-log', true)
})
