import { readFileSync } from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import type { SpeechFormat } from '../../src-preload/contract/speech.ts'
import { chromiumArgs } from '../helpers/browser.mjs'
import { onlyLong } from '../helpers/effort.ts'
import { lacks } from '../helpers/programs.mjs'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, takePictures } from './chatWorld.ts'
import { closeHosts, newDataDir, openSandbox, openWebHost, type WebHost } from './hosts.ts'
import { connectTo } from './journey.ts'
import { type Fate, partSeconds, startSpeechService } from './speechService.ts'

test.skip(lacks('ffmpeg') !== null, 'ffmpeg')

test.use({
  launchOptions: {
    ...(process.env.STUDIO_BROWSER ? { executablePath: process.env.STUDIO_BROWSER } : {}),
    args: [...chromiumArgs, '--autoplay-policy=no-user-gesture-required'],
  },
})

const key = 'sk-speech-7712'
let sandbox: Sandbox
let gone = false
let host: WebHost
let service: Awaited<ReturnType<typeof startSpeechService>>

// Generous limits for waits on a busy machine.
// Independent tests: any free worker takes the next one.
test.describe.configure({ mode: 'parallel', timeout: 240_000 })

test.afterEach(async () => {
  await closeHosts()
  await goAway()
})

/** The service is unreachable. */
async function goAway(): Promise<void> {
  await service.close()
  if (!gone) await sandbox.close()
  gone = true
}

async function enter(page: Page, fate?: (nth: number) => Fate): Promise<void> {
  sandbox = await openSandbox({ apiKey: key })
  gone = false
  service = await startSpeechService(sandbox.baseUrl, fate)
  host = await openWebHost(newDataDir())
  await page.goto(host.url)
  await connectTo(page, service.baseUrl, key)
  await page.getByRole('link', { name: windowText('speech:title') }).click()
  await expect(text(page)).toBeVisible()
}

const text = (page: Page) => page.getByRole('textbox', { name: windowText('speech:text') })
const count = (page: Page) => page.locator('[data-speech-bytes]')
const speak = (page: Page) => page.getByRole('button', { name: windowText('speech:speak'), exact: true })
const wave = (page: Page, voice = '') => page.getByRole('slider', { name: new RegExp(`^${voice}.*:`) })
const rows = (page: Page) => page.getByRole('navigation', { name: windowText('speech:list') }).locator('[data-speech]')
const clock = (seconds: number): string => `0:${String(Math.floor(seconds)).padStart(2, '0')}`
const fact = (page: Page, name: string) =>
  page
    .getByRole('region', { name: windowText('speech:facts') })
    .locator('dt', { hasText: new RegExp(`^${name}$`) })
    .locator('+ dd')

const openInspector = (page: Page) =>
  page.getByRole('button', { name: windowText('common:inspector'), exact: true }).click()

const latin = 'The ferry leaves the harbour at seven, and comes back in the evening. '
const scripts = [
  latin,
  'Паром уходит из гавани в семь часов утра. ',
  '渡船七点离开港口，傍晚回来。',
  'تغادر العبّارة الميناء عند السابعة. ',
]
/** 20,000 bytes, alternating paragraphs of four scripts. */
function longText(): string {
  let long = ''
  for (let at = 0; ; at = (at + 1) % scripts.length) {
    const next = `${(scripts[at] ?? '').repeat(12).trim()}\n\n`
    if (Buffer.byteLength(long + next) > 20_000) return long.padEnd(long.length + 20_000 - Buffer.byteLength(long), 'a')
    long += next
  }
}

