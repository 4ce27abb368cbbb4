import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Locator, type Page, test } from '@playwright/test'
import OpenAI from 'openai'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { transfersPath } from '../../src-preload/contract/transfers.ts'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost, type WebHost } from './hosts.ts'
import { composer, connectTo } from './journey.ts'
import { withMicrophone } from './microphone.ts'

// The fake microphone plays a file with speech from the sandbox's voice, created once for each worker. Other processes read this file, too.
const folder = join(tmpdir(), `studio-transcribe-${process.pid}`)
const wav = join(folder, 'speech.wav')
test.use(withMicrophone(wav))

// Generous limits for waits on a busy machine.
// Independent tests: any free worker takes the next one.
test.describe.configure({ mode: 'parallel', timeout: 120_000 })

const key = 'sk-transcribe-4411'
const said = 'Good morning. The ferry leaves the harbour at seven, and comes back in the evening.'
let sandbox: Sandbox
let host: WebHost

async function speech(client: OpenAI, input: string, format: 'wav' | 'mp3'): Promise<Buffer> {
  const reply = await client.audio.speech.create({ model: 'tts-1', voice: 'nova', response_format: format, input })
  return Buffer.from(await reply.arrayBuffer())
}

let spoken: Buffer
test.beforeAll(async () => {
  const own = await openSandbox({ apiKey: key })
  const client = new OpenAI({ baseURL: `${own.baseUrl}/v1`, apiKey: key })
  // A worker that takes a second group of tests runs the hooks again, after the folder was deleted.
  mkdirSync(folder, { recursive: true })
  writeFileSync(wav, await speech(client, said, 'wav'))
  spoken = await speech(client, said, 'mp3')
  await own.close()
})
test.beforeEach(async ({ page }) => {
  sandbox = await openSandbox({ apiKey: key })
  host = await openWebHost(newDataDir())
  await page.goto(host.url)
})
test.afterEach(closeHosts)
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

const dock = (page: Page): Locator => page.getByRole('region', { name: windowText('transcribe:dock') })
const lines = (page: Page): Locator =>
  page.getByRole('list', { name: windowText('transcribe:cues') }).getByRole('listitem')
const waveform = (page: Page): Locator => page.getByRole('main').getByRole('slider')
const bars = async (page: Page): Promise<number> =>
  Number(await page.getByRole('img', { name: windowText('transcribe:recordingPicture') }).getAttribute('data-bars'))
const fact = (page: Page, name: string): Locator =>
  page
    .getByRole('region', { name: windowText('transcribe:thisTranscript') })
    .locator('dt', { hasText: new RegExp(`^${name}$`) })
    .locator('+ dd')
const asked = () => sandbox.observe.requests().filter(({ path }) => path === '/v1/audio/transcriptions')
const inList = (page: Page): Locator =>
  page.getByRole('navigation', { name: windowText('transcribe:list') }).getByRole('listitem')

async function enter(page: Page, baseUrl = sandbox.baseUrl): Promise<void> {
  await connectTo(page, baseUrl, key)
  await page
    .getByRole('link', { name: windowText('transcribe:title') })
    .or(page.getByRole('button', { name: windowText('transcribe:title') }))
    .first()
    .click()
  await expect(dock(page).getByRole('button', { name: windowText('transcribe:record') })).toBeVisible()
}

