import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { chromium, type Page } from '@playwright/test'
import { chromiumArgs, findBrowser } from '../helpers/browser.mjs'
import { openSound } from '../renderer/shared/audio/harness/page.ts'
import { kinds, makeSounds } from '../renderer/shared/audio/sounds.ts'
import { serveWithSandbox } from './serve.ts'

// Waveforms of long recordings in the built program, and the first sound of speech that is still arriving, in a real Chromium: node
// tests/bench/sound.ts [minutes]. Prints one JSON document.

const minutes = Number(process.argv[2] ?? 60)
const long = ['mp3', 'opus', 'm4a', 'flac', 'wav'] as const
const spoken = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

const dataDir = mkdtempSync(join(tmpdir(), 'studio-sound-bench-'))

const serve = () => serveWithSandbox(dataDir)

const idOf = (kind: number, at: number): string =>
  `${kind.toString(16).padStart(8, '0')}-0000-4000-8000-${at.toString(16).padStart(12, '0')}`

/** Recordings as stored after they were dropped; no window has read them yet. */
function fill(): void {
  const folder = join(dataDir, 'media')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(dataDir, 'studio.sqlite'))
  const media = database.prepare(
    "INSERT INTO media (id, kind, mime, bytes, name, sha256, created_at) VALUES (?, 'audio', ?, ?, ?, ?, ?)",
  )
  const recording = database.prepare(
    `INSERT INTO recordings (id, created_at, name, search, source, state, mime, bytes, seconds, media_id)
     VALUES (?, ?, ?, ?, 'file', 'kept', ?, ?, ?, ?)`,
  )
  // Alternately loud and quiet, with a changing tone, so that no codec can compress it to nothing.
  const tone = `aevalsrc='(0.15+0.7*abs(sin(t/7)))*sin(2*PI*(220+80*sin(t/3))*t)+0.05*(random(0)-0.5)':s=24000:d=${minutes * 60}`
  for (const [at, kind] of long.entries()) {
    const { mime, args } = kinds[kind] ?? { mime: '', args: [] }
    const id = idOf(1, at)
    const path = join(folder, id)
    const form = { mp3: 'mp3', opus: 'ogg', m4a: 'mp4', flac: 'flac', wav: 'wav' }[kind]
    execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', tone, ...args, '-f', form, path])
    const bytes = statSync(path).size
    const when = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString()
    const name = `an hour.${kind}`
    media.run(id, mime, bytes, name, `sha ${at}`, when)
    recording.run(idOf(2, at), when, name, name, mime, bytes, minutes * 60, id)
  }
  database.close()
}

/**
 * Opens a recording. Returns the ms until the page shows an approximate waveform of all of it, and the exact one, and the longest task of
 * the page's thread until then.
 */
async function draw(page: Page, at: number) {
  return page.evaluate(
    async (id) => {
      let longest = 0
      const tasks = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longest = Math.max(longest, duration)
      })
      tasks.observe({ type: 'longtask' })
      const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
      const begun = performance.now()
      location.hash = `#/transcribe/${id}`
      const state = (): string | undefined =>
        document.querySelector<HTMLElement>('.wave [role="slider"]')?.dataset.state
      while (state() !== undefined && state() !== 'drawing') await frame()
      while (state() === undefined || state() === 'drawing') await frame()
      // The next frame shows the waveform.
      await frame()
      const drawn = performance.now() - begun
      while (state() === 'rough') await frame()
      const whole = performance.now() - begun
      await new Promise((resolve) => setTimeout(resolve, 200))
      tasks.disconnect()
      return { drawn: Math.round(drawn), whole: Math.round(whole), longest: Math.round(longest), state: state() }
    },
    idOf(2, at),
  )
}

async function waveforms() {
  const first = await serve()
  await first.stop()
  fill()
  const host = await serve()
  const executablePath = await findBrowser()
  const browser = await chromium.launch({ ...(executablePath !== null && { executablePath }), args: chromiumArgs })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(host.url)
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.evaluate(() => {
      location.hash = '#/transcribe'
    })
    await page.getByText(`an hour.${long[0]}`).waitFor()
    const found = []
    for (const [at, kind] of long.entries()) {
      const { bytes } = { bytes: statSync(join(dataDir, 'media', idOf(1, at))).size }
      found.push({ kind, megabytes: Math.round(bytes / 1e6), ...(await draw(page, at)) })
      await page.evaluate(() => {
        location.hash = '#/transcribe'
      })
      await page.locator('.wave').waitFor({ state: 'detached' })
    }
    // Computed waveforms are stored.
    const again = await draw(page, 0)
    return { found, again: again.drawn }
  } finally {
    await browser.close()
    await host.stop()
  }
}

/** ms from the first bytes of a chunked reply to its first sound. */
async function firstSound() {
  const sounds = makeSounds(3)
  const harness = await openSound(sounds.kept)
  try {
    const { page } = await harness.open()
    const found = []
    for (const kind of spoken) {
      const times: number[] = []
      for (let turn = 0; turn < 5; turn += 1) {
        const heard = await page.evaluate(([at, type]) => window.sound.live([at], type, 24_000, 3_001, 5), [
          `/media/tone.${kind}`,
          kinds[kind]?.mime ?? '',
        ] as const)
        times.push(heard.firstSoundMs ?? Number.POSITIVE_INFINITY)
      }
      times.sort((a, b) => a - b)
      found.push({ kind, median: Math.round(times[2] ?? 0), worst: Math.round(times[4] ?? 0) })
    }
    return found
  } finally {
    await harness.close()
    sounds.remove()
  }
}

try {
  const { found, again } = await waveforms()
  console.log(JSON.stringify({ minutes, waves: found, again, first: await firstSound() }))
} finally {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
}
