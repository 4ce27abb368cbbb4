import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { unzipSync } from 'fflate'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, fromMenu, newChat, openChatWorld, takePictures } from './chatWorld.ts'
import { askModel, composer } from './journey.ts'
import { scripted, startScripted } from './scripted.ts'

test.describe.configure({ timeout: 120_000 })
test.use({ actionTimeout: 30_000 })

let world: ChatWorld
let service: Awaited<ReturnType<typeof startScripted>>
test.beforeAll(async () => {
  world = await openChatWorld(async ({ baseUrl }) => {
    service = await startScripted(baseUrl, ({ messages }) => ({
      text: JSON.stringify(messages.at(-1)?.content).includes('Very long') ? veryLong : sample,
    }))
    return service.baseUrl
  })
})
test.afterAll(async () => {
  await world.close()
  await service.close()
})
test.beforeEach(({ page }) => world.enter(page))

/** Content of ordinary replies and of hostile ones. The model repeats it. */
const sample = [
  '# Budget of the trip',
  'Some **bold** and *italic* text, `code`, a [link](https://example.org/a?b=1&c="2") and $a^2 + b^2 = c^2$.',
  '| City | Nights | Cost |\n|:--|--:|:-:|\n| Lisbon | 3 | 120 |\n| Porto | 2 | 80 & <b>more</b> |',
  '1. First\n2. Second\n   - inner point\n\n- [x] done\n- [ ] open',
  `\`\`\`ts\n${Array.from({ length: 90 }, (_, at) => `const line${at} = "${'x'.repeat(at % 9 === 0 ? 140 : 20)}" // ${at}`).join('\n')}\n\`\`\``,
  '> A quote with <script>window.attacked = true</script> and <img src="http://127.0.0.1:9/leak" onerror="window.attacked = true">',
  '![remote](http://127.0.0.1:9/leak.png) [bad](javascript:window.attacked=true)',
  'The end of it.',
].join('\n\n')

const dialog = (page: Page): Locator => page.getByRole('dialog', { name: /^Export “/ })
const exportButton = (page: Page): Locator => dialog(page).getByRole('button', { name: /^(Export|Print…)$/ })

async function openExport(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+K')
  await page.keyboard.type('Export chat as PDF')
  await page.keyboard.press('Enter')
  await expect(exportButton(page)).toBeEnabled()
}

async function exportAs(page: Page, format: string): Promise<{ name: string; bytes: Buffer; path: string }> {
  await openExport(page)
  await dialog(page).getByLabel(windowText('exporting:format')).selectOption({ label: format })
  const [download] = await Promise.all([page.waitForEvent('download'), exportButton(page).click()])
  const path = await download.path()
  await expect(dialog(page)).toBeHidden()
  return { name: download.suggestedFilename(), bytes: readFileSync(path), path }
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString()

test('the dialog exports selected messages by keyboard alone, in both themes and at both widths', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', 'First question')
  await askModel(page, 'mirror', 'Second question')
  await openExport(page)
  await expectAccessible(page, 'dialog[open]')
  await page.getByRole('radio', { name: windowText('exporting:branch') }).focus()
  // The radio group selects what has the focus while the key is down.
  await page.keyboard.press('ArrowRight', { delay: 50 })
  await page.keyboard.press('ArrowRight', { delay: 50 })
  await expect(dialog(page).getByRole('status')).toHaveText(windowText('exporting:nothing'))
  await expect(exportButton(page)).toBeDisabled()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(dialog(page).getByRole('status')).toHaveText('1 message')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'export-dialog', true)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page, 'dialog[open]')
  const format = dialog(page).getByLabel(windowText('exporting:format'))
  await format.focus()
  await page.keyboard.type('Mark')
  await expect(format).toHaveValue('markdown')
  await exportButton(page).focus()
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  const text = readFileSync(await download.path(), 'utf8')
  expect(text).toContain('First question')
  expect(text).not.toContain('Second question')
  expect(download.suggestedFilename()).toMatch(/\.md$/)
})

