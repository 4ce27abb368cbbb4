import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import type { Sandbox } from '../../src-main/sandbox/sandbox.ts'
import { synthesize } from '../../src-main/sandbox/speech/speech.ts'
import { lacks } from '../helpers/programs.mjs'
import { windowText } from '../helpers/windowText.ts'
import { expectAccessible, newChat, takePictures, turns } from './chatWorld.ts'
import { closeHosts, openConnectedHost, openSandbox, type WebHost } from './hosts.ts'
import { composer, openInspector, pickModel, replies } from './journey.ts'
import { withMicrophone } from './microphone.ts'

// The fake microphone plays one file from the moment it opens. Its three sentences are the turns of the conversation. Nobody touches the page.

const folder = join(tmpdir(), `studio-talk-${process.pid}`)
const wav = join(folder, 'talk.wav')
test.skip(lacks('ffmpeg') !== null, 'ffmpeg')

test.use(withMicrophone(`${wav}%noloop`))

/**
 * When each sentence begins, s: the second follows the whole first reply, the third interrupts the second reply. A reply takes 7 to 10 s
 * to speak, so a reply that begins a few seconds later on a busy computer is still heard and interrupted.
 */
const startsAt = [1, 20, 28]
const sentences = [
  'Good morning. When does the ferry leave?',
  'And when does it come back?',
  'Thank you, that is enough.',
]

const key = 'sk-voice-7712'
let sandbox: Sandbox
let host: WebHost

test.beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  const inputs: string[] = []
  for (const [at, input] of sentences.entries()) {
    const file = join(folder, `${at}.wav`)
    const spoken = await synthesize({ input, voice: at === 2 ? 'onyx' : 'nova', format: 'wav', speed: 1 })
    writeFileSync(file, spoken.bytes)
    inputs.push('-i', file)
  }
  // With the noise of a fan, because the background is never digital silence.
  const delayed = startsAt.map((at, index) => `[${index}:a]adelay=${at * 1000}[s${index}]`)
  const mix = `[s0][s1][s2][fan]amix=inputs=4:duration=longest:normalize=0,aresample=48000`
  const graph = `${delayed.join(';')};anoisesrc=color=pink:amplitude=0.006:seed=3:duration=44[fan];${mix}`
  execFileSync('ffmpeg', ['-v', 'error', ...inputs, '-filter_complex', graph, '-ac', '1', wav])
  sandbox = await openSandbox({ apiKey: key })
  host = await openConnectedHost(sandbox)
})
test.afterAll(async () => {
  await closeHosts()
  rmSync(folder, { recursive: true, force: true })
})

const region = (page: Page) => page.getByRole('region', { name: windowText('handsFree:region') })

/** Records each phase of the conversation, and the microphones. */
async function enter(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { mediaDevices } = navigator
    const open = mediaDevices.getUserMedia.bind(mediaDevices)
    const tracks: MediaStreamTrack[] = []
    const asked: unknown[] = []
    Object.assign(globalThis, { tracks, asked })
    mediaDevices.getUserMedia = async (wanted) => {
      asked.push(wanted?.audio)
      const stream = await open(wanted)
      tracks.push(...stream.getTracks())
      return stream
    }
  })
  await page.goto(host.url)
  await newChat(page)
  await page.evaluate(() => {
    const phases: string[] = []
    Object.assign(globalThis, { phases })
    new MutationObserver(() => {
      const phase = document.querySelector<HTMLElement>('.hands-free')?.dataset.phase ?? 'off'
      if (phases.at(-1) !== phase) phases.push(phase)
    }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-phase'] })
  })
}
const phases = (page: Page) => page.evaluate(() => (globalThis as unknown as { phases: string[] }).phases)
const liveMicrophones = (page: Page) =>
  page.evaluate(
    () =>
      (globalThis as unknown as { tracks: MediaStreamTrack[] }).tracks.filter((one) => one.readyState === 'live')
        .length,
  )
/** The rows of the bar that have these elements, by their middles. */
const rowsOf = async (page: Page, elements: string[]): Promise<number[]> => {
  const found = { meter: '[role="meter"]', phase: '.hands-free-phase' } as Record<string, string>
  const middles = await region(page)
    .locator(elements.map((one) => `.composer-bar ${found[one] ?? one}`).join(', '))
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ y, height }) => y + height / 2))
  // Elements of one row may differ by a fraction of a pixel.
  return middles.sort((a, b) => a - b).filter((middle, at) => middle - (middles[at - 1] ?? -100) > 6)
}
const requests = (path: string) => sandbox.observe.requests().filter((request) => request.path === path)

