import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Browser, chromium, type Page } from '@playwright/test'
import { chromiumArgs, findBrowser } from '../helpers/browser.mjs'
import { shapes } from '../renderer/harness/pictureSizes.ts'
import { measureFrames } from './frames.ts'
import { serveWithSandbox } from './serve.ts'

// The gallery of the built program over a library of pictures, in a real Chromium: node tests/bench/gallery.ts [pictures]. Prints one JSON
// document. Every picture has a thumbnail with its own address, so that each is fetched and decoded when it becomes visible.

const count = Number(process.argv[2] ?? 10_000)
const dataDir = mkdtempSync(join(tmpdir(), 'studio-gallery-'))
/** Different contents of thumbnails; each is linked under many names. */
const variants = 12

const serve = () => serveWithSandbox(dataDir)

/** WebP as a window creates it: 512 pixels on the longer side, with the detail of a photo. */
async function smallPictures(browser: Browser): Promise<Map<string, Buffer>> {
  const page = await browser.newPage()
  const made = await page.evaluate(
    async ({ sizes, each }) => {
      const all: { key: string; data: string }[] = []
      for (const [at, [width, height]] of sizes.entries()) {
        for (let seed = 0; seed < each; seed += 1) {
          const share = 512 / Math.max(width, height)
          const canvas = document.createElement('canvas')
          canvas.width = Math.round(width * share)
          canvas.height = Math.round(height * share)
          const context = canvas.getContext('2d')
          if (!context) throw new Error('No canvas.')
          const sky = context.createLinearGradient(0, 0, 0, canvas.height)
          sky.addColorStop(0, `hsl(${(seed * 57) % 360} 60% 60%)`)
          sky.addColorStop(1, `hsl(${(seed * 57 + 80) % 360} 45% 25%)`)
          context.fillStyle = sky
          context.fillRect(0, 0, canvas.width, canvas.height)
          for (let dot = 0; dot < 1_500; dot += 1) {
            context.fillStyle = `hsl(${(dot * 37 + seed * 11) % 360} 50% ${(dot * 13) % 90}% / .5)`
            context.fillRect(
              (dot * 97 + seed * 31) % canvas.width,
              (dot * 61) % canvas.height,
              3 + (dot % 9),
              2 + (dot % 7),
            )
          }
          all.push({ key: `${at} ${seed}`, data: canvas.toDataURL('image/webp', 0.82).split(',')[1] ?? '' })
        }
      }
      return all
    },
    { sizes: shapes, each: variants },
  )
  await page.close()
  return new Map(made.map(({ key, data }) => [key, Buffer.from(data, 'base64')]))
}

const idOf = (kind: number, at: number): string =>
  `${kind.toString(16).padStart(8, '0')}-0000-4000-8000-${at.toString(16).padStart(12, '0')}`

/** Creates the rows and files that this many generated images would have. */
function fill(small: ReadonlyMap<string, Buffer>): void {
  const folder = join(dataDir, 'media')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(dataDir, 'studio.sqlite'))
  database.exec('BEGIN')
  const media = database.prepare(
    "INSERT INTO media (id, kind, mime, bytes, width, height, sha256, created_at) VALUES (?, 'image', ?, ?, ?, ?, ?, ?)",
  )
  const drawing = database.prepare(
    `INSERT INTO drawings (id, created_at, state, wish, search, slots, took_ms, cost, cost_is)
     VALUES (?, ?, 'done', ?, ?, ?, 900, '0.04', 'measured')`,
  )
  const image = database.prepare(
    'INSERT INTO images (id, drawing_id, created_at, slot, media_id, thumb_id) VALUES (?, ?, ?, 0, ?, ?)',
  )
  for (const [key, bytes] of small) writeFileSync(join(dataDir, key.replace(' ', '-')), bytes)
  for (let at = 0; at < count; at += 1) {
    const shape = (at * 7) % shapes.length
    const [width, height] = shapes[shape] ?? shapes[0]
    const share = 512 / Math.max(width, height)
    const key = `${shape} ${at % variants}`
    const bytes = small.get(key)?.length ?? 0
    const when = new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString()
    const [whole, thumb, id, of] = [idOf(1, at), idOf(2, at), idOf(3, at), idOf(4, at)]
    for (const name of [whole, thumb]) linkSync(join(dataDir, key.replace(' ', '-')), join(folder, name))
    media.run(whole, 'image/webp', bytes, width, height, `whole ${at}`, when)
    media.run(thumb, 'image/webp', bytes, Math.round(width * share), Math.round(height * share), `thumb ${at}`, when)
    const prompt = `Picture number ${at}, a lighthouse in the fog`
    const wish = { prompt, n: 1, model: null, size: null, responseFormat: null }
    const slots = [{ index: 0, state: 'kept', imageId: id, problem: null, address: null }]
    drawing.run(of, when, JSON.stringify(wish), prompt.toLowerCase(), JSON.stringify(slots))
    image.run(id, of, when, whole, thumb)
  }
  database.exec('COMMIT')
  database.close()
}