test('a text is counted, previewed in a voice, generated, played while it arrives and listed in the history, by keyboard alone [TTS-01] [TTS-05]', async ({
  page,
}) => {
  await enter(page)
  await expect(page.getByRole('heading', { name: windowText('speech:emptyTitle') })).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'speech-empty', true)
  // Without a speech the inspector has nothing to show, so it can't be opened.
  await expect(page.getByRole('button', { name: windowText('common:inspector'), exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: windowText('speech:example') }).press('Enter')
  await expect(text(page)).toHaveValue(/^The ferry leaves/)
  // Bytes, not characters: the last character has four bytes.
  await text(page).fill('é€😀')
  await expect(count(page)).toHaveText('9 / 4,096 bytes per part')
  await text(page).fill(`${'a'.repeat(4_095)}.`)
  await expect(count(page)).toHaveText('4,096 / 4,096 bytes per part')
  await text(page).fill(`${'word '.repeat(819)}.`)
  await expect(count(page)).toHaveText(/^4,096 \/|will be spoken in/)
  await text(page).fill(latin)
  await page.getByRole('radio', { name: 'nova' }).press('ArrowRight', { delay: 60 })
  await expect(page.getByRole('radio', { name: 'shimmer' })).toBeChecked()
  await page.getByRole('button', { name: 'Preview shimmer' }).press('Enter')
  await expect(page.getByRole('button', { name: windowText('speech:hearStop') })).toBeVisible()
  const asked = service.asked.length
  await page.getByRole('button', { name: windowText('speech:hearStop') }).press('Enter')
  await page.getByRole('button', { name: 'Preview shimmer' }).press('Enter')
  await expect(page.getByRole('button', { name: windowText('speech:hearStop') })).toBeVisible()
  expect(service.asked.length, 'a sample is asked for once').toBe(asked)
  await text(page).press('Control+Enter')
  const slider = wave(page, 'shimmer')
  await expect(slider).toBeVisible()
  await expect(slider).toHaveAttribute('data-state', 'whole')
  expect(service.asked.at(-1)).toMatchObject({ input: latin.trim(), voice: 'shimmer', response_format: 'mp3' })
  await slider.press('Home')
  await slider.press('ArrowRight')
  await expect(slider).toHaveAttribute('aria-valuenow', String(partSeconds))
  await slider.press('Home')
  await slider.press('Shift+ArrowRight')
  await slider.press(']')
  await expect(page.getByRole('button', { name: 'Stop looping 0:00 to 0:01' })).toBeVisible()
  // The inspector opens on demand.
  await expect(page.getByRole('complementary', { name: windowText('common:inspector') })).toHaveCount(0)
  await openInspector(page)
  await expect(fact(page, 'Cost')).toHaveText(/SC (est\.|measured)$/)
  await expect(page.getByText('req_speech_')).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'speech-done', true)
  await page.getByRole('button', { name: windowText('speech:favourite') }).press('Enter')
  await page.getByRole('button', { name: windowText('speech:onlyFavourites') }).press('Enter')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('searchbox', { name: windowText('speech:search') }).fill('no such words')
  await expect(page.getByText('No results for “no such words”.')).toBeVisible()
  await page.getByRole('searchbox', { name: windowText('speech:search') }).fill('FERRY leaves')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('searchbox', { name: windowText('speech:search') }).press('ArrowDown')
  await page.keyboard.press('Delete')
  await expect(rows(page)).toHaveCount(0)
  await page.getByRole('button', { name: windowText('speech:undo') }).press('Enter')
  await expect(rows(page)).toHaveCount(1)
  await expect(wave(page, 'shimmer')).toBeVisible()
  // Anywhere on the page: playback by shortcuts, then another text and back.
  await page.getByRole('searchbox', { name: windowText('speech:search') }).focus()
  await page.keyboard.press('Control+Alt+l')
  await expect(page.getByRole('button', { name: /^Stop looping 0:00/ })).toBeVisible()
  await page.keyboard.press('Control+Alt+l')
  await expect(page.getByRole('button', { name: windowText('audio:loopAll') })).toBeVisible()
  await page.keyboard.press('Control+Alt+Space')
  await expect(page.getByRole('button', { name: windowText('speech:pause'), exact: true })).toBeVisible()
  await page.keyboard.press('Control+Alt+Space')
  await slider.press('Home')
  await page.getByRole('searchbox', { name: windowText('speech:search') }).focus()
  await page.keyboard.press('Control+Alt+ArrowRight')
  await expect(slider).toHaveAttribute('aria-valuenow', String(partSeconds))
  await page.keyboard.press('Control+Alt+ArrowUp')
  await expect(page.getByRole('combobox', { name: windowText('audio:speed') })).toHaveValue('1.25')
  const download = page.waitForEvent('download')
  await page.keyboard.press('Control+s')
  expect((await download).suggestedFilename()).toMatch(/^The ferry leaves .*\.mp3$/)
  await page.getByRole('button', { name: windowText('speech:cmdNew') }).press('Enter')
  await expect(text(page)).toBeVisible()
  await page.keyboard.press('Alt+ArrowDown')
  await expect(wave(page, 'shimmer')).toBeVisible()
  // Settings list all shortcuts, and each can be changed.
  await page.getByRole('link', { name: windowText('shell:pages.settings') }).press('Enter')
  await page.getByRole('link', { name: 'Shortcuts' }).press('Enter')
  for (const action of ['Generate speech', 'Set loop start', 'Forward 5 seconds', 'Next speech']) {
    await expect(page.getByText(action, { exact: true }).first()).toBeAttached()
  }
})

