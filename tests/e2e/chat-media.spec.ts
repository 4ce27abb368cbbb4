import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import OpenAI from 'openai'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { jpg, png } from '../core/features/media/pictures.ts'
import { lacks } from '../helpers/programs.mjs'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, newChat, takePictures } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox, type WebHost } from './hosts.ts'
import {
  addToMessage,
  askModel,
  composer,
  lastReply,
  pickModel,
  quick,
  retryWith,
  send,
  sentRequest,
  settled,
} from './journey.ts'
import { withMicrophone } from './microphone.ts'

test.skip(lacks('ffmpeg') !== null, 'ffmpeg')

// The fake microphone plays a file with speech from the sandbox's voice, created once for each worker. Other processes read this file, too.
const folder = join(tmpdir(), `studio-mic-${process.pid}`)
const wav = join(folder, 'speech.wav')
test.use(withMicrophone(wav))

const key = 'sk-media-4411'
let sandbox: Sandbox
let host: WebHost

test.beforeAll(async () => {
  const own = await openSandbox({ apiKey: key })
  const client = new OpenAI({ baseURL: `${own.baseUrl}/v1`, apiKey: key })
  const speech = await client.audio.speech.create({
    model: 'tts-1',
    voice: 'nova',
    response_format: 'wav' as const,
    input: 'Good morning. The ferry leaves the harbour at seven, and comes back in the evening.',
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(wav, Buffer.from(await speech.arrayBuffer()))
  await own.close()
  sandbox = await openSandbox({ apiKey: key, paces: quick })
  host = await openConnectedHost(sandbox)
})
test.afterAll(async () => {
  await closeHosts()
  rmSync(folder, { recursive: true, force: true })
})
/** Number of requests to a path before this test. */
const before = new Map<string, number>()
const asked = (path: string): number =>
  sandbox.observe.requests().filter((request) => request.path === path).length - (before.get(path) ?? 0)
test.beforeEach(async ({ page }) => {
  before.clear()
  for (const path of ['/v1/audio/transcriptions', '/v1/audio/speech']) before.set(path, asked(path))
  await page.goto(host.url)
  await newChat(page)
})

const tray = (page: Page) => page.getByRole('list', { name: windowText('composer:picturesToSend') })
const thumbnails = (page: Page) => page.locator('.composer-picture')
const ready = (page: Page) => page.locator('.composer-picture[data-state="ready"]')
const pick = (page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]) =>
  page.locator('.chat-composer input[type="file"]').setInputFiles(files)
const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })
const photo = (width: number, height: number): Buffer =>
  execFileSync(
    'ffmpeg',
    [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      `testsrc2=size=${width}x${height}`,
      '-frames:v',
      '1',
      '-q:v',
      '4',
      '-f',
      'mjpeg',
      'pipe:1',
    ],
    { maxBuffer: 1 << 28 },
  )

/** The EXIF data rotates the image by 90 degrees. */
function turned(bytes: Buffer): Buffer {
  const tiff = Buffer.from('49492a00080000000100120103000100000006000000000000000000', 'hex')
  const block = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, block.length + 2])
  return Buffer.concat([bytes.subarray(0, 2), head, block, bytes.subarray(2)])
}

/** Pastes or drops files. */
const give = (page: Page, how: 'paste' | 'drop', pictures: { name: string; base64: string }[]) =>
  composer(page).evaluate(
    (field, { kind, list }) => {
      const data = new DataTransfer()
      for (const { name, base64 } of list) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
        data.items.add(new File([bytes], name, { type: 'image/png' }))
      }
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
      field.dispatchEvent(event)
    },
    { kind: how, list: pictures },
  )

