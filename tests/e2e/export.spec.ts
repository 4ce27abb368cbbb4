import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { unzipSync } from 'fflate'
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import { lacks } from '../helpers/programs.mjs'
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
    service = await startScripted(baseUrl, ({ messages }) => {
      const asked = JSON.stringify(messages.at(-1)?.content)
      return { text: asked.includes('Very long') ? veryLong : asked.includes('languages') ? everyScript : sample }
    })
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

/** Prints through the dialog, and saves as PDF what the browser's own dialog would print. */
async function exportAsPdf(page: Page, title: string): Promise<Buffer> {
  await page.evaluate(() => {
    // Leaves what is printed in the page.
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
  await expect(page.locator('html')).toHaveAttribute('data-printed', title)
  await expect(page.locator('.exported-print')).toHaveCount(1)
  return page.pdf({ preferCSSPageSize: true })
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
  const pdf = await exportAsPdf(page, 'Budget of the trip')
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

/** A line for each language of the window, then emoji and letters with combining marks. */
const lines = {
  en: 'It’s a “quoted” word – and more…',
  de: 'Größe, Übermut und Öl: „Straße“ in GROẞ',
  es: '¿Qué tal el pingüino? ¡Mañana, señor!',
  fr: 'L’œuf de Noël coûte 5 € : « où ça ? »',
  'pt-BR': 'A ação não põe os avós à mesa.',
  ja: '日本語のテキスト、カタカナとひらがな。',
  'zh-Hans': '简体中文：直接写“汉字”。',
  ar: 'اللُّغَةُ العَرَبِيَّةُ جميلة، أليس كذلك؟ (نعم) 12%',
  emoji: '😀 👩🏽‍🚀 🇧🇷 ✅ ❤️ 1️⃣ 👨‍👩‍👧',
  marks: 'e\u0301 a\u0308 n\u0303 x\u0302 o\u0323\u0302 m\u0304',
}
/** Characters that no font has, because Unicode has not assigned them. They show what a missing glyph looks like. */
const noGlyphs = '\u0378 \u0379 \u0380 \u0381 \u0382'
const everyScript = [...Object.values(lines), noGlyphs].join('\n\n')

test('PDF, PNG and DOCX have the glyphs of all languages, of emoji and of combining marks', { tag: '@long' }, async ({
  page,
}) => {
  test.skip(lacks('fonts') !== null, 'fonts')
  await askModel(page, scripted, 'All languages')

  const docx = unzipSync((await exportAs(page, windowText('exporting:docx'))).bytes)
  const paragraphs = textOf(docx['word/document.xml']).match(/<w:p>.*?<\/w:p>/g) ?? []
  const wordsOf = (xml: string) => [...xml.matchAll(/<w:t[^>]*>([^<]*)</g)].map(([, text]) => text).join('')
  const paragraphOf = (text: string) => paragraphs.find((xml) => wordsOf(xml) === text)
  for (const text of Object.values(lines)) expect(paragraphOf(text), text).toBeDefined()
  expect(paragraphOf(lines.ja)).toContain('w:eastAsia="Yu Gothic"')
  expect(paragraphOf(lines.ar)).toMatch(/<w:bidi\/>.*<w:rtl\/>/)
  expect(textOf(docx['word/styles.xml'])).toMatch(/w:cs="Arial" w:eastAsia="Microsoft YaHei".*<w:lang w:val="en"/)

  await page.evaluate(() => {
    const { decode } = HTMLImageElement.prototype
    HTMLImageElement.prototype.decode = function () {
      document.documentElement.dataset.drawn = /<div[^>]*>/.exec(decodeURIComponent(this.src))?.[0] ?? ''
      return decode.call(this)
    }
  })
  const picture = await exportAs(page, windowText('exporting:png'))
  if (process.env.PICTURES) writeFileSync('test-results/screens/export-languages.png', picture.bytes)
  // The image has no other way to know how the window writes.
  await expect(page.locator('html')).toHaveAttribute('data-drawn', /lang="en" dir="ltr"/)
  const drawn = (await linesOf(page, picture.bytes)).slice(-Object.keys(lines).length - 1)
  const missing = drawn.pop() ?? []
  expect(missing).toHaveLength(5)
  for (const one of missing) expect(unlikeness(one, missing[0])).toBeLessThan(0.1)
  for (const [at, name] of Object.keys(lines).entries()) {
    expect(drawn[at]?.length, name).toBeGreaterThan(4)
    for (const shape of drawn[at] ?? []) expect(unlikeness(shape, missing[0]), name).toBeGreaterThan(0.1)
  }

  const pdf = await exportAsPdf(page, 'All languages')
  if (process.env.PICTURES) writeFileSync('test-results/screens/export-languages.pdf', pdf)
  const { text, glyphs, fonts } = await glyphsOf(pdf)
  // Glyph 0 is the box for a character that the font does not have: only those that no font has.
  expect(glyphs.filter((code) => code === 0)).toHaveLength(5)
  expect(fonts.length).toBeGreaterThan(2)
  for (const { name, missingFile } of fonts) expect([name, missingFile]).toEqual([name, false])
  const written = bare(text)
  for (const [name, line] of Object.entries(lines)) {
    // The letters of Arabic are written in the order of the page, and emoji of several characters are one glyph.
    const parts = name === 'ar' ? bare(line).replaceAll(/\p{M}/gu, '').split('') : name === 'emoji' ? [] : [bare(line)]
    for (const part of parts) expect(written, name).toContain(part)
  }
})

/** Without spaces, ligatures and forms of letters, which a PDF may have instead. */
const bare = (text: string): string => text.normalize('NFKC').replaceAll(/\s/gu, '')

/** The text of a PDF, the codes of all its glyphs, and its fonts. */
async function glyphsOf(pdf: Buffer) {
  const document = await getDocumentProxy(new Uint8Array(pdf))
  const { OPS } = await getResolvedPDFJS()
  const glyphs: number[] = []
  const fonts: { name: string; missingFile: boolean }[] = []
  let text = ''
  for (let at = 1; at <= document.numPages; at += 1) {
    const page = await document.getPage(at)
    const { fnArray, argsArray } = await page.getOperatorList()
    for (const [nth, operator] of fnArray.entries()) {
      if (operator === OPS.setFont) fonts.push(page.commonObjs.get(argsArray[nth][0]))
      if (operator !== OPS.showText) continue
      for (const glyph of argsArray[nth][0]) {
        if (typeof glyph === 'number') continue // a space between two
        glyphs.push(glyph.originalCharCode)
        text += glyph.unicode
      }
    }
  }
  return { text, glyphs, fonts }
}

/** Size in pixels, and how much of each cell of a grid over it is ink, 0 to 1. */
interface Shape {
  width: number
  height: number
  ink: number[]
}

/** The lines of a picture on white, as the shapes that stand apart in them. */
const linesOf = (page: Page, png: Buffer): Promise<Shape[][]> =>
  page.evaluate(
    async (address) => {
      const image = Object.assign(new Image(), { src: address })
      await image.decode()
      const { naturalWidth: width, naturalHeight: height } = image
      const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d')
      context?.drawImage(image, 0, 0)
      const { data } = context?.getImageData(0, 0, width, height) ?? { data: new Uint8ClampedArray() }
      const isInk = (x: number, y: number) => {
        const at = (y * width + x) * 4
        return Math.min(data[at] ?? 255, data[at + 1] ?? 255, data[at + 2] ?? 255) < 160
      }
      /** Ranges of positions for which `has` is true. Smaller gaps than `gap` are part of them. */
      const ranges = (length: number, gap: number, has: (at: number) => boolean) => {
        const found: { from: number; to: number }[] = []
        for (let at = 0; at < length; at += 1) {
          const last = found.at(-1)
          if (!has(at)) continue
          if (last && at - last.to < gap) last.to = at + 1
          else found.push({ from: at, to: at + 1 })
        }
        return found
      }
      const every = (length: number) => Array.from({ length }, (_, at) => at)
      return ranges(height, 10, (y) => every(width).some((x) => isInk(x, y))).map(({ from: top, to: bottom }) =>
        ranges(width, 1, (x) => every(bottom - top).some((y) => isInk(x, top + y))).map(({ from, to }) => {
          const [box = { from: 0, to: 1 }] = ranges(bottom - top, bottom, (y) =>
            every(to - from).some((x) => isInk(from + x, top + y)),
          )
          const [wide, high] = [to - from, box.to - box.from]
          const cells = every(8 * 12).map((cell) => {
            const [column, row] = [cell % 8, Math.floor(cell / 8)]
            const xs = [Math.floor((column * wide) / 8), Math.max(1, Math.ceil(((column + 1) * wide) / 8))] as const
            const ys = [Math.floor((row * high) / 12), Math.max(1, Math.ceil(((row + 1) * high) / 12))] as const
            const inside = every((xs[1] - xs[0]) * (ys[1] - ys[0])).filter((one) =>
              isInk(from + xs[0] + (one % (xs[1] - xs[0])), top + box.from + ys[0] + Math.floor(one / (xs[1] - xs[0]))),
            )
            return inside.length / ((xs[1] - xs[0]) * (ys[1] - ys[0]))
          })
          return { width: wide, height: high, ink: cells }
        }),
      )
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )

/** 0 for the same shape, up to 1. Shapes of different sizes are not alike. */
function unlikeness(one: Shape, other: Shape | undefined): number {
  if (!other || Math.abs(one.width - other.width) > 3 || Math.abs(one.height - other.height) > 3) return 1
  const differences = one.ink.map((ink, at) => Math.abs(ink - (other.ink[at] ?? 0)))
  return differences.reduce((sum, difference) => sum + difference, 0) / differences.length
}

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
