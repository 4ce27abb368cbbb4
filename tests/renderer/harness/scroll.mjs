// Measures how smoothly the log of 100,000 rows scrolls with new rows arriving: frame times during wheel scrolling and jumps.
//   node tests/renderer/harness/scroll.mjs
import { fileURLToPath } from 'node:url'
import { measureFrames } from '../../bench/frames.ts'
import { buildSite, openBrowser, serveSite } from './site.ts'

const root = fileURLToPath(new URL('../../../out/harness', import.meta.url))
await buildSite(new URL('./main.tsx', import.meta.url), root)
const site = await serveSite(root)
const browser = await openBrowser()
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
await page.goto(`${site.url}?state=connected&rows=100000&live=1#/proxy`)
await page.getByRole('grid', { name: 'Requests' }).waitFor()

const measure = async (name, act) => {
  const { frames: wall, work, longest } = await measureFrames(page, act)
  const at = (of, share) => (of.toSorted((x, y) => x - y)[Math.floor(of.length * share)] ?? 0).toFixed(1)
  console.log(
    `${name}: processor time a frame p50 ${at(work, 0.5)}, p95 ${at(work, 0.95)}, p99 ${at(work, 0.99)} ms ` +
      `(${work.length} frames), longest task ${longest} ms; on the clock p50 ${at(wall, 0.5)}, p95 ${at(wall, 0.95)} ms`,
  )
}

const box = page.locator('main > div').last()
await page.mouse.move(500, 600)
await measure('still, rows coming in', () => page.waitForTimeout(3_000))
await measure('wheel', async () => {
  for (let turn = 0; turn < 150; turn++) {
    await page.mouse.wheel(0, 240)
    await page.waitForTimeout(16)
  }
})
await measure('wheel, fast', async () => {
  for (let turn = 0; turn < 150; turn++) {
    await page.mouse.wheel(0, 2_400)
    await page.waitForTimeout(16)
  }
})
const jump = async (share) => {
  const began = Date.now()
  await box.evaluate((element, to) => element.scrollTo(0, element.scrollHeight * to), share)
  await page.waitForFunction(() => {
    const text = document.querySelector('[role=grid]')?.textContent ?? ''
    return text.includes('→') && !text.includes('Loading…')
  })
  console.log(`jump to ${share * 100} %: rows there after ${Date.now() - began} ms`)
}
await measure('jumps', async () => {
  for (const share of [0.5, 0.95, 0.2, 0.7]) await jump(share)
})
console.log(
  'rows in the page:',
  await page.getByRole('row').count(),
  '· heap',
  await page.evaluate(
    () => `${Math.round(performance.memory.usedJSHeapSize / 1e6)} MB (with the fake core's 100,000 rows)`,
  ),
)
await browser.close()
site.close()