test(
  'three turns without touching anything; the third interrupts the reply; Esc releases the microphone',
  { tag: '@long' },
  async ({ page }, { annotations }) => {
    test.setTimeout(120_000)
    await enter(page)
    await pickModel(page, 'writer-small')
    await openInspector(page)
    await page.getByLabel(windowText('chat:paramMaxTokens'), { exact: true }).fill('32')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: windowText('handsFree:start') }).focus()
    await page.keyboard.press('Enter')
    await expect(region(page)).toHaveAttribute('data-phase', 'listening')
    expect(await page.evaluate(() => (globalThis as unknown as { asked: unknown[] }).asked)).toMatchObject([
      { echoCancellation: true },
    ])
    await expectAccessible(page, '.hands-free')
    const total = region(page).locator('[data-total]')
    const measured: number[] = []
    for (const at of [0, 1, 2]) {
      await expect(turns(page)).toHaveCount(at + 1, { timeout: 40_000 })
      await expect(region(page)).toHaveAttribute('data-phase', 'speaking', { timeout: 20_000 })
      measured.push(Number(await total.getAttribute('data-total')))
      if (at === 0) await takePictures(page, 'voice-conversation', true)
    }
    await page.keyboard.press('Escape')
    await expect(region(page)).toHaveCount(0)
    expect(await liveMicrophones(page)).toBe(0)
    await expect(composer(page)).toBeFocused()
    const seen = (await phases(page)).join(' ')
    const turn = 'listening hearing transcribing thinking speaking'
    // The first reply is spoken to its end, unless a slow computer needs longer than the pause for it. The second is interrupted.
    expect(seen).toMatch(
      new RegExp(
        `opening ${turn} (${turn}|hearing transcribing thinking speaking) hearing transcribing thinking speaking`,
      ),
    )
    // Silence costs nothing: one transcript per turn, shorter than the recording.
    const transcripts = requests('/v1/audio/transcriptions')
    expect(transcripts).toHaveLength(3)
    for (const { bytesIn } of transcripts) expect(bytesIn).toBeLessThan(32_000 * 4)
    for (const text of await turns(page).allInnerTexts()) expect(text).toContain('Speech from')
    await expect(replies(page)).toHaveCount(3)
    // The service's own time: each request of the turn, from its first to its last byte.
    const own = ['/v1/audio/transcriptions', '/v1/chat/completions', '/v1/audio/speech'].map((path) =>
      requests(path).map(({ startedAt, endedAt }) => (endedAt ?? startedAt) - startedAt),
    )
    const beyond = measured.map((ms, at) => Math.round(ms - own.reduce((sum, list) => sum + (list[at] ?? 0), 0)))
    annotations.push({
      type: 'end of speech to first sound beyond the service, ms',
      description: `${beyond.join(' ')} of ${measured.join(' ')}`,
    })
  },
)

test('the sandbox’s own model, the guide, answers in a voice conversation', { tag: '@long' }, async ({ page }) => {
  test.setTimeout(150_000)
  await enter(page)
  await pickModel(page, 'guide')
  const before = requests('/v1/audio/speech').length
  await page.getByRole('button', { name: windowText('handsFree:start') }).click()
  await expect(turns(page).first()).toContainText('Speech from', { timeout: 40_000 })
  // Part of the reply is spoken. On a busy machine the next sentence of the microphone may come first.
  await expect.poll(() => requests('/v1/audio/speech').length, { timeout: 60_000 }).toBeGreaterThan(before)
  await page.keyboard.press('Escape')
  await expect(region(page)).toHaveCount(0)
  // Escape and the next sentence end a reply that is still arriving, so only its beginning is certain.
  await expect(replies(page).first()).toContainText(/From [^:]+:\s*\S/)
})

test('a blocked microphone says why and can be tried again; then Space held talks', { tag: '@long' }, async ({
  page,
}) => {
  await enter(page)
  await pickModel(page, 'writer-small')
  await page.evaluate(() => {
    const { mediaDevices } = navigator
    const open = mediaDevices.getUserMedia
    mediaDevices.getUserMedia = () => {
      mediaDevices.getUserMedia = open
      return Promise.reject(new DOMException('', 'NotAllowedError'))
    }
  })
  await page.getByRole('button', { name: windowText('handsFree:start') }).click()
  await expect(region(page)).toHaveAttribute('data-phase', 'failed')
  await expect(region(page).getByRole('alert')).toContainText('Microphone access is blocked')
  await expectAccessible(page, '.hands-free')
  await takePictures(page, 'voice-conversation-failed', true)
  await region(page)
    .getByRole('combobox', { name: windowText('handsFree:input') })
    .selectOption('hold')
  await region(page)
    .getByRole('button', { name: windowText('handsFree:retry') })
    .click()
  await expect(region(page).getByRole('button', { name: windowText('handsFree:holdToTalk') })).toBeFocused()
  const before = requests('/v1/audio/transcriptions').length
  await page.keyboard.down(' ')
  await expect(region(page)).toHaveAttribute('data-phase', 'hearing')
  const level = region(page).getByRole('meter')
  await expect
    .poll(async () => Number(await level.getAttribute('aria-valuenow')), { timeout: 8_000 })
    .toBeGreaterThan(50)
  await page.keyboard.up(' ')
  await expect(turns(page)).toHaveCount(1, { timeout: 10_000 })
  expect(requests('/v1/audio/transcriptions')).toHaveLength(before + 1)
  // All controls are in one row, also in a narrow window.
  await page.setViewportSize({ width: 700, height: 800 })
  expect(await rowsOf(page, ['button', 'select', 'meter'])).toHaveLength(1)
  // On a telephone: the state with Pause and End, and below the mode with the button to hold.
  await page.setViewportSize({ width: 420, height: 800 })
  const mode = region(page).getByLabel(windowText('handsFree:input'))
  const hold = region(page).getByRole('button', { name: windowText('handsFree:holdToTalk') })
  await takePictures(page, 'voice-conversation-hold-420')
  expect(await rowsOf(page, ['button', 'select', 'meter', 'phase'])).toHaveLength(2)
  expect(await rowsOf(page, ['.hands-free-hold', 'select'])).toHaveLength(1)
  await mode.selectOption({ label: windowText('handsFree:automatic') })
  await expect(hold).toHaveCount(0)
  await takePictures(page, 'voice-conversation-420')
  expect(await rowsOf(page, ['button', 'meter', 'phase'])).toHaveLength(1)
  await mode.selectOption({ label: windowText('handsFree:hold') })
  await page.setViewportSize({ width: 1200, height: 800 })
  await takePictures(page, 'voice-conversation-hold', true)
  await page
    .getByRole('button', { name: windowText('handsFree:end') })
    .last()
    .click()
  await expect(region(page)).toHaveCount(0)
  expect(await liveMicrophones(page)).toBe(0)
})