test('HTML is one inert file, DOCX has the structure, PNG the picture, and the print view all of a long reply', {
  tag: '@long',
}, async ({ page, context }) => {
  await page
    .locator('.chat-composer input[type="file"]')
    .setInputFiles({ name: 'map.png', mimeType: 'image/png', buffer: await drawPicture(page) })
  await expect(page.locator('.composer-picture[data-state="ready"]')).toHaveCount(1)
  await askModel(page, 'mirror', 'Budget of the trip')
  await askModel(page, scripted, 'Write it down.')
  const html = await exportAs(page, windowText('exporting:html'))
  const markup = html.bytes.toString()
  expect(markup).toContain("default-src 'none'; img-src data:; style-src 'sha256-")
  expect(markup).toContain('src="data:image/png;base64,')
  expect(markup).not.toMatch(/<script|<img[^>]*src="http|href="javascript|url\(/)
  const opened = await context.newPage()
  const requests: string[] = []
  const messages: string[] = []
  opened.on('request', (request) => void (request.url().startsWith('data:') || requests.push(request.url())))
  opened.on('console', (message) => void messages.push(message.text()))
  const file = join(test.info().outputDir, 'chat.html')
  mkdirSync(test.info().outputDir, { recursive: true })
  writeFileSync(file, html.bytes)
  await opened.goto(pathToFileURL(file).href)
  await expect(opened.getByRole('heading', { name: 'Budget of the trip', level: 3 })).toBeVisible()
  expect(
    await opened.evaluate(() => [Reflect.has(globalThis, 'attacked'), getComputedStyle(document.body).maxWidth]),
  ).toEqual([false, '760px'])
  expect(await opened.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(120)
  expect(requests).toEqual([pathToFileURL(file).href])
  expect(messages).toEqual([])
  if (process.env.PICTURES) await opened.screenshot({ path: 'test-results/screens/export-html.png', fullPage: true })
  await opened.close()

  const docx = await exportAs(page, windowText('exporting:docx'))
  const entries = unzipSync(docx.bytes)
  const body = textOf(entries['word/document.xml'])
  for (const text of ['Lisbon', 'const line89', 'inner point', 'The end of it.', '&lt;script&gt;window.attacked'])
    expect(body).toContain(text)
  expect(body).toMatch(/<w:tbl>/)
  expect(body).toMatch(/w:val="Heading3"/)
  expect(body).toMatch(/<w:numPr>/)
  expect(body).toMatch(/<m:sSup>.*<m:t>c<\/m:t>/)
  expect(body).toMatch(/<pic:pic/)
  expect(Object.keys(entries).filter((name) => name.startsWith('word/media/'))).toHaveLength(1)
  const relations = textOf(entries['word/_rels/document.xml.rels'])
  expect(relations).toContain('https://example.org/a')
  expect(relations).not.toMatch(/javascript:|relationships\/image"[^>]*External/)
  const docxFile = join(test.info().outputDir, 'chat.docx')
  writeFileSync(docxFile, docx.bytes)
  if (process.env.PICTURES) execFileSync('cp', [docxFile, 'test-results/screens/export.docx'])

  const picture = await exportAs(page, windowText('exporting:png'))
  expect(picture.bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(picture.bytes.readUInt32BE(16)).toBe(1520)
  expect(picture.bytes.readUInt32BE(20)).toBeGreaterThan(3000)
  if (process.env.PICTURES) writeFileSync('test-results/screens/export-png.png', picture.bytes)

  await page.emulateMedia({ colorScheme: 'dark' })
  await page.evaluate(() => {
    // Leaves what is printed in the page, so that it can be saved as PDF.
    window.print = () => {
      const copy = document.querySelector('.exported-print')?.cloneNode(true)
      const sheets = [...document.adoptedStyleSheets]
      document.documentElement.dataset.printed = document.title
      setTimeout(() => {
        if (copy) document.body.append(copy)
        document.adoptedStyleSheets = sheets
      })
    }
  })
  await openExport(page)
  await dialog(page)
    .getByLabel(windowText('exporting:format'))
    .selectOption({ label: windowText('exporting:pdf') })
  await exportButton(page).click()
  await expect(page.locator('html')).toHaveAttribute('data-printed', 'Budget of the trip')
  await expect(page.locator('.exported-print')).toHaveCount(1)
  const pdf = await page.pdf({ preferCSSPageSize: true })
  if (process.env.PICTURES) writeFileSync('test-results/screens/export.pdf', pdf)
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(2)
  await page.emulateMedia({ media: 'print' })
  const view = page.locator('.exported-print')
  await expect(view).toBeVisible()
  expect(
    await view.evaluate((element) =>
      [...element.querySelectorAll('*')]
        .filter(
          (one) =>
            one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && getComputedStyle(one).display !== 'inline',
        )
        .map((one) => one.tagName),
    ),
  ).toEqual([])
  expect(await view.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe('rgb(255, 255, 255)')
  await expect(page.locator('#root')).toBeHidden()
  // The person's own messages are the bubbles of the window.
  const bubble = (element: Element) => {
    const { backgroundColor, borderRadius, padding } = getComputedStyle(element)
    const [box, around] = [element.getBoundingClientRect(), element.closest('article')?.getBoundingClientRect()]
    return {
      backgroundColor,
      borderRadius,
      padding,
      isAtEnd: (around?.right ?? 0) - box.right < 40,
      isWhole: box.left - (around?.left ?? 0) < 40,
    }
  }
  const printedBubble = await view.locator('article[data-role="user"] .typed').first().evaluate(bubble)
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
  const shownBubble = await page.locator('.chat-turn[data-role="user"] .chat-typed').first().evaluate(bubble)
  expect(printedBubble).toEqual(shownBubble)
  expect(shownBubble).toMatchObject({ isAtEnd: true, isWhole: false })
  if (process.env.PICTURES) writeFileSync('test-results/screens/export.pdf', pdf)
})

/** About 1 MB of everything that takes time: prose, tables, code and formulas. */
const veryLong = Array.from(
  { length: 700 },
  (_, at) =>
    `## Part ${at}\n\n${'Some **bold** words and `code`. '.repeat(28)}\n\n| a | b |\n|--|--|\n| ${at} | $x_{${at}}^2$ |\n\n\`\`\`ts\nconst line = ${at}\n\`\`\`\n\n- one\n- two [link](https://example.org/${at})`,
).join('\n\n')

test('a message of 1 MB is exported, and attached files are named or written out', { tag: '@long' }, async ({
  page,
}) => {
  await page
    .locator('.chat-composer input[type="file"]')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The secret of the notes.') })
  await expect(page.getByText('notes.txt').first()).toBeVisible()
  await askModel(page, scripted, 'Very long, please.')
  // From the list, beside an empty chat: each action of the test takes seconds in a page with 1 MB of text.
  await newChat(page)
  const opened = page.locator('dialog[open]')
  const choose = async (format: 'html' | 'docx' | 'pdf'): Promise<void> => {
    await fromMenu(page, 'Very long, please', windowText('exporting:menu'))
    await opened.getByLabel(windowText('exporting:format')).selectOption({ label: windowText(`exporting:${format}`) })
  }
  const exported = async (): Promise<Buffer> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      opened.getByRole('button', { name: /^(Export|Print…)$/ }).click(),
    ])
    await opened.waitFor({ state: 'hidden' })
    return readFileSync(await download.path())
  }
  await choose('html')
  const html = await exported()
  expect(html.length).toBeGreaterThan(1_000_000)
  expect(html.toString()).toContain('notes.txt')
  expect(html.toString()).not.toContain('The secret')
  await choose('docx')
  await opened.getByLabel(windowText('exporting:withDocuments')).check()
  const docx = unzipSync(await exported())
  expect(textOf(docx['word/document.xml'])).toContain('The secret of the notes.')

  // Printing parses the document in small pieces: all of it at once would block the page.
  await page.evaluate(() => {
    const sizes: number[] = []
    const { parseFromString } = DOMParser.prototype
    const { write } = Document.prototype
    DOMParser.prototype.parseFromString = function (text, type) {
      sizes.push(text.length)
      return parseFromString.call(this, text, type)
    }
    Document.prototype.write = function (...texts) {
      sizes.push(texts.join('').length)
      write.apply(this, texts)
    }
    window.print = () => {
      const printed = document.querySelector('.exported-print')
      const parts = [printed?.querySelectorAll('h4').length, printed?.querySelectorAll('table').length]
      document.documentElement.dataset.printed = JSON.stringify([parts, Math.max(...sizes)])
    }
  })
  await choose('pdf')
  await opened.getByRole('button', { name: /^(Export|Print…)$/ }).click()
  const printed = await page.waitForFunction(() => document.documentElement.dataset.printed)
  const [parts, largest] = JSON.parse((await printed.jsonValue()) ?? '')
  expect(parts).toEqual([700, 700])
  expect(largest).toBeLessThan(64_000)
})

async function drawPicture(page: Page): Promise<Buffer> {
  const address = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 120, height: 80 })
    const context = canvas.getContext('2d')
    if (context) {
      context.fillStyle = '#2a7'
      context.fillRect(0, 0, 120, 80)
    }
    return canvas.toDataURL('image/png')
  })
  return Buffer.from(address.split(',')[1] ?? '', 'base64')
}

declare global {
  /** Place of the first notification that appeared. */
  var firstNotification: DOMRect | undefined
}

for (const width of [1280, 700])
  test(`the notification after an export covers neither the message field nor Send, at ${width} pixels`, {
    tag: '@long',
  }, async ({ page }) => {
    await page.setViewportSize({ width, height: 820 })
    await askModel(page, 'mirror', 'A question')
    const label = windowText('common:notification')
    // Measured in the page when it appears: it is removed after six seconds, which a slow test would miss.
    await page.evaluate((name) => {
      new MutationObserver(() => {
        const shown = document.querySelector(`[role="region"][aria-label^="${name}"] li`)
        if (shown) globalThis.firstNotification ??= shown.getBoundingClientRect()
      }).observe(document.body, { childList: true, subtree: true })
    }, label)
    await page.keyboard.press('ControlOrMeta+K')
    await page.keyboard.type(windowText('palette:commands.exportJson'))
    await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    const bottom = () => page.evaluate(() => globalThis.firstNotification?.bottom ?? null)
    await expect.poll(bottom).not.toBeNull()
    const field = await composer(page).boundingBox()
    expect(await bottom()).toBeLessThan(field?.y ?? 0)
  })