test('until the service sends audio, the page says what it waits for, and offers nothing to pause', async ({
  page,
}) => {
  await enter(page, () => 'silent')
  await text(page).fill(latin)
  await speak(page).click()
  const stage = page.getByRole('main')
  await expect(stage.getByText(windowText('speech:waitingFirst'))).toBeVisible()
  await expect(stage.getByText('3 s', { exact: true })).toBeVisible()
  await expect(stage.getByRole('button', { name: windowText('speech:pause'), exact: true })).toHaveCount(0)
  await expect(stage.getByText(windowText('speech:live'), { exact: true })).toHaveCount(0)
  await expect(stage).not.toContainText('received')
  // The spinner of the wait never ends.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expectAccessible(page)
  await takePictures(page, 'speech-waiting', true)
  await stage.getByRole('button', { name: windowText('speech:cancel') }).click()
  await expect(stage.getByText(windowText('speech:waitingFirst'))).toHaveCount(0)
})

test('20,000 bytes in four scripts are spoken in parts, resume after a cut and after a cancel, and play again offline [TTS-01]', {
  tag: '@long',
}, async ({ page }) => {
  await enter(page, (nth) => (({ 3: 'cut', 5: 'hang' }) as const)[nth] ?? 'whole')
  const long = longText()
  await text(page).fill(long)
  await expect(count(page)).toHaveText(/^20,000 bytes · \d+ parts$/)
  const parts = Number(/(\d+) parts/.exec((await count(page).textContent()) ?? '')?.[1])
  expect(parts).toBeGreaterThanOrEqual(5)
  await speak(page).click()
  await expect(page.getByText(new RegExp(`Part \\d of ${parts}`))).toBeVisible()
  // Playback starts while the sound arrives and continues on another page.
  const live = page.locator('[data-live]')
  await expect(live).toHaveAttribute('data-first-sound', /./)
  await takePictures(page, 'speech-live')
  await expect.poll(() => service.asked.length).toBe(3)
  await expect(page.locator('[data-part="3"]')).toHaveAttribute('data-state', 'making')
  service.cut()
  await expect(page.getByText(windowText('speech:failed'), { exact: true }).first()).toBeVisible()
  expect(service.asked).toHaveLength(3)
  await expect(page.locator('[data-part="2"]')).toHaveAttribute('data-state', 'done')
  await expect(page.locator('[data-part="3"]')).toHaveAttribute('data-state', 'failed')
  await expect(wave(page)).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'speech-failed', true)
  await openInspector(page)
  await page.getByRole('button', { name: `Resume at part 3 of ${parts}` }).click()
  // The next part hangs: Esc ends it, and after Resume it plays from its start.
  await expect(page.locator('[data-part="4"]')).toHaveAttribute('data-state', 'making')
  await expect.poll(() => service.asked.length).toBe(5)
  await page.keyboard.press('Escape')
  await expect(page.getByText(windowText('speech:cancelledWhat'))).toBeVisible()
  await page.getByRole('button', { name: `Resume at part 4 of ${parts}` }).click()
  await expect(fact(page, 'Status')).toHaveText('Done')
  // Complete parts were not requested again, and no text is lost or repeated.
  expect(service.asked).toHaveLength(parts + 2)
  const spoken = service.asked.filter((_, at) => at !== 2 && at !== 4).map(({ input }) => input)
  expect(spoken.join('').replace(/\s/g, '')).toBe(long.replace(/\s/g, ''))
  for (const { input } of service.asked) expect(Buffer.byteLength(input)).toBeLessThanOrEqual(4096)
  const whole = wave(page)
  await expect(whole).toHaveAttribute('data-state', 'whole')
  await expect(whole).toHaveAttribute('aria-valuetext', `0 seconds of ${parts * partSeconds} seconds`)
  await goAway()
  await page.reload()
  await expect(whole).toHaveAttribute('data-state', 'whole')
  await page.getByRole('button', { name: 'Play part 2' }).click()
  await expect(page.locator('[data-part="2"]')).toHaveAttribute('aria-current', 'true')
  await whole.press('End')
  await expect(page.getByText(`${clock(parts * partSeconds)} / ${clock(parts * partSeconds)}`)).toBeVisible()
})