async function give(page: Page, files: string[] | ReturnType<typeof file>[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await dock(page)
    .getByRole('button', { name: windowText('transcribe:addFiles') })
    .click()
  await (await chooser).setFiles(files)
}
const file = (name: string, buffer: Buffer, mimeType = 'audio/mpeg') => ({ name, mimeType, buffer })
const clean = (page: Page): Promise<void> => expectAccessible(page, 'html')

test('speech is recorded with a live waveform, transcribed, and played from the clicked line', {
  tag: '@long',
}, async ({ page }) => {
  await enter(page)
  // One button asks for the microphone and records.
  await page.getByRole('button', { name: windowText('transcribe:newRecording') }).click()
  await expect(page.getByRole('heading', { name: windowText('transcribe:recording'), exact: true })).toBeVisible()
  await expect.poll(() => bars(page)).toBeGreaterThan(20)
  const level = page.getByRole('meter', { name: windowText('transcribe:level') })
  await expect.poll(async () => Number(await level.getAttribute('aria-valuenow'))).toBeGreaterThan(20)
  // The bar is drawn as long as the level says.
  await page.waitForFunction(
    (meter) => (meter?.firstElementChild?.getBoundingClientRect().width ?? 0) > (meter?.clientWidth ?? 0) / 5,
    await level.elementHandle(),
  )
  await clean(page)
  await takePictures(page, 'transcribe-recording', true)
  // A pause records nothing, and the waveform stops.
  await dock(page)
    .getByRole('button', { name: windowText('transcribe:pause') })
    .click()
  const again = dock(page).getByRole('button', { name: windowText('transcribe:resume') })
  await expect(again).toBeVisible()
  await expect(page.getByRole('heading', { name: windowText('transcribe:recordingPaused') })).toBeVisible()
  // Sound that was captured before the pause may still be drawn. Then no bar follows within half a second, in which a recording adds several.
  let before = -1
  await expect
    .poll(async () => {
      before = await bars(page)
      await page.waitForTimeout(500)
      return (await bars(page)) - before
    })
    .toBe(0)
  await again.click()
  await expect.poll(() => bars(page)).toBeGreaterThan(before + 40)
  await dock(page)
    .getByRole('button', { name: windowText('transcribe:done') })
    .click()
  await expect(lines(page).first()).toBeVisible({ timeout: 30_000 })
  expect(asked()).toHaveLength(1)
  expect(asked()[0]?.bytesIn ?? 0).toBeGreaterThan(5_000)
  // The waveform is drawn, and a click on a line plays from there.
  await expect(waveform(page)).toHaveAttribute('data-state', 'whole')
  const first = lines(page).first()
  await first.getByRole('button').first().click()
  await expect(page.getByRole('button', { name: windowText('transcribe:pause'), exact: true })).toBeVisible()
  await expect(first).toHaveAttribute('data-heard', 'true')
  await expect.poll(async () => Number(await waveform(page).getAttribute('aria-valuenow'))).toBeGreaterThan(0)
})

test('each of many files shows its progress, a cancelled one stops, and a refused one says why', {
  tag: '@long',
}, async ({ page }) => {
  await enter(page)
  const given = { 'first.mp3': spoken, 'large.bin': '', 'notes.txt': 'words', 'last.mp3': spoken }
  const paths = Object.entries(given).map(([name, bytes]) => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return path
  })
  // A sparse file of zeros. Its upload stops after some parts until it is cancelled.
  truncateSync(join(folder, 'large.bin'), 200_000_000)
  await page.route(
    (url) => url.pathname.startsWith(transfersPath) && Number(url.searchParams.get('at')) > 5_000_000,
    () => undefined,
  )
  await give(page, paths)
  const files = page.getByRole('region', { name: windowText('transcribe:files'), exact: true })
  const row = (name: string) => files.getByRole('listitem').filter({ hasText: name })
  await expect(row('large.bin')).toContainText(/[1-9].* of 200 MB/)
  await row('large.bin').getByRole('button', { name: 'Cancel large.bin' }).click()
  await expect(row('large.bin')).toContainText('Cancelled')
  await expect(row('first.mp3')).toContainText('Transcribed', { timeout: 30_000 })
  await expect(row('last.mp3')).toContainText('Transcribed', { timeout: 30_000 })
  await expect(row('notes.txt')).toContainText('not audio')
  await expect(row('large.bin')).toContainText('Cancelled')
  await expect(files).toContainText('All files done')
  await clean(page)
  expect(asked()).toHaveLength(3)
  // Found by the words of the transcript, deleted and restored.
  await row('first.mp3').getByRole('button', { name: 'Open first.mp3' }).click()
  await expect(page.getByText('1 file failed')).toBeVisible()
  await expect(lines(page).first()).toContainText('ferry')
  const search = page.getByRole('textbox', { name: windowText('transcribe:search') })
  await search.fill('harbour')
  await expect(inList(page)).toHaveCount(2)
  await search.fill('zebra')
  await expect(page.getByText('No results for “zebra”')).toBeVisible()
  await search.fill('')
  await expect(inList(page)).toHaveCount(3)
  await page.getByRole('button', { name: windowText('transcribe:menu') }).click()
  await page.getByRole('menuitem', { name: windowText('transcribe:remove') }).click()
  await expect(inList(page)).toHaveCount(2)
  await page.getByRole('button', { name: windowText('transcribe:undo') }).click()
  await expect(inList(page)).toHaveCount(3)
})

