import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { root } from '../../resources/scripts/ready.mjs'
import { marks, tracedWithDevTools } from '../bench/render-trace.ts'
import { plainPdf } from '../core/features/documents/corpus.ts'
import { openDevToolsPage } from '../helpers/devToolsPage.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { slowness } from '../helpers/longestTurn.ts'
import { windowText } from '../helpers/windowText.ts'
import { type ChatWorld, expectAccessible, openChatWorld, takePictures, turns } from './chatWorld.ts'
import { composer, pickModel, send, sentRequest, settled } from './journey.ts'

let world: ChatWorld
test.beforeAll(async () => {
  world = await openChatWorld()
})
test.afterAll(() => world.close())
test.beforeEach(({ page }) => world.enter(page))

const fixture = (name: string): Buffer => readFileSync(join(root, 'tests/fixtures/documents', name))
const tray = (page: Page) => page.getByRole('list', { name: windowText('documents:toSend') })
const dialog = (page: Page) => page.getByRole('dialog')
const sentText = (page: Page) => page.getByRole('region', { name: windowText('documents:textToSend') })

/** Drops files on the composer, or pastes them. */
const give = (page: Page, how: 'paste' | 'drop', files: { name: string; bytes: Buffer }[]) =>
  composer(page).evaluate(
    (field, { kind, list }) => {
      const data = new DataTransfer()
      for (const { name, base64 } of list) {
        data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name))
      }
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
      field.dispatchEvent(event)
    },
    { kind: how, list: files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') })) },
  )

const open = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).last()

test('a dropped PDF shows its pages and tokens; chosen pages are shown as they are sent, sent, and there after a reload', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'mirror')
  await give(page, 'drop', [{ name: 'report.pdf', bytes: fixture('report-libreoffice.pdf') }])
  await expect(tray(page)).toContainText(/PDF · 3 pages · \d+ tokens est\./)
  await open(page, 'report.pdf').click()
  await expect(sentText(page)).toContainText('The third page ends the report.')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'document-text')
  // The choice of pages, by keyboard alone.
  const pages = page.getByLabel(windowText('documents:parts.page'))
  await pages.fill('9')
  await expect(dialog(page)).toContainText('Enter numbers from 1 to 3')
  await pages.fill('3, 2-2')
  await expect(sentText(page)).not.toContainText('Harbour report')
  await expect(sentText(page)).toContainText('pages="2-3 of 3"')
  const shown = await sentText(page).innerText()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toHaveCount(0)
  await expect(tray(page)).toContainText('2-3 of 3 pages')
  // A draft survives a reload.
  await page.reload()
  await expect(tray(page)).toContainText('2-3 of 3 pages')
  await takePictures(page, 'document-draft', true)
  await send(page, 'What is on these pages?')
  await settled(page, 'complete')
  await expect(tray(page)).toHaveCount(0)
  const [request] = [await sentRequest(page)]
  const content = JSON.stringify(request)
  expect(content).toContain('[Page 2]')
  expect(content).not.toContain('Harbour report')
  expect(request).toMatchObject({ messages: [{ role: 'user', content: `${shown}\n\nWhat is on these pages?` }] })
  // The message shows a chip and not the text, also after a reload.
  await page.reload()
  const turn = turns(page).last()
  await expect(turn).toContainText('2-3 of 3 pages')
  await expect(turn.locator('[data-part="text"]')).toHaveText('What is on these pages?')
  await turn.hover()
  await page.mouse.wheel(0, -5000)
  await expect(turn.getByRole('list')).toBeInViewport()
  await expectAccessible(page, 'article[data-role="user"]')
  await takePictures(page, 'document-sent', true)
  await open(page, 'report.pdf').click()
  await expect(sentText(page)).toContainText('The third page')
  await page.keyboard.press('Escape')
  // An edit keeps the document.
  await turn.getByRole('button', { name: windowText('chat:edit'), exact: true }).click()
  await page.getByLabel(windowText('chat:editText')).fill('And now?')
  await page.keyboard.press('Enter')
  await expect(turns(page).last()).toContainText('And now?')
  await settled(page, 'complete')
  await expect(turns(page).last()).toContainText('2-3 of 3 pages')
  expect(JSON.stringify(await sentRequest(page))).toContain('[Page 2]')
})