test('images are picked, pasted and dropped; the model receives each of them, and the chat shows them', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'vision')
  await pick(page, file('harbour.jpg', 'image/jpeg', jpg(320, 200)))
  await give(page, 'paste', [{ name: 'pasted.png', base64: png(64, 48, 1).toString('base64') }])
  await give(page, 'drop', [{ name: 'dropped.png', base64: png(30, 90, 2).toString('base64') }])
  await expect(ready(page)).toHaveCount(3)
  await expect(thumbnails(page).nth(0)).toContainText('320 × 200')
  await thumbnails(page)
    .nth(1)
    .getByRole('button', { name: /image detail/ })
    .click()
  await page.getByRole('menuitem', { name: /^High/ }).click()
  await thumbnails(page).nth(2).getByRole('button', { name: 'Remove dropped.png' }).click()
  await expect(ready(page)).toHaveCount(2)
  await send(page, 'What do you see?')
  await expect(tray(page)).toHaveCount(0)
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText(/320.{1,3}200/)
  await expect(lastReply(page)).toContainText(/64.{1,3}48/)
  const shown = page.locator('article[data-role="user"] img')
  await expect(shown).toHaveCount(2)
  await expect.poll(() => shown.nth(0).evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(320)
  // Full size with its real pixels, then the next image by keyboard.
  await page.getByRole('button', { name: 'View harbour.jpg' }).click()
  const box = page.locator('dialog.composer-lightbox')
  await expect(box).toContainText('320 × 200')
  await expectAccessible(page, 'dialog.composer-lightbox')
  await page.keyboard.press('ArrowRight')
  await expect(box).toContainText('64 × 48')
  await page.keyboard.press('Escape')
  await expect(box).toBeHidden()
})

test('the image, its detail, the name and every role are sent as chosen [CHAT-02] [CHAT-03] [CHAT-04]', async ({
  page,
}) => {
  const picture = png(20, 10)
  await pickModel(page, 'mirror')
  await pick(page, file('a.png', 'image/png', picture))
  await thumbnails(page)
    .first()
    .getByRole('button', { name: /image detail/ })
    .click()
  await page.getByRole('menuitem', { name: /^Low/ }).click()
  await addToMessage(page, 'Message role…')
  await page.getByRole('textbox', { name: /^Name/ }).fill('ada')
  await page.keyboard.press('Escape')
  await send(page, 'Mirror this.')
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText('20 × 10 pixels')
  await expect(lastReply(page)).toContainText('ada')
  const url = `data:image/png;base64,${picture.toString('base64')}`
  const asked = {
    role: 'user',
    name: 'ada',
    content: [
      { type: 'text', text: 'Mirror this.' },
      { type: 'image_url', image_url: { url, detail: 'low' } },
    ],
  }
  expect((await sentRequest(page)).messages).toEqual([asked])
  // The next message has the role User again. A system message is added without a reply.
  await addToMessage(page, 'Message role…')
  await page.getByText(windowText('chat:roleSystem'), { exact: true }).click()
  await page.keyboard.press('Escape')
  await composer(page).fill('Be brief.')
  const before = sandbox.observe.requests().length
  await page.getByRole('button', { name: windowText('composer:add'), exact: true }).click()
  await expect(page.locator('article[data-role="system"]')).toContainText('Be brief.')
  expect(sandbox.observe.requests()).toHaveLength(before)
  for (const [role, text] of [
    ['Developer', 'In English.'],
    ['Assistant', 'As you wish.'],
  ] as const) {
    await addToMessage(page, 'Message role…')
    await page.getByText(role, { exact: true }).click()
    await page.keyboard.press('Escape')
    await composer(page).fill(text)
    await page.getByRole('button', { name: windowText('composer:add'), exact: true }).click()
    await expect(page.locator('article').last()).toContainText(text)
  }
  await send(page, 'And now?')
  await expect(lastReply(page)).toContainText('And now?')
  await settled(page, 'complete')
  const [, answered, ...later] = (await sentRequest(page)).messages as { role: string; content: string }[]
  expect(answered?.role).toBe('assistant')
  expect(later).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'In English.' },
    { role: 'assistant', content: 'As you wish.' },
    { role: 'user', content: 'And now?' },
  ])
})