test('the formats play and are saved, raw samples as WAVE too; two voices are compared; speed is 0.25 to 4 and omitted unless set [TTS-02] [TTS-03] [TTS-04]', async ({
  page,
}) => {
  await enter(page)
  const speed = page.getByRole('slider', { name: windowText('speech:speed') })
  const formats: SpeechFormat[] = [
    'mp3',
    'opus',
    ...onlyLong('aac' as const),
    'flac',
    ...onlyLong('wav' as const),
    'pcm',
  ]
  for (const format of formats) {
    await page.getByRole('button', { name: windowText('speech:cmdNew') }).click()
    await page.getByRole('radio', { name: format }).click()
    if (format === 'opus') await speed.press('Home')
    if (format === 'aac') await speed.press('End')
    if (format === 'flac') await page.getByRole('button', { name: windowText('speech:speedReset') }).click()
    await text(page).fill(`${latin} In ${format}.`)
    await speak(page).click()
    const slider = wave(page)
    await expect(slider, format).toHaveAttribute('data-state', 'whole')
    await slider.press('Home')
    await expect(page.getByRole('button', { name: /^(Play|Pause)$/ })).toBeEnabled()
    if (await page.getByRole('button', { name: windowText('speech:play'), exact: true }).isVisible())
      await slider.press(' ')
    await expect(slider, format).not.toHaveAttribute('aria-valuenow', '0')
    const bytes = await downloaded(page, () =>
      page.getByRole('button', { name: windowText('speech:download') }).click(),
    )
    expect(bytes.length, format).toBeGreaterThan(1_000)
  }
  const speeds: Partial<Record<SpeechFormat, number>> = { opus: 0.25, aac: 4 }
  expect(service.asked.slice(0, formats.length).map(({ speed: asked }) => asked)).toEqual(
    formats.map((format) => speeds[format]),
  )
  const wav = await saved(page, 'Save as WAV…')
  expect(wav.subarray(0, 4).toString()).toBe('RIFF')
  expect(wav.readUInt32LE(24)).toBe(24_000)
  expect(Math.abs((wav.length - 44) / 48_000 - partSeconds)).toBeLessThan(0.05)
  await openInspector(page)
  // A wrong sample rate can be corrected afterwards.
  const rate = page.getByRole('textbox', { name: windowText('speech:pcmRate') })
  await rate.fill('12000')
  await rate.press('Enter')
  await expect(wave(page)).toHaveAttribute('aria-valuetext', `0 seconds of ${2 * partSeconds} seconds`)
  expect((await saved(page, 'Save as WAV…')).readUInt32LE(24)).toBe(12_000)
  await page.getByRole('combobox', { name: windowText('speech:voice') }).selectOption('onyx')
  await page.getByRole('button', { name: 'Regenerate with onyx' }).click()
  const beside = page.getByRole('region', { name: windowText('speech:comparing') })
  await expect(beside.getByRole('slider')).toHaveCount(2)
  await expect(beside.getByRole('heading', { name: 'onyx' })).toBeVisible()
  await expectAccessible(page)
  await takePictures(page, 'speech-compare', true)
  // The other voice continues at the same position.
  await beside.getByRole('slider').first().press('End')
  await page.keyboard.press('Control+Alt+x')
  await expect(beside.getByRole('slider').last()).not.toHaveAttribute('aria-valuenow', '0')
  await page.getByRole('button', { name: windowText('speech:compareEnd') }).click()
  await page.getByRole('button', { name: windowText('speech:more') }).click()
  await page.getByRole('menuitem', { name: windowText('speech:toTranscribe') }).click()
  await expect(page).toHaveURL(/#\/transcribe\//)
  // Raw samples are saved as a WAVE file.
  await expect(page.getByRole('region', { name: windowText('transcribe:thisRecording') })).toContainText('audio/wav')
  // “Transcribe automatically” is on, and applies to a speech as to a file.
  await expect(page.getByRole('region', { name: windowText('transcribe:thisTranscript') })).toBeVisible()
})

async function saved(page: Page, action: string): Promise<Buffer> {
  await page.getByRole('button', { name: windowText('speech:more') }).click()
  return downloaded(page, () => page.getByRole('menuitem', { name: action, exact: true }).click())
}

async function downloaded(page: Page, act: () => Promise<void>): Promise<Buffer> {
  const download = page.waitForEvent('download')
  await act()
  return readFileSync(await (await download).path())
}