test('a table and a text in an old encoding are pasted and picked by keyboard; a broken and a protected file say why', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'mirror')
  await give(page, 'paste', [{ name: 'prices.xlsx', bytes: fixture('prices.xlsx') }])
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: windowText('composer:addMenu') }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: windowText('composer:attach') }).focus()
  await page.keyboard.press('Enter')
  const latin = Buffer.from('Caf\xe9 \x96 na\xefve se\xf1or', 'latin1')
  await (await chooser).setFiles([
    { name: 'menu.txt', mimeType: 'text/plain', buffer: latin },
    { name: 'broken.docx', mimeType: 'application/zip', buffer: fixture('report.docx').subarray(0, 4000) },
    { name: 'secret.pdf', mimeType: 'application/pdf', buffer: fixture('encrypted.pdf') },
  ])
  // The next key is part of the message.
  await expect(composer(page)).toBeFocused()
  const items = tray(page).getByRole('listitem')
  await expect(items.nth(0)).toContainText('2 sheets')
  await expect(items.nth(1)).toContainText('Text')
  await expect(items.nth(2)).toContainText('damaged')
  await expect(items.nth(3)).toContainText('protected by a password')
  await expectAccessible(page, '.chat-composer')
  await takePictures(page, 'document-failed', true)
  await composer(page).fill('Sum it up')
  await page.keyboard.press('Enter')
  await expect(turns(page)).toHaveCount(0)
  for (const name of ['broken.docx', 'secret.pdf']) {
    await page.getByRole('button', { name: windowText('documents:remove', { name }) }).press('Enter')
  }
  await composer(page).press('Enter')
  await settled(page, 'complete')
  const request = JSON.stringify(await sentRequest(page))
  expect(request).toContain('Café – naïve señor')
  expect(request).toContain('Anchor,300')
})

test('a text whose letters look wrong is read in another encoding by keyboard, which is sent, and there after a reload', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'mirror')
  // Polish in ISO-8859-2. Nothing in so few letters says so.
  const bytes = Buffer.from('\xacr\xf3d\xb3o, \xa3\xf3d\xbc, \xb1', 'latin1')
  await give(page, 'drop', [{ name: 'words.txt', bytes }])
  await open(page, 'words.txt').click()
  const encoding = dialog(page).getByLabel(windowText('documents:encoding'))
  await expect(encoding).toBeVisible()
  await expect(sentText(page)).not.toContainText('Łódź')
  await encoding.focus()
  await encoding.selectOption('ISO-8859-2')
  await expect(sentText(page)).toContainText('Łódź')
  await expect(encoding).toHaveValue('ISO-8859-2')
  await expect(dialog(page)).toContainText('The text was read as ISO-8859-2.')
  await expectAccessible(page, 'dialog[open]')
  await takePictures(page, 'document-encoding', true)
  await page.keyboard.press('Escape')
  await page.reload()
  await open(page, 'words.txt').click()
  await expect(encoding).toHaveValue('ISO-8859-2')
  await expect(sentText(page)).toContainText('Łódź')
  await page.keyboard.press('Escape')
  await send(page, 'Sum it up')
  await settled(page, 'complete')
  expect(JSON.stringify(await sentRequest(page))).toContain('Łódź')
  // A document that was sent has no choice.
  await open(page, 'words.txt').click()
  await expect(sentText(page)).toContainText('Łódź')
  await expect(encoding).toHaveCount(0)
  await page.keyboard.press('Escape')
})

test('the page is never blocked over 50 ms while a PDF of 50 MB is uploaded and read', { tag: '@long' }, async () => {
  const path = join(temporaryFolder('studio-documents-'), 'large.pdf')
  writeFileSync(path, plainPdf(200, 50, 250_000))
  const page = await openDevToolsPage(world.host.url)
  try {
    await page.until(`document.querySelector('.chat-composer input[type="file"]')`)
    const { trace } = await tracedWithDevTools(page, async () => {
      await page.evaluate(`performance.mark('${marks.from}') && null`)
      await page.setFiles('.chat-composer input[type="file"]', [path])
      await page.until(`document.querySelector('.chat-composer')?.textContent.includes('200 pages')`)
      await page.evaluate(`performance.mark('${marks.to}') && null`)
    })
    expect(trace.longestTaskCpuMs / slowness()).toBeLessThan(50)
  } finally {
    await page.close()
  }
})