test('a large photo is scaled down with a note and rotated by its EXIF data; an animated image is not changed', {
  tag: '@long',
}, async ({ page }) => {
  const gif = execFileSync('ffmpeg', [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=80x60:rate=5:duration=1',
    '-f',
    'gif',
    'pipe:1',
  ])
  const media = join(host.ready.dataDir, 'media')
  const before = readdirSync(media).length
  await pick(
    page,
    file('photo.jpg', 'image/jpeg', photo(6000, 4000)),
    file('turned.jpg', 'image/jpeg', turned(jpg(300, 100))),
    file('moves.gif', 'image/gif', gif),
  )
  await expect(ready(page)).toHaveCount(3, { timeout: 30_000 })
  await expect(thumbnails(page).nth(0)).toContainText('Scaled from 6000 × 4000 to 2048 × 1365')
  await expect(thumbnails(page).nth(1)).toContainText('100 × 300')
  await expect(thumbnails(page).nth(1)).toContainText('Rotated upright')
  await expect(thumbnails(page).nth(2)).toContainText('80 × 60')
  await expect(thumbnails(page).nth(2)).not.toContainText(/first frame/)
  expect(readdirSync(media)).toHaveLength(before + 3)
  await expectAccessible(page, '.chat-composer')
})

test('a photo is decoded and compressed in a worker, not on the page’s thread', { tag: '@long' }, async ({ page }) => {
  let threads = 0
  page.on('worker', () => {
    threads++
  })
  await page.evaluate(() => {
    const done: string[] = []
    Object.assign(globalThis, { done })
    const { createImageBitmap } = globalThis
    Object.assign(globalThis, {
      createImageBitmap: (...given: Parameters<typeof createImageBitmap>) => {
        done.push('decoded')
        return createImageBitmap(...given)
      },
    })
    const { getContext } = HTMLCanvasElement.prototype
    Object.assign(HTMLCanvasElement.prototype, {
      getContext(this: HTMLCanvasElement, ...given: Parameters<typeof getContext>) {
        done.push('drawn')
        return getContext.apply(this, given)
      },
    })
  })
  await pick(page, file('photo.jpg', 'image/jpeg', photo(6000, 4000)))
  await expect(ready(page)).toHaveCount(1, { timeout: 30_000 })
  await expect(thumbnails(page)).toContainText('Scaled from')
  expect(threads).toBe(1)
  expect(await page.evaluate(() => (globalThis as unknown as { done: string[] }).done)).toEqual([])
})