const quantile = (list: readonly number[], share: number): number =>
  Math.round((list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? 0) * 10) / 10

/** Times between frames and the work of the page's thread for each, while `act` runs. */
async function during(page: Page, act: () => Promise<unknown>) {
  const { frames, work, longest } = await measureFrames(page, act)
  return {
    frames: frames.length,
    p50: quantile(frames, 0.5),
    p95: quantile(frames, 0.95),
    workP95: quantile(work, 0.95),
    longestTask: longest,
  }
}

const executablePath = await findBrowser()
const browser = await chromium.launch({ ...(executablePath !== null && { executablePath }), args: chromiumArgs })
try {
  const first = await serve()
  await first.stop()
  fill(await smallPictures(browser))
  const host = await serve()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.on('pageerror', (error) => console.error(error))
  const cdp = await page.context().newCDPSession(page)
  await page.goto(host.url)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  const opened = await page.evaluate(async () => {
    const begun = performance.now()
    location.hash = '#/images'
    const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
    while (!document.querySelector<HTMLImageElement>('.images-card img')?.complete) await frame()
    await frame()
    return Math.round(performance.now() - begun)
  })
  await page.waitForTimeout(1_000)
  const box = await page.locator('.images-scroll').boundingBox()
  const x = Math.round((box?.x ?? 0) + (box?.width ?? 0) / 2)
  const y = Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2)
  // Scrolls by wheel or touchpad, then with a fast fling, as a gesture of the browser on its own thread.
  const gesture = (speed: number, seconds: number) => () =>
    cdp.send('Input.synthesizeScrollGesture', { x, y, yDistance: -speed * seconds, speed, gestureSourceType: 'mouse' })
  // Measures without any scrolling, to show the effect of the machine on frames in the same run.
  const still = await during(page, () => page.waitForTimeout(3_000))
  const calm = await during(page, gesture(1_500, 5))
  const fast = await during(page, gesture(6_000, 5))
  // Scrolls to the end by key, and back.
  await page.locator('.images-gallery').focus()
  const jump = await during(page, async () => {
    for (const key of ['End', 'Home', 'End', 'Home']) {
      await page.keyboard.press(key)
      await page.waitForFunction(
        (last) => document.querySelector('[data-current="true"]')?.getAttribute('aria-posinset') === last,
        key === 'End' ? String(count) : '1',
      )
    }
  })
  const inDocument = await page.locator('.images-card').count()
  // Time from the key press to the matching images.
  const search = await page.evaluate(async () => {
    const field = document.querySelector<HTMLInputElement>('.images-search input')
    field?.focus()
    const begun = performance.now()
    document.execCommand('insertText', false, '1234')
    const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
    while (!/ of /.test(document.querySelector('main header [role="status"]')?.textContent ?? '')) await frame()
    while (document.querySelectorAll('.images-card').length > 2) await frame()
    return Math.round(performance.now() - begun)
  })
  await host.stop()
  console.log(JSON.stringify({ count, opened, still, calm, fast, jump, inDocument, search }))
} finally {
  await browser.close()
  rmSync(dataDir, { recursive: true, force: true })
}