test('a reload during a recording keeps the sound recorded until then', { tag: '@long' }, async ({ page }) => {
  await enter(page)
  await dock(page)
    .getByRole('button', { name: windowText('transcribe:record') })
    .click()
  await expect.poll(() => bars(page)).toBeGreaterThan(50)
  await page.reload()
  await page.getByRole('button', { name: windowText('transcribe:show'), exact: true }).click()
  await expect(waveform(page)).toHaveAttribute('data-state', 'whole')
  await expect.poll(async () => Number(await waveform(page).getAttribute('aria-valuemax'))).toBeGreaterThanOrEqual(2)
  await page
    .getByRole('main')
    .getByRole('button', { name: windowText('transcribe:title'), exact: true })
    .first()
    .click()
  await expect(lines(page).first()).toBeVisible({ timeout: 30_000 })
})

test('the current line follows the playback and stays visible until the reader scrolls away', { tag: '@long' }, async ({
  page,
}) => {
  await enter(page)
  await give(page, [file('long.wav', inPieces(readFileSync(wav), 40), 'audio/wav')])
  await expect(lines(page).nth(3)).toBeVisible({ timeout: 30_000 })
  await lines(page).first().getByRole('button').first().click()
  await expect(lines(page).first()).toHaveAttribute('data-heard', 'true')
  // Seeks far ahead: the current line scrolls into view.
  const { x = 0, y = 0, width = 0 } = (await waveform(page).boundingBox()) ?? {}
  await page.mouse.click(x + width * 0.9, y + 10)
  const heard = page.locator('[data-heard="true"]')
  await expect.poll(async () => Number(await heard.getAttribute('data-cue'))).toBeGreaterThan(20)
  await expect(heard).toBeInViewport()
  await expect(lines(page).first()).not.toBeInViewport()
  // After scrolling, the view stays, and a button returns to the playback.
  await heard.hover()
  await page.mouse.wheel(0, -20_000)
  await expect(lines(page).first()).toBeInViewport()
  await page.getByRole('button', { name: windowText('transcribe:follow') }).click()
  await expect(heard).toBeInViewport()
})

test('an added file opens, also while another is open, and a VTT transcript without speech does not ask for VTT', async ({
  page,
}) => {
  const quiet = await speechless(sandbox.baseUrl)
  try {
    await enter(page, `http://127.0.0.1:${(quiet.address() as AddressInfo).port}`)
    await give(page, [file('first.mp3', spoken)])
    await expect(page.getByRole('heading', { name: 'first.mp3' })).toBeVisible()
    await give(page, [file('second.mp3', spoken)])
    await expect(page.getByRole('heading', { name: 'second.mp3' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText(windowText('transcribe:noWords'))
    await expect(page.getByRole('button', { name: windowText('transcribe:save'), exact: true })).toBeDisabled()
    await clean(page)
    await takePictures(page, 'transcribe-no-speech', true)
    // Several files show their queue.
    await give(page, [file('third.mp3', spoken), file('fourth.mp3', spoken)])
    await expect(page.getByRole('region', { name: windowText('transcribe:files'), exact: true })).toBeVisible()
  } finally {
    await new Promise((resolve) => quiet.close(resolve))
  }
})

test('a transcript is edited, searched, compared, saved, reverted and sent to Chat, and stays readable offline [STT-02] [STT-04]', async ({
  page,
}) => {
  await enter(page)
  await give(page, [file('ferry.mp3', spoken)])
  await expect(lines(page).first()).toContainText('ferry', { timeout: 30_000 })
  // By keyboard alone: edits the line in place.
  await lines(page).first().getByRole('button').first().focus()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: /^Line at/ }).fill('Good evening. The boat leaves at eight.')
  await page.keyboard.press('Enter')
  await expect(lines(page).first()).toContainText('The boat leaves')
  await expect(page.getByText(windowText('transcribe:edited'), { exact: true })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+f')
  await page.keyboard.type('boat')
  await expect(page.getByText('1 of 1')).toBeVisible()
  await expect(page.locator('mark')).toHaveText('boat')
  await page.keyboard.press('Escape')
  // Other settings create a second transcript of the recording.
  await expect(page.getByText(/^whisper-1 is an alias of whisper-large-v3-turbo/)).toBeVisible()
  const model = page.getByRole('combobox', { name: windowText('transcribe:model') })
  await expect(model.getByRole('option')).toHaveText([
    ...['Default (whisper-1)', 'whisper-1 (alias)', 'whisper-large-v3', 'whisper-large-v3-turbo'],
  ])
  await model.selectOption('whisper-large-v3')
  await page.getByRole('combobox', { name: windowText('transcribe:format') }).selectOption('text')
  await page.getByRole('textbox', { name: windowText('transcribe:language') }).fill('en')
  await page.getByRole('button', { name: windowText('transcribe:transcribeAgain') }).click()
  await expect(page.getByRole('region', { name: windowText('transcribe:text') })).toContainText('ferry')
  // The first transcript was text/vtt with times, this one is text/plain.
  await expect(fact(page, 'Format')).toHaveText('Plain text')
  const compare = page.getByRole('combobox', { name: windowText('transcribe:compare') })
  await compare.selectOption({ index: 1 })
  await expect(page.getByRole('region', { name: windowText('transcribe:compareTitle') })).toContainText('words differ')
  await expect(page.locator('mark').filter({ hasText: 'ferry' })).toBeVisible()
  await clean(page)
  await compare.selectOption('')
  await page.getByRole('combobox', { name: windowText('transcribe:whichTranscript') }).selectOption({ index: 1 })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: windowText('transcribe:save'), exact: true }).click()
  await page.getByRole('menuitem', { name: /\.srt/ }).click()
  const saved = readFileSync(await (await download).path(), 'utf8')
  expect(saved).toMatch(/^1\r?\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\r?\nGood evening\. The boat leaves at eight\./)
  // The service is unreachable: stored content remains.
  await sandbox.close()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'ferry.mp3' })).toBeVisible()
  await page.getByRole('combobox', { name: windowText('transcribe:whichTranscript') }).selectOption({ index: 1 })
  await expect(lines(page).first()).toContainText('The boat leaves')
  await lines(page).first().getByRole('button').first().click()
  await expect.poll(async () => Number(await waveform(page).getAttribute('aria-valuenow'))).toBeGreaterThan(0)
  await page.getByRole('button', { name: windowText('transcribe:revert') }).click()
  await expect(lines(page).first()).toContainText('The ferry leaves')
  await page.getByRole('button', { name: windowText('transcribe:speak') }).click()
  await expect(page.getByRole('textbox', { name: windowText('transcribe:asText') })).toHaveValue(
    /ferry leaves the harbour/,
  )
  await page.goBack()
  await page.getByRole('button', { name: windowText('transcribe:toChat') }).click()
  await expect(composer(page)).toHaveValue(/ferry leaves the harbour/)
})