test('images that are damaged or too many are refused with the whole reason', { tag: '@long' }, async ({ page }) => {
  await pick(page, file('cut.png', 'image/png', png(50, 50).subarray(0, 60)))
  await expect(thumbnails(page)).toContainText('is damaged')
  for (const width of [1280, 700]) {
    await page.setViewportSize({ width, height: 820 })
    const reason = page.locator('.chat-hint', { hasText: windowText('composer:picturesFailed') })
    expect(await reason.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  }
  await page.getByRole('button', { name: 'Remove cut.png' }).click()
  const many = Array.from({ length: 18 }, (_, at) => file(`${at}.png`, 'image/png', png(8, 8, at)))
  await pick(page, ...many)
  await expect(page.getByText('at most 16 images. 2 were left out')).toBeVisible()
  await expect(ready(page)).toHaveCount(16, { timeout: 30_000 })
})

test('images are part of the draft of each chat and survive a reload', { tag: '@long' }, async ({ page }) => {
  await pickModel(page, 'mirror')
  await pick(page, file('kept.png', 'image/png', png(33, 44)))
  await expect(ready(page)).toHaveCount(1)
  await page.reload()
  await expect(ready(page)).toHaveCount(1)
  await expect(thumbnails(page)).toContainText('33 × 44')
  await expect
    .poll(() => page.locator('.composer-picture img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(33)
  await send(page, 'First.')
  await settled(page, 'complete')
  await expect(tray(page)).toHaveCount(0)
  await pick(page, file('second.png', 'image/png', png(12, 13)))
  await expect(ready(page)).toHaveCount(1)
  await page
    .getByRole('button', { name: windowText('chat:newChat') })
    .first()
    .click()
  await expect(tray(page)).toHaveCount(0)
  await page.goBack()
  await expect(thumbnails(page)).toContainText('12 × 13')
})

test('a model without image input: the service’s message, another model one click away, a hint at the next image, never a block [GEN-04] [CHAT-20]', {
  tag: '@long',
}, async ({ page }) => {
  await pickModel(page, 'writer-small')
  await pick(page, file('a.png', 'image/png', png(9, 9)))
  await send(page, 'Describe it.')
  await settled(page, 'failed')
  const said = 'The service says: “The model writer-small does not support images.”'
  await expect(lastReply(page).getByText(said)).toBeVisible()
  await pick(page, file('b.png', 'image/png', png(9, 9, 3)))
  await expect(page.getByText('writer-small refused images before')).toBeVisible()
  await expect(page.locator('.composer-tray').getByRole('button', { name: /^Use (vision|mirror)$/ })).toBeVisible()
  await composer(page).fill('Again.')
  await expect(page.getByRole('button', { name: windowText('chat:send'), exact: true })).toHaveAttribute(
    'aria-disabled',
    'false',
  )
  await expectAccessible(page, '.chat-composer')
  await takePictures(page, 'chat-no-pictures', true)
  // The record is the core's: it outlives the window.
  await page.reload()
  await page.getByRole('button', { name: windowText('chat:send'), exact: true }).click()
  const warning = page.getByRole('alertdialog', { name: 'writer-small refused images before' })
  await expect(warning).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'chat-image-warning', true)
  await warning.getByRole('button', { name: windowText('composer:chooseOther') }).click()
  await expect(page.getByRole('combobox', { name: windowText('chat:searchModels') })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(composer(page)).toHaveValue('Again.')
  await page.getByRole('button', { name: windowText('chat:send'), exact: true }).click()
  await warning.getByRole('button', { name: windowText('composer:sendAnyway') }).click()
  await expect(page.locator('article[data-role="assistant"]')).toHaveCount(2)
  await settled(page, 'failed')
  // An edited message keeps its images, so the same question comes first.
  await lastReply(page)
    .getByRole('button', { name: windowText('chat:edit'), exact: true })
    .first()
    .click()
  await page.getByRole('button', { name: windowText('chat:saveAndSend') }).click()
  await expect(warning).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('textbox', { name: windowText('chat:editText') })).toBeFocused()
  await page.getByRole('button', { name: windowText('chat:cancel') }).click()
  // So does a repeated request, because the chat still holds the images.
  await page.keyboard.press('Control+Shift+Enter')
  await expect(warning).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('article[data-role="assistant"]')).toHaveCount(2)
  await retryWith(page, 'vision')
  await settled(page, 'complete')
  await expect(lastReply(page)).toContainText(/9.{1,3}9/)
  // The model that was chosen is the chat's from now on: a later message sends the images again, and nothing warns.
  await expect(page.getByRole('button', { name: 'Model: vision', exact: true })).toBeVisible()
  await send(page, 'And in words?')
  await settled(page, 'complete')
  // Another model gets the question, also for a message without an image.
  await pickModel(page, 'writer-small')
  await composer(page).fill('Once more.')
  await page.getByRole('button', { name: windowText('chat:send'), exact: true }).click()
  await expect(warning).toBeVisible()
  await page.keyboard.press('Escape')
})

test('an image for a model that may take none offers one that does, before the first refusal', async ({ page }) => {
  await pickModel(page, 'reasoner')
  await pick(page, file('first.png', 'image/png', png(9, 9, 7)))
  await expect(page.getByText(windowText('composer:imagesUnknown', { model: 'reasoner' }))).toBeVisible()
  await expectAccessible(page, '.chat-composer')
  await takePictures(page, 'chat-vision-offer', true)
  await page.getByRole('button', { name: /^Use (vision|mirror)$/ }).click()
  await expect(page.getByRole('button', { name: /^Model: (vision|mirror)$/ })).toBeVisible()
  await expect(page.getByText('may not take images')).toHaveCount(0)
})

test('an image for a model that refused images offers a model that took one, before sending', { tag: '@long' }, async ({
  page,
}) => {
  const askWithImage = async (model: string, end: 'failed' | 'complete', seed: number): Promise<void> => {
    await pickModel(page, model)
    await pick(page, file(`${model}.png`, 'image/png', png(9, 9, seed)))
    await expect(ready(page)).toHaveCount(1)
    await send(page, 'Describe it.')
    await settled(page, end)
  }
  await askWithImage('writer-small', 'failed', 1)
  await askWithImage('vision', 'complete', 2)
  await pickModel(page, 'writer-small')
  await pick(page, file('next.png', 'image/png', png(9, 9, 3)))
  const use = page.getByRole('button', { name: windowText('composer:useOther', { model: 'vision' }) })
  await expect(use).toBeVisible()
  await expectAccessible(page, '.chat-composer')
  await takePictures(page, 'chat-other-model', true)
  await use.click()
  await expect(page.getByText('writer-small refused images before')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Model: vision', exact: true })).toBeVisible()
})

test('dictation shows the level and inserts the text at the caret', { tag: '@long' }, async ({ page }) => {
  await composer(page).fill('Before after')
  await composer(page).evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(6, 6))
  await page.getByRole('button', { name: windowText('composer:dictate') }).click()
  const meter = page.getByRole('meter', { name: windowText('composer:recordingLevel') })
  await expect
    .poll(async () => Number(await meter.getAttribute('aria-valuenow')), { timeout: 15_000 })
    .toBeGreaterThan(20)
  await expect(page.getByText(/0:0\d of 30:00/)).toBeVisible()
  await expectAccessible(page, '.chat-composer')
  await page.getByRole('button', { name: windowText('composer:finishDictation') }).click()
  await expect(composer(page)).toHaveValue(/^Before .+ after$/, { timeout: 20_000 })
  expect(asked('/v1/audio/transcriptions')).toBe(1)
  const request = sandbox.observe.requests().findLast(({ path }) => path === '/v1/audio/transcriptions')
  expect(request?.bytesIn ?? 0).toBeGreaterThan(1000)
})

test('Esc cancels dictation, and after a failure the recording remains for another try', { tag: '@long' }, async ({
  page,
}) => {
  await page.getByRole('button', { name: windowText('composer:dictate') }).click()
  await expect(page.getByRole('meter', { name: windowText('composer:recordingLevel') })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('meter', { name: windowText('composer:recordingLevel') })).toHaveCount(0)
  expect(asked('/v1/audio/transcriptions')).toBe(0)
  await page.getByRole('button', { name: windowText('composer:dictate') }).click()
  // The sound contains speech: silence would give an empty transcript on every try.
  const level = async () =>
    Number(await page.getByRole('meter', { name: windowText('composer:recordingLevel') }).getAttribute('aria-valuenow'))
  await expect.poll(level).toBeGreaterThan(20)
  const { port } = new URL(sandbox.baseUrl)
  await sandbox.close()
  await page.getByRole('button', { name: windowText('composer:finishDictation') }).click()
  await expect(page.getByText('The recording is saved')).toBeVisible({ timeout: 30_000 })
  sandbox = await openSandbox({ apiKey: key, port: Number(port), paces: quick })
  await page
    .getByRole('button', { name: windowText('composer:tryAgain') })
    .last()
    .click()
  await expect(composer(page)).not.toHaveValue('', { timeout: 30_000 })
})

for (const [name, words] of [
  ['NotAllowedError', 'Microphone access is blocked'],
  ['NotFoundError', 'No microphone found'],
  ['NotReadableError', 'another program may be using it'],
] as const) {
  test(`without a microphone a message says the reason, with one thing to do: ${name}`, { tag: '@long' }, async ({
    page,
  }) => {
    await page.evaluate((refusal) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', refusal))
    }, name)
    await page.getByRole('button', { name: windowText('composer:dictate') }).click()
    await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible()
    await expect(page.getByRole('button', { name: windowText('composer:tryAgain') })).toBeVisible()
    await page.getByRole('button', { name: windowText('chat:dismiss') }).click()
    await expect(page.getByRole('button', { name: windowText('composer:dictate') })).toBeEnabled()
  })
}

