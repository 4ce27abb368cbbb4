// @long Every state of a page in a real browser, over the harness's core. tests/e2e shows the same pages over the real core.
// @module-tag chromium

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { describe, expect, it, vi } from 'vitest'
import { wholePage } from '../../../../helpers/effort.ts'
import { windowText } from '../../../../helpers/windowText.ts'
import { testPages } from '../../../harness/testPages.ts'

// Loading a page takes a second on an idle machine, and far longer on one that builds and tests something else.
vi.setConfig({ testTimeout: wholePage })

let page: Page
const open = testPages(async (opened) => {
  page = opened
  await page.locator('.chat-row').first().waitFor()
})

const row = (title: string) => page.getByRole('row').filter({ has: page.getByText(title, { exact: true }) })
const line = (title: string) => row(title).locator('.chat-row-open')
const focused = () =>
  page.evaluate(() => document.activeElement?.closest('[data-key]')?.querySelector('b')?.textContent)
const menu = async (title: string, item: string) => {
  await row(title).hover()
  await page.getByRole('button', { name: `More for ${title}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const listMenu = async (item: string) => {
  await page.getByRole('button', { name: windowText('library:listMenu') }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const titles = () => page.locator('.chat-row b').allTextContents()
const gone = (title: string) => row(title).waitFor({ state: 'detached' })
const axe = async () =>
  (await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze()).violations.map(
    ({ id, nodes }) => [id, nodes[0]?.html],
  )

describe('the list by keyboard', () => {
  it('moves, opens, renames, deletes and restores with Undo', async () => {
    await open()
    await line('Home').focus()
    await page.keyboard.press('ArrowLeft')
    await gone('Regex for IBANs')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).toBe('Regex for IBANs')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(focused).toBe('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/chat\/0{8}-/)
    await line('Regex for IBANs').focus()
    await page.keyboard.press('F2')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('Account numbers')
    await page.keyboard.press('Enter')
    await row('Account numbers').waitFor()
    await expect.poll(focused).toBe('Account numbers')
    await page.keyboard.press('Delete')
    await gone('Account numbers')
    await page
      .getByRole('status')
      .filter({ hasText: '“Account numbers” was deleted.' })
      .getByRole('button', { name: windowText('library:undo') })
      .click()
    await row('Account numbers').waitFor()
  })
  it('selects a range with Shift, and moves it to a folder found by typing', async () => {
    await open()
    await line('Refactor the stream parser').focus()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    expect(await page.locator('[role="row"][aria-selected="true"]').count()).toBe(3)
    const bar = page.getByRole('toolbar', { name: '3 chats' })
    await bar.getByRole('button', { name: windowText('library:move') }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('wor')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Work 6 chats' }).waitFor()
    expect(await page.locator('.chat-row[data-inside="true"]').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('Menu for eight')]),
    )
  })
  it('starts a search with the first typed letter, and ends it with Escape', async () => {
    await open()
    await line('Tax letter, third draft').focus()
    await page.keyboard.type('poster')
    const field = page.getByRole('combobox', { name: windowText('library:search') })
    expect(await field.inputValue()).toBe('poster')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Escape')
    await row('Tax letter, third draft').waitFor()
  })
  it('keeps the focused row mounted while 10,000 others scroll by', async () => {
    await open({ query: 'chats=10000' })
    const first = page.locator('.chat-row-open').first()
    const name = await first.locator('b').textContent()
    await first.focus()
    await page.keyboard.press('End')
    await expect.poll(focused).toMatch(/ \d{4}$/)
    expect(await page.locator('.chat-row').count()).toBeLessThan(80)
    await page.keyboard.press('Home')
    await expect.poll(focused).toBe(name)
    await page.keyboard.press('PageDown')
    await page.keyboard.press('PageDown')
    expect(await page.locator('.chat-row').count()).toBeLessThan(80)
    expect(await page.getByRole('treegrid').getAttribute('aria-rowcount')).toMatch(/^\d{4,5}$/)
  })
})

describe('chats', () => {
  it('are pinned, duplicated, archived and unarchived', async () => {
    await open()
    await menu('Tax letter, third draft', 'Pin')
    // Above all others, those of projects included.
    await expect.poll(async () => (await titles()).indexOf('Tax letter, third draft')).toBe(0)
    await menu('Tax letter, third draft', 'Duplicate')
    await expect
      .poll(async () => (await titles()).filter((title) => title === 'Tax letter, third draft').length)
      .toBe(2)
    await menu('Menu for eight, one vegan', 'Archive')
    await gone('Menu for eight, one vegan')
    await listMenu('Show archived')
    await menu('Menu for eight, one vegan', 'Unarchive')
    await gone('Menu for eight, one vegan')
    await page.getByRole('button', { name: windowText('library:back') }).click()
    await row('Menu for eight, one vegan').waitFor()
  })
  it('are dropped on a folder, and a deleted folder returns with its chats', async () => {
    await open()
    // Closed projects, so that both rows are in view: scrolling under the pointer would end the drag elsewhere.
    for (const project of ['Work', 'Home']) {
      await line(project).focus()
      await page.keyboard.press('ArrowLeft')
    }
    await line('Menu for eight, one vegan').dragTo(page.getByRole('button', { name: 'Home 2 chats' }))
    await page.getByRole('button', { name: 'Home 3 chats' }).waitFor()
    await menu('Home', 'Delete')
    await gone('Home')
    await page.getByRole('button', { name: windowText('library:undo') }).click()
    await page.getByRole('button', { name: 'Home 3 chats' }).waitFor()
    await menu('Home', 'Rename')
    await page.keyboard.type('House')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'House 3 chats' }).waitFor()
  })
  it('move into a new folder', async () => {
    await open()
    await menu('Tax letter, third draft', 'Move to…')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: windowText('library:newFolder') })
      .click()
    await page.getByRole('textbox', { name: windowText('library:name') }).fill('Money')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Money 1 chat', exact: true }).waitFor()
  })
  it('are restored from the list of deleted chats, or deleted permanently after one question', async () => {
    await open()
    await line('Tax letter, third draft').click()
    await line('Menu for eight, one vegan').click({ modifiers: ['Control'] })
    await page
      .getByRole('toolbar', { name: '2 chats' })
      .getByRole('button', { name: windowText('library:remove') })
      .click()
    await page.getByText('2 chats were deleted.').waitFor()
    await listMenu('Recently deleted')
    await page.getByRole('button', { name: 'Restore Tax letter, third draft' }).click()
    await page.getByText('Tax letter, third draft').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete Menu for eight, one vegan permanently' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: windowText('library:eraseDo') })
      .click()
    await page.getByText(windowText('library:removedEmpty')).waitFor()
    await page.getByRole('button', { name: windowText('library:back') }).click()
    await row('Tax letter, third draft').waitFor()
    expect(await row('Menu for eight, one vegan').count()).toBe(0)
  })
  it('show as text when a tool call waits for approval, and name a running tool', async () => {
    await open()
    expect(await row('Tax letter, third draft').textContent()).toContain('Waiting for you')
    await row('Refactor the stream parser')
      .getByRole('img', { name: windowText('library:running') })
      .waitFor()
    expect(await row('Menu for eight, one vegan').textContent()).toContain('Draft: And what if')
    expect(await axe()).toEqual([])
  })
})

describe('search', () => {
  it('finds messages, grouped and marked, and opens them by keyboard', async () => {
    await open()
    await page.keyboard.press('Control+Shift+F')
    await page.keyboard.type('carriage fix')
    const hits = page.getByRole('option')
    await hits.first().waitFor()
    await expect.poll(() => hits.first().locator('mark').allTextContents()).toEqual(['carriage', 'fix'])
    await page.getByRole('group', { name: 'Refactor the stream parser', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    const found = page.getByRole('listbox', { name: windowText('library:results') })
    await expect.poll(() => found.getByRole('option', { selected: true }).count()).toBe(1)
    expect(await axe()).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/000000000002$/)
  })
  it('explains itself when nothing is found, and shows failures as text', async () => {
    await open()
    const field = page.getByRole('combobox', { name: windowText('library:search') })
    await field.fill('zebra crossing')
    await page.getByText(windowText('library:nothingFound', { text: 'zebra crossing' })).waitFor()
    await page.getByText(windowText('library:nothingFoundAbout')).waitFor()
    await field.fill('fail')
    await page.getByText(windowText('problems:kinds.bug.title')).waitFor()
    await page.getByRole('button', { name: windowText('library:clearSearch') }).click()
    await row('Tax letter, third draft').waitFor()
  })
})

describe('files', () => {
  /** Chooses a file of so many bytes to import, over a slow connection. */
  const startImport = async (bytes: number): Promise<void> => {
    await open({ query: 'slow=1' })
    await listMenu('Import…')
    const chosen = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: windowText('library:importChoose') }).click()
    const buffer = Buffer.alloc(bytes, 'x')
    await (await chosen).setFiles({ name: 'conversations.json', mimeType: 'application/json', buffer })
  }
  it('are imported with counts, notes and what was left out and why, with a link to the first chat', async () => {
    await startImport(1_400_000)
    await page.getByText('1 MB of 1.4 MB').waitFor()
    const dialog = page.getByRole('dialog', { name: windowText('library:importPartly') })
    await dialog.getByText('4,210 messages').waitFor()
    await dialog.getByText(windowText('library:reportKnown', { count: 3 })).waitFor()
    await dialog.getByText('Two plugins are not known here.').waitFor()
    const leftOut = dialog.getByRole('region', { name: windowText('library:reportLeftOut', { count: 4 }) })
    await leftOut.getByText('Empty shell').waitFor()
    await leftOut.getByText('It has no messages.').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await leftOut.getByRole('button', { name: windowText('library:reportCopy') }).click()
    await leftOut.getByRole('button', { name: windowText('common:copied') }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied.split('\n')[0]).toBe('Empty shell: It has no messages.')
    expect(copied.split('\n')).toHaveLength(4)
    expect(await axe()).toEqual([])
    await dialog.getByRole('button', { name: windowText('library:openFirst') }).click()
    await row('Imported: a walk in Lisbon').waitFor()
  })
  it('can be cancelled during the upload', async () => {
    await startImport(4_000_000)
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('button', { name: windowText('library:cancel') }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await row('Imported: a walk in Lisbon').count()).toBe(0)
    await listMenu('Import…')
    await page.getByRole('button', { name: windowText('library:importChoose') }).waitFor()
  })
  it('are imported when dropped on the list, once the person has said so', async () => {
    await open()
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['{}'], 'chat.json'))
      return transfer
    })
    const list = page.getByRole('navigation', { name: windowText('library:list') })
    await list.dispatchEvent('dragover', { dataTransfer: data })
    await page.getByText(windowText('composer:dropOnList')).waitFor()
    await list.dispatchEvent('drop', { dataTransfer: data })
    await page.getByRole('button', { name: windowText('composer:importFile') }).click()
    await page.getByRole('dialog', { name: windowText('library:importPartly') }).waitFor()
  })
  it('are exported for all chats or for one', async () => {
    await open()
    const all = page.waitForEvent('download')
    await listMenu('Export everything')
    expect((await all).suggestedFilename()).toBe('inference-studio-2026-11-21.zip')
    const one = page.waitForEvent('download')
    await menu('Tax letter, third draft', 'Export as Markdown')
    expect((await one).suggestedFilename()).toBe('chat.md')
  })
})

describe('prompts', () => {
  const composer = () => page.getByRole('textbox', { name: windowText('chat:message'), exact: true })
  it('are created, inserted at the caret, deleted, and restored with Undo', async () => {
    await open()
    await composer().fill('before  after')
    await composer().evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(7, 7))
    await listMenu('Prompts…')
    await page.getByRole('button', { name: windowText('library:promptNew') }).click()
    await page.getByRole('button', { name: windowText('library:save') }).click()
    await page.getByText(windowText('library:promptNeedName')).waitFor()
    await page.getByRole('textbox', { name: windowText('library:name') }).fill('Greeting')
    await page.getByRole('textbox', { name: windowText('library:promptText') }).fill('Dear {{name=Ada}},')
    await page.getByRole('button', { name: windowText('library:save') }).click()
    await page.getByRole('button', { name: 'Use Greeting' }).click()
    await page.getByRole('textbox', { name: 'name' }).fill('Grace')
    expect(await page.getByRole('region', { name: windowText('library:promptPreview') }).textContent()).toBe(
      'Dear Grace,',
    )
    expect(await axe()).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(() => composer().inputValue()).toBe('before Dear Grace, after')
    await listMenu('Prompts…')
    await page.getByRole('button', { name: 'Delete Greeting' }).click()
    await page.getByRole('button', { name: 'Use Greeting' }).waitFor({ state: 'detached' })
    await page
      .getByRole('dialog')
      .getByRole('button', { name: windowText('library:undo') })
      .click()
    await page.getByRole('button', { name: 'Use Greeting' }).waitFor()
  })
  it('are offered after a leading slash, by keyboard, without disturbing a typed path', async () => {
    await open()
    await composer().focus()
    await page.keyboard.type('/sum')
    await page
      .getByRole('listbox', { name: windowText('library:promptPick') })
      .getByRole('option', { name: /Summary/ })
      .waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(() => composer().inputValue()).toBe('Summarise what I paste in five sentences.')
    await composer().fill('')
    await page.keyboard.type('/')
    await page.getByRole('option', { name: windowText('library:promptManage') }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('option', { name: windowText('library:promptManage') }).waitFor({ state: 'detached' })
    await page.keyboard.type('etc/hosts')
    expect(await page.getByRole('listbox', { name: windowText('library:promptPick') }).count()).toBe(0)
    expect(await composer().inputValue()).toBe('/etc/hosts')
  })
  it('without variables are inserted at once', async () => {
    await open()
    await listMenu('Prompts…')
    await page.getByRole('textbox', { name: windowText('library:promptsFind') }).fill('five sentences')
    await page.getByRole('button', { name: 'Use Summary' }).click()
    await expect.poll(() => composer().inputValue()).toBe('Summarise what I paste in five sentences.')
  })
})
