// `npm run screenshots -- --check`: what can be checked at each pictured state without a person.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { violations } from '../../../tests/e2e/chatWorld.ts'
import { root } from '../ready.mjs'

/** Accessible names of each state, as Playwright's ARIA snapshots. */
export const namesFolder = join(root, 'test-results/names')

/**
 * Best practices that do not apply here. The levels of headings in a reply are the model's. Menus, hints and the toolbar of a selection are
 * outside of all landmarks, and belong to the element that has the focus.
 */
const exceptions: readonly (readonly [rule: string, part: string])[] = [
  ['heading-order', 'class="md-h'],
  ['region', 'data-radix-popper'],
  ['region', 'data-text-toolbar'],
]
const isException = (id: string, html: string): boolean =>
  exceptions.some(([rule, part]) => rule === id && html.includes(part))

/** Runs axe on each state, and saves its accessible names. */
export class Checks {
  /** One line per element that violates a rule of axe. */
  readonly found: string[] = []

  constructor() {
    mkdirSync(namesFolder, { recursive: true })
  }

  /**
   * Names do not depend on the theme: they are saved once.
   * @param state section and scene, such as `chat-empty`
   */
  async check(page: Page, state: string, theme: 'light' | 'dark'): Promise<void> {
    // Drawings of the system's menus and dialogs are no pages of the product.
    if (page.url() === 'about:blank') return
    for (const { id, nodes } of await violations(page, 'html'))
      for (const html of nodes) if (!isException(id, html)) this.found.push(`${state}-${theme}: ${id}: ${html}`)
    if (theme === 'light') writeFileSync(join(namesFolder, `${state}.yml`), await page.locator('body').ariaSnapshot())
  }
}