test('a missing microphone shows the reason and one action, by keyboard alone; unplugging one ends its recording', {
  tag: '@long',
}, async ({ page }) => {
  // Recording needs no service.
  await page.evaluate(() => {
    const { mediaDevices } = navigator
    const real = mediaDevices.getUserMedia.bind(mediaDevices)
    const refusals = ['NotAllowedError', 'NotFoundError', 'NotReadableError']
    mediaDevices.getUserMedia = async (wanted) => {
      const refusal = refusals.shift()
      if (refusal) throw new DOMException('', refusal)
      const stream = await real(wanted)
      Object.assign(globalThis, { wanted })
      const unplug = () => {
        for (const track of stream.getTracks()) {
          track.stop()
          track.dispatchEvent(new Event('ended'))
        }
      }
      Object.assign(globalThis, { unplug })
      return stream
    }
    location.hash = '#/transcribe'
  })
  await expect(dock(page).getByRole('button', { name: windowText('transcribe:record') })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Alt+r')
  const alert = dock(page).getByRole('alert')
  await expect(alert).toContainText('Microphone access is blocked')
  await clean(page)
  const again = dock(page).getByRole('button', { name: windowText('transcribe:tryAgain') })
  await again.press('Enter')
  await expect(alert).toContainText('No microphone found')
  await again.press('Enter')
  await expect(alert).toContainText('Another program may be using it')
  await again.press('Enter')
  // Discarding a recording asks first.
  await expect(page.getByRole('region', { name: windowText('transcribe:recordingStage') })).toContainText(
    /0:0[3-9]|0:[1-5]\d/,
  )
  await dock(page)
    .getByRole('button', { name: windowText('transcribe:discard') })
    .press('Enter')
  const question = page.getByRole('dialog', { name: windowText('transcribe:discardTitle') })
  await question.getByRole('button', { name: windowText('transcribe:discard') }).press('Enter')
  await expect(dock(page).getByRole('button', { name: windowText('transcribe:record') })).toBeVisible()
  await expect(inList(page)).toHaveCount(0)
  // Selects another microphone, which the browser request names.
  const devices = dock(page).getByRole('combobox', { name: windowText('transcribe:microphone') })
  await devices.selectOption({ label: 'Fake Audio Input 1' })
  await page.keyboard.press('ControlOrMeta+Alt+r')
  await expect.poll(() => bars(page)).toBeGreaterThan(40)
  const wanted = await page.evaluate(() => JSON.stringify((globalThis as unknown as { wanted: unknown }).wanted))
  const chosen = await page.evaluate(() =>
    navigator.mediaDevices
      .enumerateDevices()
      .then((all) => all.find(({ kind, label }) => kind === 'audioinput' && label === 'Fake Audio Input 1')?.deviceId),
  )
  expect(chosen).toBeTruthy()
  expect(wanted).toContain(chosen)
  await page.evaluate(() => (globalThis as unknown as { unplug: () => void }).unplug())
  await expect(page.getByText(windowText('audio:microphoneLost')).first()).toBeVisible()
  await expect(waveform(page)).toBeVisible()
})

test('the recording of a browser that was killed can be played at once by another one, with its whole length', {
  tag: '@long',
}, async ({ page, playwright }) => {
  await enter(page)
  const { launchOptions } = withMicrophone(wav)
  const killed = await playwright.chromium.launchServer(launchOptions)
  try {
    const browser = await playwright.chromium.connect(killed.wsEndpoint())
    const other = await browser.newPage()
    await other.goto(host.url)
    await other
      .getByRole('link', { name: windowText('transcribe:title') })
      .first()
      .click()
    await dock(other)
      .getByRole('button', { name: windowText('transcribe:record') })
      .click()
    await expect.poll(() => bars(other), { timeout: 30_000 }).toBeGreaterThan(100)
    await killed.kill()
    // Its entry is drawn anew when it is found to be interrupted.
    await expect(inList(page).first()).toContainText(windowText('transcribe:cut'), { timeout: 30_000 })
    await inList(page).first().getByRole('link').or(inList(page).first().getByRole('button')).first().click()
    await expect(waveform(page)).toHaveAttribute('data-state', 'whole', { timeout: 30_000 })
    await expect(page.getByText(windowText('transcribe:cutAbout'))).toBeVisible()
    // 100 bars are five seconds, of which the last piece may be missing.
    const seconds = Number(await waveform(page).getAttribute('aria-valuemax'))
    expect(seconds).toBeGreaterThanOrEqual(3)
    await takePictures(page, 'transcribe-interrupted', true)
  } finally {
    await killed.close()
  }
})

test('a recording that is too large for the service is compressed on request, or split into parts', {
  tag: '@long',
}, async ({ page }) => {
  const small = await limited(sandbox.baseUrl, 40_000)
  try {
    await enter(page, `http://127.0.0.1:${(small.address() as AddressInfo).port}`)
    await give(page, [file('talk.wav', readFileSync(wav), 'audio/wav')])
    await expect(page.getByText('Too large for the service')).toBeVisible({ timeout: 30_000 })
    await takePictures(page, 'transcribe-too-large', true)
    await page.getByRole('button', { name: windowText('transcribe:compressAgain') }).click()
    await expect(page.getByRole('heading', { name: 'talk.ogg' })).toBeVisible({ timeout: 30_000 })
    await expect(lines(page).first()).toContainText('ferry', { timeout: 30_000 })
    await inList(page)
      .filter({ hasText: 'talk.wav' })
      .getByRole('link')
      .or(inList(page).filter({ hasText: 'talk.wav' }).getByRole('button'))
      .first()
      .click()
    await page.getByRole('button', { name: windowText('transcribe:splitAgain') }).click()
    await expect(inList(page).filter({ hasText: 'part 2 of 2' })).toBeVisible({ timeout: 30_000 })
  } finally {
    await new Promise((resolve) => small.close(resolve))
  }
})

test('a refused file is converted to WAV on request as a new recording; all settings are sent as set [STT-03] [STT-04]', async ({
  page,
}) => {
  // Accepts WAV only.
  const forms: Record<string, string>[] = []
  const picky = await wavOnly(sandbox.baseUrl, (form) => forms.push(form))
  try {
    await enter(page, `http://127.0.0.1:${(picky.address() as AddressInfo).port}`)
    await page.getByRole('textbox', { name: windowText('transcribe:language') }).fill('en')
    await page.getByRole('textbox', { name: windowText('transcribe:prompt') }).fill('Names: “Ottilie”; ferry')
    await page.getByRole('textbox', { name: windowText('transcribe:temperature') }).fill('0,2')
    // An unlisted format.
    const format = page.getByRole('combobox', { name: windowText('transcribe:format') })
    await format.selectOption({ label: 'Other…' })
    await page.getByRole('textbox', { name: windowText('transcribe:formatName') }).fill('verbose_json')
    await clean(page)
    await takePictures(page, 'transcribe-format')
    await give(page, [file('ferry.mp3', spoken)])
    await expect(page.getByText('The service says: “Only wav.”')).toBeVisible({ timeout: 30_000 })
    const set = { language: 'en', prompt: 'Names: “Ottilie”; ferry', temperature: '0.2' }
    expect(forms).toEqual([{ ...set, response_format: 'verbose_json' }])
    await format.selectOption('json')
    await expect(page.getByRole('textbox', { name: windowText('transcribe:formatName') })).toHaveCount(0)
    await page.getByRole('button', { name: windowText('transcribe:convertAgain') }).click()
    await expect(page.getByRole('heading', { name: 'ferry.wav' })).toBeVisible()
    await expect(page.getByRole('region', { name: windowText('transcribe:text') })).toContainText('ferry', {
      timeout: 30_000,
    })
    expect(forms.slice(1)).toEqual([{ ...set, response_format: 'json' }])
    await expect(fact(page, 'Format')).toHaveText('JSON')
    for (const [name, value] of Object.entries({ Language: 'en', Prompt: set.prompt, Temperature: '0.2' }))
      await expect(fact(page, name)).toHaveText(value)
    await expect(fact(page, 'Model')).toHaveText('Default (whisper-1)')
    const facts = page.getByRole('region', { name: windowText('transcribe:thisRecording') })
    await expect(facts).toContainText('audio/wav')
    await expect.poll(async () => Number(await waveform(page).getAttribute('aria-valuemax'))).toBeGreaterThanOrEqual(4)
    await facts.getByRole('button', { name: windowText('transcribe:original') }).click()
    await expect(page.getByRole('heading', { name: 'ferry.mp3' })).toBeVisible()
  } finally {
    picky.closeAllConnections()
    picky.close()
  }
})

/** A service that accepts bodies of at most `most` bytes. */
const limited = (baseUrl: string, most: number): Promise<Server> =>
  inFrontOf(baseUrl, (body) => (body.length > most ? { status: 413, error: { message: 'Too big.' } } : null))

/** A service that accepts WAV only. */
function wavOnly(baseUrl: string, onForm: (fields: Record<string, string>) => void): Promise<Server> {
  const error = { message: 'Only wav.', type: 'invalid_request_error', code: 'bad_audio' }
  return inFrontOf(baseUrl, (body, url) => {
    if (!url.endsWith('/audio/transcriptions')) return null
    const fields = body.toString().matchAll(/form-data; name="(\w+)"\r\n\r\n([^\r]*)\r\n/g)
    onForm(Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value])))
    return body.includes('WAVEfmt ') ? null : { status: 400, error }
  })
}

