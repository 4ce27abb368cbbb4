// @module-tag chromium
// @module-tag ffmpeg
import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onlyLong } from '../../../helpers/effort.ts'
import { windowText } from '../../../helpers/windowText.ts'
import { openSound, type SoundHarness } from './harness/page.ts'
import { kinds, makeSounds } from './sounds.ts'

const seconds = 4
const sounds = makeSounds(seconds)
let harness: SoundHarness

beforeAll(async () => {
  harness = await openSound(sounds.kept)
})
afterAll(async () => {
  await harness.close()
  sounds.remove()
})

test('a worker measures each kind of file: its length, its loud half and its quiet half', {
  tags: 'long',
}, async () => {
  const { page, faults } = await harness.open()
  for (const kind of Object.keys(kinds)) {
    const rate = kind === 'pcm' ? 24_000 : null
    const stages = await page.evaluate(([path, pcm]) => window.sound.measure(path, pcm), [
      `/media/tone.${kind}`,
      rate,
    ] as const)
    const last = stages.at(-1)
    expect(last?.whole, kind).toBe(true)
    expect(Math.abs((last?.seconds ?? 0) - seconds), kind).toBeLessThan(0.1)
    const [loud = 0, quiet = 0] = [last?.tenths[2], last?.tenths[7]]
    expect(loud, kind).toBeGreaterThan(170)
    expect(quiet, kind).toBeGreaterThan(10)
    expect(quiet, kind).toBeLessThan(40)
  }
  expect(faults).toEqual([])
  await page.close()
})

test('a file that is missing or not a sound has a message', async () => {
  const { page } = await harness.open()
  const why = (path: string) =>
    page.evaluate((at) => window.sound.measure(at, null).then(String, (thrown: { why: string }) => thrown.why), path)
  expect(await why('/media/none.mp3')).toBe('missing')
  expect(await why('/')).toBe('unreadable')
  await page.close()
})

test.concurrent.each(['mp3', ...onlyLong('opus', 'aac', 'flac', 'wav', 'pcm')])(
  'a sound plays while its bytes arrive, as %s, part after part [TTS-05]',
  async (format) => {
    // All run at once, each in its own page, because each takes as long as its playback.
    const { page, faults } = await harness.open()
    const path = `/media/tone.${format}`
    const mime = kinds[format]?.mime ?? ''
    const heard = await page.evaluate(([at, type]) => window.sound.live([at, at], type, 24_000, 3_001, 5), [
      path,
      mime,
    ] as const)
    expect(heard.error).toBeNull()
    expect(heard.states.at(-1)).toBe('ended')
    expect(heard.parts).toEqual([1, 2])
    expect(Math.abs(heard.arrived - 2 * seconds)).toBeLessThan(0.3)
    expect(Math.abs(heard.time - heard.arrived)).toBeLessThan(0.05)
    expect(heard.loudest).toBeGreaterThan(0.7)
    expect(faults).toEqual([])
    await page.close()
  },
  60_000,
)

test('bytes that are not a sound fail with a message, and do not hang', async () => {
  const { page } = await harness.open()
  const heard = await page.evaluate(() => window.sound.live(['/media/tone.mp3'], 'audio/flac', null, 3_000, 0))
  expect(heard.states.at(-1)).toBe('failed')
  expect(heard.error).toContain('not FLAC')
  await page.close()
})

test("a waveform is a slider with a spoken time that plays and loops under the page's policy, and its peaks are cached", {
  tags: 'long',
}, async () => {
  const { page, faults } = await harness.open()
  await page.evaluate(() => window.sound.show('tone.mp3', 'audio/mpeg', null, null))
  const slider = page.getByRole('slider', { name: 'The recording' })
  await slider.and(page.locator('[data-state="whole"]')).waitFor()
  const value = () => slider.getAttribute('aria-valuetext')
  await expect.poll(value).toBe('0 seconds of 4 seconds')
  await expect.poll(() => page.evaluate(() => window.sound.kept.map(({ mediaId }) => mediaId))).toEqual(['tone.mp3'])
  await slider.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(value).toBe('1 second of 4 seconds')
  await page.keyboard.press('[')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press(']')
  await page.getByRole('button', { name: 'Stop looping 0:01 to 0:02' }).waitFor()
  await page.evaluate(() => window.sound.times.splice(0))
  await page.keyboard.press('Space')
  // The loop restarted: one time is before the previous time, and no time is outside of the loop.
  await page.waitForFunction(() =>
    window.sound.times.some((time, at) => time < (window.sound.times[at - 1] ?? 0) - 0.5),
  )
  await page.keyboard.press('Space')
  const times = await page.evaluate(() => window.sound.times)
  expect(Math.min(...times)).toBeGreaterThan(0.9)
  // A busy page notices the end of the loop late, but long before the end of the sound.
  expect(Math.max(...times)).toBeLessThan(3.5)
  await page.keyboard.press('\\')
  await page.getByRole('button', { name: windowText('audio:loopAll') }).waitFor()
  await page.keyboard.press('End')
  await expect.poll(value).toBe('4 seconds of 4 seconds')
  const { x = 0, y = 0, width = 0, height = 0 } = (await slider.boundingBox()) ?? {}
  await page.mouse.click(x + width / 2, y + height / 2)
  await expect.poll(value).toBe('2 seconds of 4 seconds')
  // The styles apply: the waveform is drawn, and the played part covers the rest.
  const drawn = await page.evaluate(() => {
    const host = document.querySelector('.wave-canvas > div > div')
    const canvas = host?.shadowRoot?.querySelector('canvas')
    const progress = host?.shadowRoot?.querySelector('.progress')
    return { tall: canvas?.clientHeight ?? 0, over: progress ? getComputedStyle(progress).position : '' }
  })
  expect(drawn.tall).toBeGreaterThan(50)
  expect(drawn.over).toBe('absolute')
  const { violations } = await new AxeBuilder({ page })
    .include('#root')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa'])
    .analyze()
  expect(violations.map(({ id }) => id)).toEqual([])
  expect(faults).toEqual([])
  await page.close()
})

test('a waveform of plain samples plays as WAVE, and reports a missing file', { tags: 'long' }, async () => {
  const { page } = await harness.open()
  await page.evaluate(() => window.sound.show('tone.pcm', 'audio/pcm', null, null))
  const slider = page.getByRole('slider', { name: 'The recording' })
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('0 seconds of 4 seconds')
  await slider.press('k')
  await page.waitForFunction(() => (window.sound.times.at(-1) ?? 0) > 0.3)
  await page.close()
  const other = await harness.open()
  await other.page.evaluate(() => window.sound.show('none.mp3', 'audio/mpeg', 3, null))
  await other.page.getByText('This audio file is no longer on this computer.').waitFor()
  await other.page.close()
})