test('pages of a scan become images after a click, with their cost; a reload keeps the offer', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'vision')
  await give(page, 'drop', [{ name: 'scan.pdf', bytes: fixture('scan.pdf') }])
  await expect(tray(page)).toContainText('4,000 tokens est., 1,000 per image. The price of this model is not known.')
  await pickModel(page, 'mirror')
  await expect(tray(page)).toContainText('0.00040 SC est. for the images')
  await expectAccessible(page, '.chat-composer')
  await takePictures(page, 'document-scan', true)
  await page.reload()
  const sendImages = page.getByRole('button', { name: windowText('documents:scans.send', { count: 4 }) })
  await sendImages.focus()
  await page.keyboard.press('Enter')
  const pictures = page.getByRole('list', { name: windowText('composer:picturesToSend') }).getByRole('listitem')
  await expect(pictures).toHaveCount(4, { timeout: 15_000 })
  await expect(pictures.nth(3)).toContainText('× 2048')
  await expect(sendImages).toHaveCount(0)
  await takePictures(page, 'document-scan-images', true)
  // The share of dark pixels: text on white paper, neither blank nor inverted, whatever the codec.
  const dark = await pictures.locator('img').evaluateAll((images) =>
    Promise.all(
      images.map(async (shown) => {
        const image = new Image()
        image.src = shown.getAttribute('src') ?? ''
        await image.decode()
        const canvas = new OffscreenCanvas(image.width, image.height)
        const context = canvas.getContext('2d')
        context?.drawImage(image, 0, 0)
        const data = context?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
        let count = 0
        for (let at = 0; at < data.length; at += 4) if ((data[at] ?? 255) < 128) count += 1
        return count / (data.length / 4)
      }),
    ),
  )
  expect(dark).toHaveLength(4)
  for (const share of dark) {
    expect(share).toBeGreaterThan(0.001)
    expect(share).toBeLessThan(0.2)
  }
  // The test does not wait for the reply, which repeats the whole text.
  await send(page, 'Read the scan.')
  await expect(turns(page).first().getByRole('img')).toHaveCount(4)
})

test('a message waits for the pages that become images; removing the document ends that', { tag: '@long' }, async ({
  page,
}) => {
  await pickModel(page, 'mirror')
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await give(page, 'drop', [{ name: 'scan.pdf', bytes: fixture('scan.pdf') }])
  const sendImages = page.getByRole('button', { name: windowText('documents:scans.send', { count: 4 }) })
  await expect(sendImages).toBeVisible()
  await page.route('**/media/**', async (route) => {
    await held
    await route.continue()
  })
  await sendImages.click()
  await expect(tray(page)).toContainText('Preparing image 1 of 4')
  await composer(page).fill('Read the scan.')
  await expect(page.getByRole('button', { name: windowText('chat:send'), exact: true })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expect(page.locator('.chat-hint')).toHaveText(windowText('documents:going'))
  await takePictures(page, 'document-scan-drawing', true)
  await composer(page).press('Enter')
  await expect(turns(page)).toHaveCount(0)
  await page.getByRole('button', { name: windowText('documents:cancel', { name: 'scan.pdf' }) }).click()
  release()
  await expect(tray(page)).toHaveCount(0)
  await composer(page).press('Enter')
  await settled(page, 'complete')
  await expect(page.getByRole('list', { name: windowText('composer:picturesToSend') })).toHaveCount(0)
  await expect(turns(page).first().getByRole('img')).toHaveCount(0)
})

test('a page that cannot be drawn says so and adds no picture', { tag: '@long' }, async ({ page }) => {
  await pickModel(page, 'mirror')
  const bytes = Buffer.from(
    fixture('scan.pdf').toString('latin1').replace('\u00ff\u004f\u00ff\u0051', 'xxxx'),
    'latin1',
  )
  await give(page, 'drop', [{ name: 'broken.pdf', bytes }])
  await page.getByRole('button', { name: windowText('documents:scans.send', { count: 4 }) }).click()
  await expect(tray(page)).toContainText('Page 3 could not be made into an image')
  await expect(page.getByRole('list', { name: windowText('composer:picturesToSend') })).toHaveCount(0)
  await page.getByRole('button', { name: windowText('documents:remove', { name: 'broken.pdf' }) }).click()
  await expect(tray(page)).toHaveCount(0)
})
