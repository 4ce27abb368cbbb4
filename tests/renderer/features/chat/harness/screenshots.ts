import { mkdirSync } from 'node:fs'
import { moreScenes } from './moreScenes.ts'
import { openHarness } from './page.ts'
import { scenes } from './scenes.ts'

// Takes screenshots of every scene, light and dark, wide and narrow: node tests/renderer/features/chat/harness/screenshots.ts FOLDER
// [scene…]
const [folder = 'out/chat-pictures', ...only] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const { url, browser, close } = await openHarness()
const names = only.length > 0 ? only : ['empty', ...Object.keys(scenes), ...Object.keys(moreScenes)]
for (const theme of ['light', 'dark']) {
  for (const width of [1200, 700]) {
    const page = await browser.newPage({ viewport: { width, height: 820 } })
    page.on('pageerror', (error) => console.error(error))
    page.on('console', (line) => line.type() === 'error' && console.error(line.text()))
    for (const scene of names) {
      await page.goto(`${url}?scene=${scene}&theme=${theme}`)
      await page.waitForSelector(scene === 'empty' ? '.chat-welcome' : 'article')
      await page.evaluate(() => document.fonts.ready)
      await page.waitForTimeout(450)
      await page.screenshot({ path: `${folder}/${scene}-${theme}-${width}.png` })
    }
    await page.close()
  }
}
await close()
