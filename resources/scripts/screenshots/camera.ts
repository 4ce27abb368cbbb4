// Takes the pictures of the scenes, and puts those of one section on a sheet.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { root } from '../ready.mjs'
import type { Checks } from './checks.ts'

const themes = ['light', 'dark'] as const
/** Widths of the sheets, CSS pixels. */
export const sheetWidths: readonly number[] = [1280, 700]
const widest = Math.max(...sheetWidths)
const height = 820
const singles = join(root, 'test-results/screens')
const sheets = join(root, 'docs/screens')

/** Width of one picture on a sheet, by the width of the window, CSS pixels. */
const shownWidth = (width: number): number => (width > 1000 ? 560 : 340)
/** Quality of the sheets, 0 to 100. Texts stay readable, and all sheets together have about 4 MB. */
const quality = 55
/** Largest side of a WebP image, pixels. */
const maxSide = 16_383

export interface Picture {
  path: string
  /** Of the window, CSS pixels. */
  width: number
  /** Width of the sheet that shows this picture, or null for a picture that is on none. */
  sheet: number | null
}

interface ShotOptions {
  at?: { width: number; height: number }
  ready?: () => Promise<void>
}

/** Pictures of one section of the product, such as Chat. */
export class Camera {
  readonly section: string
  readonly #widths: readonly number[]
  readonly #checks: Checks | null
  readonly #scenes: { name: string; pictures: Picture[] }[] = []

  /**
   * @param widths of the window, CSS pixels
   * @param checks check each state in both themes, at its first width
   */
  constructor(section: string, widths: readonly number[], checks: Checks | null = null) {
    this.section = section
    this.#widths = widths
    this.#checks = checks
    mkdirSync(singles, { recursive: true })
  }

  /** Number of pictures so far. */
  get count(): number {
    return this.#scenes.reduce((sum, { pictures }) => sum + pictures.length, 0)
  }

  /**
   * Takes the current state of the page in each width and theme.
   * @param options.at the size of a window that has one of its own
   * @param options.ready waits for what a change of the width or theme draws anew
   */
  async shoot(page: Page, name: string, { at, ready }: ShotOptions = {}): Promise<void> {
    const pictures: Picture[] = []
    const widths = at ? [at.width] : this.#widths
    for (const width of widths) {
      await page.setViewportSize({ width, height: at?.height ?? (width > 1600 ? 1080 : height) })
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        await page.evaluate(() => document.fonts.ready)
        // Two frames: the layout of the new width, then what depends on that layout.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
        await ready?.()
        const path = join(singles, `${this.section}-${name}-${width}-${theme}.png`)
        await page.screenshot({ path, animations: 'disabled' })
        pictures.push({ path, width, sheet: at ? widest : sheetWidths.includes(width) ? width : null })
        if (width === widths[0]) await this.#checks?.check(page, `${this.section}-${name}`, theme)
      }
    }
    if (!at) await page.setViewportSize({ width: 1280, height })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    this.#scenes.push({ name, pictures })
  }

  /** Writes the sheets of the section, one per width, with light and dark beside each other. Returns their size, bytes. */
  async writeSheets(browser: Browser): Promise<number> {
    let bytes = 0
    for (const width of sheetWidths) {
      const path = join(sheets, `${this.section}-${width}.webp`)
      const scenes = this.#scenes.flatMap(({ name, pictures }) => {
        const own = pictures.filter((picture) => picture.sheet === width)
        return own.length > 0 ? [{ name, pictures: own }] : []
      })
      rmSync(path, { force: true })
      if (scenes.length === 0) continue
      writeFileSync(path, await sheet(browser, scenes, shownWidth(width)))
      bytes += statSync(path).size
    }
    return bytes
  }
}

/** Scenes on one picture, as WebP: two scenes per row, each with its pictures beside each other. */
export async function sheet(
  browser: Browser,
  scenes: { name: string; pictures: Picture[] }[],
  shown: number,
): Promise<Buffer> {
  const figure = ({ name, pictures }: { name: string; pictures: Picture[] }) => {
    const images = pictures.map(
      ({ path, width }) =>
        `<img style="width:${Math.min(shown, width)}px" src="data:image/png;base64,${readFileSync(path).toString('base64')}">`,
    )
    return `<figure><figcaption>${name.replaceAll('-', ' ')}</figcaption><div>${images.join('')}</div></figure>`
  }
  // Two scenes beside each other.
  const most = Math.max(...scenes.map(({ pictures }) => pictures.length))
  const page = await browser.newPage({ viewport: { width: (shown * most + 8 * (most - 1)) * 2 + 56, height: 600 } })
  try {
    await page.setContent(`<style>
      body { margin: 16px; display: grid; grid-template-columns: 1fr 1fr; gap: 20px 24px; font: 600 14px sans-serif; background: #8a8f98 }
      figure { margin: 0 } div { display: flex; gap: 8px; align-items: start } figcaption { padding-bottom: 6px; color: #111 }
    </style>${scenes.map(figure).join('')}`)
    await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())))
    const side = await page.evaluate(() => document.documentElement.scrollHeight)
    if (side > maxSide) throw new Error(`A sheet of ${side} pixels is higher than WebP allows. Divide the section.`)
    const devTools = await page.context().newCDPSession(page)
    // Playwright itself writes PNG and JPEG only.
    const clip = { x: 0, y: 0, width: page.viewportSize()?.width ?? 0, height: side, scale: 1 }
    const { data } = await devTools.send('Page.captureScreenshot', {
      format: 'webp',
      quality,
      clip,
      captureBeyondViewport: true,
    })
    return Buffer.from(data, 'base64')
  } finally {
    await page.close()
  }
}
