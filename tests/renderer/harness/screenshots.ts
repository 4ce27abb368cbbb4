import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { openBrowser } from './site.ts'

export interface Scene {
  name: string
  /** Query and hash of the page, without `?`. The theme is added. */
  query: string
  hash?: string
  /** What a person does before the screenshot. */
  act?: ((page: Page) => Promise<unknown>) | undefined
}

/** Takes screenshots of scenes, light and dark, wide and narrow, and prints errors of the page and axe violations. */
export async function takeScreenshots(
  url: string,
  scenes: Iterable<Scene>,
  { folder, height, themes = ['light', 'dark'] }: { folder: string; height: number; themes?: string[] },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const browser = await openBrowser()
  let faults = 0
  for (const { name, query, hash = '', act } of scenes) {
    for (const theme of themes) {
      for (const width of [1200, 700]) {
        const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce' })
        const page = await context.newPage()
        page.setDefaultTimeout(5_000)
        const fault = (words: string): void => {
          faults += 1
          console.log(`${name} ${theme} ${width}: ${words}`)
        }
        page.on('console', (line) => line.type() === 'error' && fault(line.text().slice(0, 400)))
        page.on('pageerror', (error) => fault(error.message))
        await page.goto(`${url}?${query}&theme=${theme}${hash}`)
        await page.locator('main').waitFor()
        await act?.(page).catch((thrown: unknown) => fault(String(thrown).slice(0, 400)))
        await page.evaluate(() => document.fonts.ready)
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) fault('scrolls sideways')
        await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) })
        if (width === 1200) {
          const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa']).analyze()
          for (const { id, nodes } of violations)
            fault(`${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
        }
        await context.close()
      }
    }
  }
  await browser.close()
  console.log(`${faults} faults`)
}
