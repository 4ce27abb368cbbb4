// @long Every state of a page in a real browser, over the harness's core. tests/e2e shows the same pages over the real core.
// @module-tag chromium

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { describe, expect, it, vi } from 'vitest'
import { wholePage } from '../../../helpers/effort.ts'
import { windowText } from '../../../helpers/windowText.ts'
import { testPages } from '../../harness/testPages.ts'

// Loading a page takes a second on an idle machine, and far longer on one that builds and tests something else.
vi.setConfig({ testTimeout: wholePage })

let page: Page
const open = testPages(async (opened) => {
  page = opened
  await page.locator('.chat-row').or(page.locator('main h1')).first().waitFor()
})
const palette = () => page.getByRole('dialog', { name: windowText('palette:title') })
const axe = async () =>
  (await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze()).violations.map(
    ({ id, nodes }) => [id, nodes[0]?.html],
  )

describe('the palette', () => {
  it('opens within a frame over 10,000 chats', async () => {
    await open({ query: 'chats=10000' })
    await page.evaluate(() => {
      addEventListener(
        'keydown',
        (event) => {
          if (event.key !== 'k') return
          requestAnimationFrame(() => {
            const dialog = document.querySelector('dialog.palette[open]')
            document.body.dataset.seen = String(dialog?.querySelectorAll('[role="option"]').length ?? 'none')
          })
        },
        { capture: true },
      )
    })
    await page.keyboard.press('Control+k')
    await expect.poll(() => page.evaluate(() => document.body.dataset.seen)).toMatch(/^\d+$/)
    expect(Number(await page.evaluate(() => document.body.dataset.seen))).toBeGreaterThan(5)
    await page.keyboard.type('iban 9991')
    await page.getByRole('option', { name: 'Regex for IBANs 9991' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/000000009992$/)
  })
  it('runs the chosen entry, and lists it first the next time', async () => {
    await open()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('go local')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/proxy$/)
    await page.keyboard.press('Control+k')
    expect(await palette().getByRole('option').first().textContent()).toContain('Go to Local API')
    expect(await palette().getByRole('option').first().locator('kbd').textContent()).toBe('Ctrl+7')
    expect(await axe()).toEqual([])
  })
  it('picks a model', async () => {
    await open()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('reasoner')
    await page.getByRole('option', { name: 'reasoner', exact: true }).click()
    await page.getByRole('main').getByText('reasoner').first().waitFor()
  })
  it('wraps at its ends, counts the matches, and closes with Escape or its own shortcut', async () => {
    await open()
    await page.keyboard.press('Control+k')
    const field = palette().getByRole('combobox')
    // Screen readers read the field first, and an entry when the person moves.
    expect(await field.getAttribute('aria-activedescendant')).toBeNull()
    const active = async () => page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`).textContent()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    const first = await active()
    await page.keyboard.press('ArrowUp')
    expect(await active()).not.toBe(first)
    await page.keyboard.press('ArrowDown')
    expect(await active()).toBe(first)
    await page.keyboard.type('zebra')
    await page.getByText('No results for “zebra”.').waitFor()
    await page.keyboard.press('Escape')
    await palette().waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await palette().waitFor()
    await page.keyboard.press('Control+k')
    await palette().waitFor({ state: 'detached' })
  })
  it('shows no unavailable commands', async () => {
    await open({ hash: '#/proxy' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Rename this')
    expect(await page.getByRole('option', { name: /this chat/ }).count()).toBe(0)
  })
})

describe('shortcuts', () => {
  it('do nothing behind a dialog, and letters stay letters in a field', async () => {
    await open()
    await page.getByRole('textbox', { name: 'Message', exact: true }).focus()
    await page.keyboard.type('why?')
    expect(await page.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('why?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Control+/')
    await page.getByRole('dialog', { name: windowText('palette:shortcuts') }).waitFor()
    await page.keyboard.press('Control+7')
    await page.keyboard.press('Control+k')
    expect(await palette().count()).toBe(0)
    expect(page.url()).toMatch(/#\/chat$/)
  })
  it('ignore keys of an input method', async () => {
    await open()
    await page.evaluate(() => {
      const press = { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true, cancelable: true }
      document.body.dispatchEvent(new KeyboardEvent('keydown', { ...press, isComposing: true }))
      document.body.dispatchEvent(new KeyboardEvent('keydown', { ...press, keyCode: 229 }))
    })
    expect(await palette().count()).toBe(0)
    await page.evaluate(() => {
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true }),
      )
    })
    await palette().waitFor()
  })
  it('are changed by pressing new keys, conflicts are shown and resolved, and all can be reset', async () => {
    await open({ hash: '#/settings/shortcuts' })
    const section = page.getByRole('region', { name: windowText('palette:shortcuts') })
    const keysOf = (title: string) =>
      section.getByRole('button', { name: new RegExp(`^Change shortcut of “${title}”`) })
    // The commands of every page are listed, and no two that could run at once have the same default.
    for (const title of ['Search images', 'Search speech']) await keysOf(title).waitFor()
    expect(await section.getByText('The same keys as').count()).toBe(0)
    const shown = async (title: string) => (await keysOf(title).textContent())?.split(':')[1]
    await keysOf('Go to Local API').click()
    await page.keyboard.press('Control+c')
    await section.getByText('Ctrl+C is reserved for typing.').waitFor()
    await page.keyboard.press('Control+Shift+y')
    await expect.poll(() => shown('Go to Local API')).toBe('Ctrl+Shift+Y')
    await page.keyboard.press('Control+Shift+y')
    await page.waitForURL(/#\/proxy$/)
    await page.goBack()
    await keysOf('Go to Local API').click()
    await page.keyboard.press('Control+k')
    await section.getByText('Used by “Command palette”').waitFor()
    expect(await axe()).toEqual([])
    await section.getByRole('button', { name: windowText('palette:useHereInstead') }).click()
    await expect.poll(() => shown('Command palette')).toBe('None')
    await page.keyboard.press('Control+k')
    await page.waitForURL(/#\/proxy$/)
    await page.goBack()
    await section.getByRole('button', { name: 'Reset shortcut of “Command palette”' }).click()
    await expect.poll(() => shown('Go to Local API')).toBe('None')
    await section.getByRole('button', { name: windowText('palette:resetAll') }).click()
    await expect.poll(() => shown('Go to Local API')).toBe('Ctrl+7')
    await section.getByRole('button', { name: 'Remove shortcut of “Go to Local API”' }).click()
    await expect.poll(() => shown('Go to Local API')).toBe('None')
    await page.keyboard.press('Control+7')
    expect(page.url()).toMatch(/#\/settings\/shortcuts$/)
  })
  it('stay unchanged when Escape cancels the recorder, and the dialog stays open', async () => {
    await open()
    await page.locator('.chat-row-open').first().press('?')
    const dialog = page.getByRole('dialog', { name: windowText('palette:shortcuts') })
    await dialog.getByRole('button', { name: /^Change shortcut of “New chat”/ }).click()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: /^Change shortcut of “New chat”: Ctrl\+N/ }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('“New chat”')
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })
})