/** A service that hears no speech in any recording. */
const speechless = (baseUrl: string): Promise<Server> =>
  inFrontOf(baseUrl, (_, url) => (url.endsWith('/audio/transcriptions') ? { status: 200, vtt: 'WEBVTT\n\n' } : null))

/** Passes requests on to the service, except those that `answerTo` answers. */
async function inFrontOf(
  baseUrl: string,
  answerTo: (body: Buffer, url: string) => { status: number; error: object } | { status: 200; vtt: string } | null,
): Promise<Server> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    const own = answerTo(body, request.url ?? '')
    if (own) {
      const isVtt = 'vtt' in own
      response.writeHead(own.status, { 'content-type': isVtt ? 'text/vtt' : 'application/json' })
      response.end(isVtt ? own.vtt : JSON.stringify({ error: own.error }))
      return
    }
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name)
        ? [[name, value] as [string, string]]
        : [],
    )
    const reply = await fetch(baseUrl + request.url, {
      method: request.method ?? 'GET',
      headers,
      ...(body.length > 0 && { body }),
    })
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await reply.arrayBuffer()))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Repeats the start of a WAV file with silence in between, so that each repetition becomes its own line. */
function inPieces(whole: Buffer, times: number): Buffer {
  const rate = whole.readUInt32LE(24)
  const at = whole.indexOf('data') + 8
  const piece = whole.subarray(at, at + rate * 2)
  const sound = Buffer.concat(Array.from({ length: times }, () => [piece, Buffer.alloc(rate * 2)]).flat())
  const head = Buffer.from(whole.subarray(0, 44))
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt32LE(sound.length, 40)
  head.writeUInt32LE(36 + sound.length, 4)
  return Buffer.concat([head, sound])
}