test('a reply is read aloud while it streams: pause, speed, stop; playback continues on another page [TTS-05]', {
  tag: '@long',
}, async ({ page }) => {
  await askModel(page, 'mirror', 'The ferry leaves at seven.')
  await lastReply(page)
    .getByRole('button', { name: windowText('composer:readAloud') })
    .click()
  const player = page.getByRole('region', { name: windowText('composer:player') })
  await expect(player).toContainText(/first sound after \d/, { timeout: 20_000 })
  await expectAccessible(page, '.composer-player')
  await player.getByRole('button', { name: windowText('composer:pause') }).click()
  await expect(player).toContainText('Paused')
  await player.getByRole('combobox', { name: windowText('chat:factSpeed') }).selectOption('1.5')
  await player.getByRole('button', { name: windowText('composer:resumeReading') }).click()
  await page
    .getByRole('link', { name: /Settings/ })
    .or(page.getByRole('button', { name: /Settings/ }))
    .first()
    .click()
  await page.goBack()
  await expect(player).toBeVisible()
  await player.getByRole('button', { name: windowText('composer:stopReading') }).click()
  await expect(player).toHaveCount(0)
})

test('reading a long text aloud requests one part ahead, and stopping ends the requests', { tag: '@long' }, async ({
  page,
}) => {
  await pickModel(page, 'mirror')
  // A part ends at the end of a paragraph if the paragraph fills half of the part.
  await composer(page).fill(`${'All of this is said again and again. '.repeat(57)}\n\n`.repeat(5))
  await page.getByRole('button', { name: windowText('chat:send'), exact: true }).click()
  await settled(page, 'complete')
  await lastReply(page)
    .getByRole('button', { name: windowText('composer:readAloud') })
    .click()
  const player = page.getByRole('region', { name: windowText('composer:player') })
  await expect.poll(() => asked('/v1/audio/speech'), { timeout: 40_000 }).toBe(2)
  await expect(player).toContainText(/part 1 of [4-9]/)
  // Part one plays for minutes. Part two is complete, but no further part may be requested while part one plays.
  await expect.poll(() => sandbox.observe.requests().every(({ endedAt }) => endedAt !== null)).toBe(true)
  await expect(player).toContainText(/first sound after \d/)
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
  expect(asked('/v1/audio/speech')).toBe(2)
  await player.getByRole('button', { name: windowText('composer:stopReading') }).click()
})

test('reading aloud that fails says why and continues after Retry', { tag: '@long' }, async ({ page }) => {
  await askModel(page, 'mirror', 'Short.')
  const { port } = new URL(sandbox.baseUrl)
  await sandbox.close()
  await lastReply(page)
    .getByRole('button', { name: windowText('composer:readAloud') })
    .click()
  const player = page.getByRole('region', { name: windowText('composer:player') })
  await expect(player.getByRole('button', { name: windowText('composer:tryAgain') })).toBeVisible({ timeout: 40_000 })
  sandbox = await openSandbox({ apiKey: key, port: Number(port), paces: quick })
  await player
    .getByRole('button', { name: windowText('composer:tryAgain') })
    .first()
    .click()
  await expect(player).toContainText(/first sound after \d/, { timeout: 20_000 })
})
